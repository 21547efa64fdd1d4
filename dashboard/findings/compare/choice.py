"""The query of a comparison:

    a, b    ids of two experiments: each point that both have is compared, and `runs`, `by` and `from` mean nothing
    runs    ids of runs, `12,13`; runs of one point are joined; the other points are compared with the first
    figure  which figure is drawn, a key of FIGURES
    by      `points`: a bar for each; `threads`: a line over the threads for each variant
    scale   of the vertical axis: `linear` or `log`
    hide    places of the points that are hidden, `0,2`, the first is 0; a line is hidden with all its points
    from    the experiment whose points are offered

Other names and values are ignored.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import urlencode

from dashboard.findings.compare.figures import FIGURES, MOST_POINTS
from dashboard.text.asked import asked_number

BYS = {"points": "each point", "threads": "threads"}
SCALES = ("linear", "log")


class Query(Protocol):
    """A QueryDict, for instance."""

    def get(self, name: str, default: str) -> str: ...
    def getlist(self, name: str) -> list[str]: ...


@dataclass(frozen=True)
class AskedComparison:
    """`offered`: id of an experiment, or None."""

    runs: tuple[int, ...] = ()
    figure: str = "throughput"
    by: str = "points"
    scale: str = "linear"
    hidden: tuple[int, ...] = ()
    offered: int | None = None
    a: int | None = None
    b: int | None = None

    @property
    def is_of_experiments(self) -> bool:
        return self.a is not None and self.b is not None

    def query(self, **other: Any) -> str:
        """The query of this choice, or of one that differs in `other`. Usual values are left out, except in queries
        with points: behind a link, the usual values are those that were shared."""
        one = replace(self, **other)
        usual = _USUAL if one.runs or one.is_of_experiments else _NOTHING
        said: dict[str, object] = {
            "a": one.a or "",
            "b": one.b or "",
            "runs": _listed(one.runs),
            "figure": one.figure,
            "by": one.by,
            "scale": one.scale,
            "hide": _listed(one.hidden),
            "from": one.offered or "",
        }
        return urlencode({name: value for name, value in said.items() if value != usual.get(name)}, safe=",")

    def hidden_without(self, place: int) -> tuple[int, ...]:
        """The hidden places after one point is removed: later points move up."""
        return tuple(one - (one > place) for one in self.hidden if one != place)

    def seen_with(self, asked: Query) -> "AskedComparison":
        """The same points in the view that is asked for. A reader of a link can choose only that."""
        return replace(choice(asked, usual=self), runs=self.runs, a=self.a, b=self.b)


_NOTHING = {"a": "", "b": "", "runs": "", "from": ""}
_USUAL = {
    **_NOTHING,
    "figure": AskedComparison.figure,
    "by": AskedComparison.by,
    "scale": AskedComparison.scale,
    "hide": "",
}


def choice(asked: Query, usual: AskedComparison = AskedComparison()) -> AskedComparison:
    """`usual`: the values of absent parameters."""
    return AskedComparison(
        runs=run_ids(asked),
        figure=_one_of(FIGURES, asked.get("figure", ""), usual.figure),
        by=_one_of(BYS, asked.get("by", ""), usual.by),
        scale=_one_of(SCALES, asked.get("scale", ""), usual.scale),
        hidden=_hidden(asked, usual.hidden),
        offered=_id(asked.get("from", "")),
        a=_id(asked.get("a", "")),
        b=_id(asked.get("b", "")),
    )


def run_ids(asked: Query) -> tuple[int, ...]:
    """The ids in the address, without duplicates; other text is ignored."""
    found = re.findall(r"\d{1,18}", " ".join(asked.getlist("runs")), re.ASCII)
    return tuple(dict.fromkeys(map(int, found)))


def _hidden(asked: Query, usual: tuple[int, ...]) -> tuple[int, ...]:
    """`hide=` hides nothing; without `hide` the usual places are hidden."""
    said = asked.getlist("hide")
    found = {int(one) for one in re.findall(r"\d{1,3}", " ".join(said), re.ASCII)}
    return tuple(sorted(one for one in found if one < MOST_POINTS)) if said else usual


def _one_of(known: Mapping[str, object] | Iterable[str], asked: str, usual: str) -> str:
    return asked if asked in known else usual


def _id(text: str) -> int | None:
    """Ids begin at 1."""
    return asked_number(text) or None


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
