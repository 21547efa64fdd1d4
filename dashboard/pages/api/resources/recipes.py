"""Recipes: ready plans with claims."""

from django.http import Http404, HttpRequest
from ninja import Schema
from ninja.pagination import RouterPaginated

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import with_values
from dashboard.records.experiments import shelf
from workers.analysis.predicates.claim import Claim
from workers.bench.recipes import Recipe

router = RouterPaginated()


class SizeOut(Schema):
    key: str
    says: str
    estimate_s: float


@with_values(Claim, "id says in_words")
class ClaimOut(Schema):
    pass


@with_values(Recipe, "key title says is_own")
class RecipeOut(Schema):
    """`estimate_s` is for one server."""

    sizes: list[SizeOut]
    claims: list[ClaimOut]

    @staticmethod
    def resolve_sizes(recipe: Recipe) -> list[dict[str, object]]:
        return shelf.sizes(recipe)


@router.get("/recipes", auth=Token("see"), response=list[RecipeOut])
def list_recipes(request: HttpRequest) -> list[Recipe]:
    """All recipes of this installation that can be read."""
    return list(shelf.shelf().recipes.values())


@router.get("/recipes/{slug:key}", auth=Token("see"), response=RecipeOut)
def show_recipe(request: HttpRequest, key: str) -> Recipe:
    """One recipe."""
    recipe = shelf.find(key)
    if recipe is None:
        raise Http404
    return recipe
