"""The data of one result page: the analysis for the server and workload that the reader chose."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import urlencode

from dashboard.findings import probed
from dashboard.findings.analysis import Analysis, analysis_of, baseline_of
from dashboard.findings.counted import counted
from dashboard.findings.crash.settings import CrashSetting, settings
from dashboard.findings.crash.statistics import LOST_FROM
from dashboard.findings.crash.trials import Tried, trials_of
from dashboard.findings.finding import Pair, pairs
from dashboard.findings.fitted import DeviceModel
from dashboard.findings.headline import headline
from dashboard.findings.lines import VariantLine, VariantPlace, lines, places
from dashboard.findings.names import server_names
from dashboard.findings.point import Point
from dashboard.findings.present import present_variants
from dashboard.findings.probed import ProbedDevice
from dashboard.records.experiments.kind_names import FIRST, in_order
from dashboard.records.experiments.models import Experiment
from dashboard.text.asked import asked_number
from workers.bench.plan import Plan

T = TypeVar("T")


@dataclass(frozen=True)
class ResultChoice:
    """The reader's choice. `server_id` None: all servers side by side. `threads` None: those of the plan's headline.
    `mine`: the variant that is marked as the present setting, "": the one that each server had."""

    workload: str
    server_id: int | None = None
    threads: int | None = None
    crash_kind: str = FIRST
    lost_from: str = LOST_FROM[0]
    mine: str = ""


@dataclass(frozen=True)
class ResultView:
    """`names`: names of the servers for this reader; `clean`: removes from a text what this reader may not see;
    `trials`: of all servers, because the self-test of the checks covers the whole experiment."""

    plan: Plan
    analysis: Analysis
    choice: ResultChoice
    names: Mapping[int, str]
    clean: Callable[[str], str] = str
    probed: Sequence[ProbedDevice] = ()
    trials: Sequence[Tried] = ()

    @cached_property
    def servers(self) -> dict[int, str]:
        return {pk: name for pk, name in self.names.items() if self._is_shown(pk)}

    @cached_property
    def points(self) -> list[Point]:
        return [one for one in self.analysis.points if self._is_of_workload(one.workload, one.server_id)]

    @property
    def baseline(self) -> str:
        return self.analysis.baseline

    @cached_property
    def at_threads(self) -> int:
        """The number of threads of the page: the chosen one, else that of the plan's headline, as in lists and on the
        front page; 0 if nothing was measured."""
        return (self.choice.threads or headline(self.plan).threads) if self.points else 0

    @cached_property
    def counts(self) -> str:
        """The unit of the workload's throughput."""
        return counted(self.plan, self.choice.workload)

    @property
    def workloads(self) -> list[str]:
        return [workload.label for workload in self.plan.workloads]

    @property
    def variants(self) -> list[str]:
        return [variant.name for variant in self.plan.variants]

    @cached_property
    def crash_kinds(self) -> list[str]:
        return in_order(trial.kind for trial in self.trials)

    @cached_property
    def places(self) -> list[VariantPlace]:
        """Each variant on each shown server, measured or not."""
        several = self.choice.server_id is None and len(self.names) > 1
        return places(self.plan, self.servers, several, self.clean)

    @cached_property
    def lines(self) -> list[VariantLine]:
        models = (one for one in self.analysis.lines if self._is_of_workload(one.workload, one.server_id))
        return lines(self.places, self.points, models)

    @cached_property
    def pairs(self) -> list[Pair]:
        """The plan's headline on each shown server, at the number of threads of the page."""
        planned = headline(self.plan)
        main = replace(planned, threads=self.at_threads or planned.threads)
        if main == planned:
            known = (one for one in self.analysis.headline if one.workload == self.choice.workload)
            ratios = {one.server_id: one.ratio for one in known}
        else:
            asked = (one for one in self.points if (one.variant, one.threads) == (main.variant, main.threads))
            ratios = {one.server_id: one.ratio for one in asked if self.baseline == main.baseline}
        return pairs(main, self.servers, self.points, ratios, self.clean)

    @cached_property
    def mine(self) -> dict[int, str]:
        """Server id -> the variant that is marked as its present setting, "" for none."""
        chosen = self.choice.mine
        return dict.fromkeys(self.names, chosen) if chosen else present_variants(self.plan)

    @cached_property
    def settings(self) -> list[CrashSetting]:
        """For the chosen crash kind, with their speed at the number of threads of the page."""
        speeds = [point for point in self.points if point.threads == self.at_threads]
        choice = self.choice
        return settings(self.places, self.trials, speeds, choice.crash_kind, choice.lost_from, self.mine)

    @property
    def devices(self) -> list[ProbedDevice]:
        return [one for one in self.probed if self._is_shown(one.server_id)]

    @property
    def device_models(self) -> list[DeviceModel]:
        return [one for one in self.analysis.devices if self._is_shown(one.server_id)]

    @cached_property
    def query(self) -> str:
        """The query of this choice. It uses places in the plan, because names could reveal a host."""
        choice = self.choice
        state = {"workload": _place(self.workloads, choice.workload), "baseline": _place(self.variants, self.baseline)}
        state |= {"server": _place(list(self.names), choice.server_id)}
        state |= {"threads": _place(self.plan.threads, choice.threads)}
        if self.trials:
            state |= {"crash": choice.crash_kind, "lost": choice.lost_from, "mine": _place(self.variants, choice.mine)}
        return urlencode(state)

    def _is_shown(self, server_id: int) -> bool:
        return self.choice.server_id in (None, server_id)

    def _is_of_workload(self, workload: str, server_id: int) -> bool:
        return workload == self.choice.workload and self._is_shown(server_id)


def shown(
    experiment: Experiment,
    choice: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[int, str] | None = None,
    clean: Callable[[str], str] = str,
) -> ResultView:
    """The view for a query string with places in the plan, from 0. Unknown values are ignored. `names`: of
    its servers, if the reader may not see theirs."""
    plan, trials = experiment.as_plan(), trials_of(experiment)
    labels = [workload.label for workload in plan.workloads]
    variants = [variant.name for variant in plan.variants]
    kinds = in_order(trial.kind for trial in trials)
    return ResultView(
        plan=plan,
        analysis=analysis_of(experiment, baseline_of(experiment, at(variants, choice.get("baseline")))),
        choice=ResultChoice(
            workload=at(labels, choice.get("workload")) or next(iter(labels), ""),
            server_id=at([target.server_id for target in plan.targets], choice.get("server")),
            threads=at(plan.threads, choice.get("threads")),
            crash_kind=_one_of((FIRST, *kinds) if FIRST in kinds else kinds, choice.get("crash")) or FIRST,
            lost_from=_one_of(LOST_FROM, choice.get("lost")),
            mine=at(variants, choice.get("mine")) or "",
        ),
        names=server_names(plan) if names is None else names,
        clean=clean,
        probed=list(probed.probed_devices(experiment.probes.order_by("id").values_list("server_id", "data"))),
        trials=trials,
    )


def at(known: Sequence[T], place: str | None) -> T | None:
    number = asked_number(place)
    return known[number] if number is not None and number < len(known) else None


def _one_of(known: Sequence[str], asked: str | None) -> str:
    """The asked one if it is known, else the first."""
    return asked if asked and asked in known else next(iter(known), "")


def _place(known: Sequence[T], one: T | None) -> int | str:
    return known.index(one) if one is not None and one in known else ""
