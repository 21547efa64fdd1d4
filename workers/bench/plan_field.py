"""The description of a plan's field, `described(...)` in workers/bench/plan.py.

The checks of a plan, the form, `--set`, recipe files, the API's schema, the exported file and "is this the same
question" all derive from it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal

from workers.errors import PlanError
from workers.servers.settings import switch

Kind = Literal["whole", "number", "text", "yes", "wholes", "texts"]
Group = Literal["", "first", "compared", "load", "crash", "length", "guard"]
REQUIRED = MISSING


@dataclass(frozen=True)
class Description:
    kind: Kind
    label: str
    help: str
    least: float | None = None
    most: float | None = None
    group: Group = ""  # its part of the form; "": the form has no such input
    start: object = None  # the first value in form and API; None: the default
    may_be_empty: bool = False  # in the form; then the default is used
    in_recipe: bool = True
    in_sizes: bool = False  # a size of a recipe may change it
    asks: bool = False  # another value asks another question than the recipe: the result says so
    # Another value is another measurement: a history does not draw both in one line. "unless default": for fields that
    # older plans do not have.
    tells_apart: Literal["", "always", "unless default"] = ""
    one_of: Literal["", "variants", "threads"] = ""  # of this plan; empty or 0: none of them


@dataclass(frozen=True)
class PlanField:
    name: str
    default: object  # REQUIRED: there is none
    description: Description

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED

    @property
    def proposed(self) -> Any:
        """The first value in a form and in a call of the API; None: empty."""
        if self.description.start is not None:
            return self.description.start
        return None if self.is_required else self.default

    def stored(self, value: Any) -> Any:
        """A value of JSON as the plan holds it."""
        if self.description.kind in ("wholes", "texts"):
            return tuple(value)
        return float(value) if self.description.kind == "number" and isinstance(value, int) else value

    def parsed(self, text: str) -> Any:
        """A value as typed after --set. Raises PlanError."""
        try:
            return _PARSE[self.description.kind](text)
        except ValueError as wrong:
            what, example = _EXPECTED.get(self.description.kind, ("a whole number", "threads=1,8,32"))
            raise PlanError(f"{self.name}={text!r} is not {what}.", f"Write for example {example}.") from wrong

    def problems(self, value: Any) -> Iterator[str]:
        """Values out of bounds, one sentence each."""
        known = self.description
        for one in value if isinstance(value, tuple) else (value,):
            if known.least is not None and known.most is not None and not known.least <= one <= known.most:
                yield f"{known.label}: {one} is not between {_number(known.least)} and {_number(known.most)}."


def described(kind: Kind, label: str, help: str, **more: Any) -> dict[str, Description]:
    """The metadata of a dataclass' field; see `Description`."""
    return {"description": Description(kind, label, help, **more)}


def fields_of(plan: Any) -> tuple[PlanField, ...]:
    """All described fields of a plan or its class: all but targets, variants, workloads and crash, which are
    structures."""
    known = (one for one in fields(plan) if "description" in one.metadata)
    return tuple(PlanField(one.name, one.default, one.metadata["description"]) for one in known)


def out_of_bounds(plan: Any) -> Iterator[str]:
    for one in fields_of(plan):
        yield from one.problems(getattr(plan, one.name))


def dangling(plan: Any) -> Iterator[tuple[PlanField, object]]:
    """Fields that name a variant or a number of threads that the plan does not have."""
    known = {"variants": {variant.name for variant in plan.variants}, "threads": set(plan.threads)}
    for one in fields_of(plan):
        value = getattr(plan, one.name)
        if one.description.one_of and value and value not in known[one.description.one_of]:
            yield one, value


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _yes(text: str) -> bool:
    """ValueError: it is neither yes nor no."""
    return ("OFF", "ON").index(switch(text)) == 1


_EXPECTED: Mapping[Kind, tuple[str, str]] = {
    "number": ("a number", "load_s=0.5"),
    "yes": ("yes or no", "replica=yes"),
}
_PARSE: Mapping[Kind, Callable[[str], object]] = {
    "whole": int,
    "number": float,
    "text": str,
    "yes": _yes,
    "wholes": lambda text: tuple(map(int, _words(text))),
    "texts": _words,
}
