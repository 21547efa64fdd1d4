"""The recipes of this installation: the built-in ones and those in its own folder."""

from pathlib import Path

from django.conf import settings

from dashboard.records.experiments.models import Experiment
from workers.bench import recipes
from workers.bench.plan import PlanTarget
from workers.bench.recipes import Recipe, Shelf
from workers.bench.review import estimate_s

# Recipes on the first page. A link there leads to the others.
ON_HOME = (
    "what-does-safety-cost",
    "who-agrees-after-a-crash",
    "group-commit",
    "rows-per-transaction",
    "acid-or-not",
    "fifteen-years",
)
IN_FIRST_ROW = 4


def on_home() -> list[Recipe]:
    """The user's own recipes first."""
    known = shelf().recipes
    return [*(one for one in known.values() if one.is_own), *(known[key] for key in ON_HOME)]


def presets() -> tuple[list[Recipe], list[Recipe]]:
    first = on_home()[:IN_FIRST_ROW]
    return first, [one for one in shelf().recipes.values() if one not in first]


def shelf() -> Shelf:
    return recipes.shelf(Path(settings.RECIPES))


def load(key: str) -> Recipe:
    """Raises PlanError if there is no such recipe or its file is wrong."""
    return recipes.load(key, Path(settings.RECIPES))


def find(key: str) -> Recipe | None:
    return shelf().recipes.get(key)


def of_experiment(experiment: Experiment) -> Recipe | None:
    """Its recipe, if the recipe still gives this plan."""
    recipe, size = find(experiment.recipe), experiment.recipe_size
    if recipe and size in recipes.SIZES and not recipe.changes(experiment.as_plan(), size):
        return recipe
    return None


def sizes(recipe: Recipe | None) -> list[dict[str, object]]:
    if recipe is None:
        return []
    return [
        {"key": key, "says": says, "estimate_s": estimate_s(recipe.plan([PlanTarget(0, "")], size=key))}
        for key, says in recipes.SIZES.items()
    ]
