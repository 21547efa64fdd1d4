"""Recipes as text for a terminal."""

from dashboard.records.experiments import shelf
from dashboard.text.numbers import duration
from workers.bench.recipes import Recipe, Shelf


def every(known: Shelf) -> str:
    """One paragraph for each recipe, then the files that cannot be used and why."""
    told = [
        f"{recipe.key}: {recipe.title}\n    {recipe.says}\n    {_sizes(recipe)}" for recipe in known.recipes.values()
    ]
    return "\n".join([*told, *(f"cannot be used: {why}" for why in known.broken.values())])


def one(recipe: Recipe) -> str:
    head = [f"{recipe.key}: {recipe.title}", recipe.says, _sizes(recipe)]
    claims = [f"{claim.id}  {claim.says}\n    {claim.in_words}" for claim in recipe.claims]
    return "\n".join([*head, "", *claims])


def _sizes(recipe: Recipe) -> str:
    sizes = [f"{size['key']} about {duration(size['estimate_s'])}" for size in shelf.sizes(recipe)]
    ids = ", ".join(recipe.claim_ids)
    return "; ".join([*sizes, *([f"claims {ids}"] if ids else [])])
