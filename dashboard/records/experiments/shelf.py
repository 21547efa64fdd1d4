"""The recipes of this installation: the built-in ones and those in its own folder."""

from pathlib import Path

from django.conf import settings

from workers.bench import recipes
from workers.bench.plan import PlanTarget
from workers.bench.recipes import Recipe, Shelf
from workers.bench.review import estimate_s

# Those that a first visit should see; the others are one link away.
ON_HOME = (
    "what-does-safety-cost",
    "who-agrees-after-a-crash",
    "group-commit",
    "rows-per-transaction",
    "acid-or-not",
    "fifteen-years",
)


def on_home() -> list[Recipe]:
    """The user's own first."""
    known = shelf().recipes
    return [*(one for one in known.values() if one.is_own), *(known[key] for key in ON_HOME)]


def own_folder() -> Path:
    return Path(settings.RECIPES)


def shelf() -> Shelf:
    return recipes.shelf(own_folder())


def load(key: str) -> Recipe:
    """Raises PlanError: there is none of that key, or its file is wrong."""
    return recipes.load(key, own_folder())


def find(key: str) -> Recipe | None:
    return shelf().recipes.get(recipes.ALIASES.get(key, key))


def sizes(recipe: Recipe | None) -> list[dict[str, object]]:
    """The sizes of a recipe with how long each takes, as the page offers them."""
    if recipe is None:
        return []
    return [
        {"key": key, "says": says, "estimate_s": estimate_s(recipe.plan([PlanTarget(0, "")], size=key))}
        for key, says in recipes.SIZES.items()
    ]
