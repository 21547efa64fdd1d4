"""Ready plans with claims: TOML files beside this module, or in a folder of the user (docs/recipes.md)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from workers.bench.recipes.recipe import QUICK, SIZES, Recipe
from workers.bench.recipes.recipe_file import read
from workers.errors import PlanError

FOLDER = Path(__file__).parent
KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")  # it is a part of addresses
__all__ = ["QUICK", "SIZES", "Recipe", "Shelf", "load", "shelf"]


@dataclass(frozen=True)
class Shelf:
    """All valid recipes; `broken`: file -> why it is not valid."""

    recipes: Mapping[str, Recipe]
    broken: Mapping[str, str] = field(default_factory=dict)


def shelf(own: Path | None = None) -> Shelf:
    """The built-in recipes and those in the folder `own`, by key. A broken file does not affect others."""
    recipes, broken = dict(_built_in()), {}
    for path in sorted(own.glob("*.toml")) if own and own.is_dir() else ():
        try:
            recipes[path.stem] = _own(path)
        except PlanError as wrong:
            broken[path.name] = str(wrong)
    return Shelf(dict(sorted(recipes.items())), broken)


def load(key: str, own: Path | None = None) -> Recipe:
    """The recipe of this key. Raises PlanError: there is none, or its file is broken."""
    found = shelf(own)
    if why := found.broken.get(f"{key}.toml"):
        raise PlanError(why)
    if key not in found.recipes:
        raise PlanError(f"There is no recipe {key!r}.", f"Known: {', '.join(found.recipes)}.")
    return found.recipes[key]


@cache
def _built_in() -> Mapping[str, Recipe]:
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.toml"))}


def _own(path: Path) -> Recipe:
    if not KEY.fullmatch(path.stem):
        raise PlanError(f"{path.name}: the file name is no key.", "Use lower-case letters, digits and single hyphens.")
    if path.stem in _built_in():
        raise PlanError(f"{path.name}: there is a built-in recipe of that name.", "Rename the file.")
    return read(path, is_own=True)
