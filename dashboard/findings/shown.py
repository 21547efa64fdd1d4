"""What one result page shows: the analysis, cut to the server and workload that the reader chose."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from dashboard.findings import probed
from dashboard.findings.analysis import Analysis, analysis_of, baseline_of
from dashboard.findings.crash.trials import Tried, trials_of
from dashboard.findings.line_models import LineModels
from dashboard.findings.looks import Look, by_place, looks
from dashboard.findings.point import Point
from dashboard.records.experiments.crash_kinds import FIRST, in_order
from dashboard.records.experiments.models import Experiment

LOST_FROM = ("engine", "binlog")


@dataclass(frozen=True)
class Line:
    """A variant on a server: one line of a chart, one look for ever. `points` ascend by threads."""

    variant: str
    server_id: int
    name: str
    colour: int
    dash: int
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Shown:
    """`server_id` None: all servers side by side. `names`: how servers are called for this reader;
    `clean`: takes out of a text what this reader may not see."""

    plan: Mapping[str, Any]
    analysis: Analysis
    workload: str
    server_id: int | None
    names: Mapping[int, str]
    clean: Callable[[str], str]
    chosen_threads: int | None  # for pictures of one number of threads; None: the highest
    probes: Sequence[tuple[int, Mapping[str, Any]]]  # as `dashboard.findings.probed` tells them
    trials: Sequence[Tried] = ()  # of all servers: the controls of the detector speak for the whole experiment
    crash_kind: str = FIRST
    lost_from: str = LOST_FROM[0]
    mine: str = ""  # the reader's own variant, "" when not said

    @property
    def points(self) -> list[Point]:
        return [p for p in self.analysis.points if p.workload == self.workload and self._here(p.server_id)]

    @property
    def baseline(self) -> str:
        return self.analysis.baseline

    @property
    def threads(self) -> list[int]:
        return sorted({point.threads for point in self.points})

    @property
    def at_threads(self) -> int:
        """The number of threads that histograms and seconds are shown for; 0 where nothing was measured."""
        return self.chosen_threads if self.chosen_threads in self.threads else max(self.threads, default=0)

    @property
    def workloads(self) -> list[str]:
        return [workload["label"] for workload in self.plan["workloads"]]

    @property
    def variants(self) -> list[str]:
        return [variant["name"] for variant in self.plan["variants"]]

    @property
    def crash_kinds(self) -> list[str]:
        return in_order(trial.kind for trial in self.trials)

    def lines(self) -> list[Line]:
        """One per variant and server of the plan that has points."""
        lines = [self._line(*place) for place in self.places()]
        return [line for line in lines if line.points]

    def models(self, line: Line) -> LineModels:
        """What the line's points say together: see `dashboard.findings.line_models`."""
        wanted = (line.server_id, line.variant, self.workload)
        return next(one for one in self.analysis.lines if (one.server_id, one.variant, one.workload) == wanted)

    def places(self) -> list[tuple[str, int]]:
        """(Variant, server) in the plan's order, which gives the colours."""
        return [(v["name"], t["server_id"]) for v in self.plan["variants"] for t in self.plan["targets"]]

    def label(self, variant: str, server_id: int) -> str:
        """How a line is called: the variant, and the server where the page shows several."""
        name = self.clean(variant)
        return name if self.server_id is not None or len(self.names) == 1 else f"{name}, {self.names[server_id]}"

    def look(self, variant: str, server_id: int) -> Look:
        """By the place in the plan, whatever is shown or hidden. Several servers are no grid of variants."""
        order = self.places()
        nth = order.index((variant, server_id)) if (variant, server_id) in order else 0
        return by_place(nth) if len(self.plan["targets"]) > 1 else looks(self.variants)[nth]

    def query(self) -> str:
        """The address's query that shows this choice. By place in the plan: names could give away a host."""
        state = {"workload": _place(self.workloads, self.workload), "baseline": _place(self.variants, self.baseline)}
        state |= {"server": _place(list(self.names), self.server_id)}
        state |= {"threads": _place(self.plan["threads"], self.chosen_threads)}
        if self.trials:
            state |= {"crash": self.crash_kind, "lost": self.lost_from, "mine": _place(self.variants, self.mine)}
        return urlencode(state)

    def _here(self, server_id: int) -> bool:
        return self.server_id in (None, server_id)

    def _line(self, variant: str, server_id: int) -> Line:
        mine = (p for p in self.points if p.variant == variant and p.server_id == server_id)
        look = self.look(variant, server_id)
        return Line(
            variant=variant,
            server_id=server_id,
            name=self.label(variant, server_id),
            colour=look.colour,
            dash=look.dash,
            points=tuple(sorted(mine, key=lambda point: point.threads)),
        )


def shown(
    experiment: Experiment, choice: Mapping[str, str], names: Mapping[int, str], clean: Callable[[str], str] = str
) -> Shown:
    """What to show for a query string: places in the plan, counted from 0. What the plan does not have is ignored."""
    plan = experiment.plan
    labels = [workload["label"] for workload in plan["workloads"]]
    variants = [variant["name"] for variant in plan["variants"]]
    trials = trials_of(experiment)
    kinds = in_order(trial.kind for trial in trials)
    return Shown(
        plan=plan,
        analysis=analysis_of(experiment, baseline_of(experiment, _at(variants, choice.get("baseline")))),
        workload=_at(labels, choice.get("workload")) or next(iter(labels), ""),
        server_id=_at([target["server_id"] for target in plan["targets"]], choice.get("server")),
        names=names,
        clean=clean,
        chosen_threads=_at(plan["threads"], choice.get("threads")),
        probes=list(probed.each(experiment.probes.order_by("id").values_list("server_id", "data"))),
        trials=trials,
        crash_kind=_one_of((FIRST, *kinds) if FIRST in kinds else kinds, choice.get("crash")) or FIRST,
        lost_from=_one_of(LOST_FROM, choice.get("lost")),
        mine=_at(variants, choice.get("mine")) or "",
    )


def _at(known: Sequence[Any], place: str | None) -> Any:
    return known[int(place)] if place and re.fullmatch("[0-9]{1,4}", place) and int(place) < len(known) else None


def _one_of(known: Sequence[str], asked: str | None) -> str:
    """The asked one if it is known, else the first."""
    return asked if asked and asked in known else next(iter(known), "")


def _place(known: Sequence[Any], one: Any) -> int | str:
    return known.index(one) if one in known else ""
