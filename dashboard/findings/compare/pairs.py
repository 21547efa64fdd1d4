"""Two experiments, A and B: each point that both have, with the ratio of B to A, and the points that only one has.

A pair is one variant, workload and number of threads on one server. Servers are paired by their id; where each
experiment has one further server, those two are a pair too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dashboard.findings.analysis import analysis_of, judged
from dashboard.findings.compare.choice import AskedComparison
from dashboard.findings.grouped import grouped
from dashboard.findings.lines import VariantPlace, places
from dashboard.findings.point import Point, ThroughputRatio
from dashboard.findings.points import PointKey, points
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.models import Environment, Experiment, Run
from dashboard.text.numbers import at
from dashboard.text.words import listed
from workers.analysis import statistics
from workers.analysis.statistics import Estimate
from workers.bench.plan import Plan


@dataclass(frozen=True)
class PointPair:
    """`place`: name and colour, as on the result page of A. `ratio`: throughput of B over A; None: the two workloads
    count different things."""

    place: VariantPlace
    workload: str
    threads: int
    a: Point
    b: Point
    ratio: ThroughputRatio | None


@dataclass(frozen=True)
class PairedExperiments:
    """`overall`: geometric mean of the ratios of all pairs, None: too few repeats that have all points. `only_a`,
    `only_b`: measured points without a partner, in words: `0/0 at 8 and 64 threads`."""

    pairs: tuple[PointPair, ...]
    overall: Estimate | None
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    alone: tuple[int, int]  # how many points these are
    unmeasured: tuple[tuple[str, tuple[str, ...]], ...]  # (A or B, points of its plan that were not measured, in words)

    @property
    def workloads(self) -> list[str]:
        return list(dict.fromkeys(pair.workload for pair in self.pairs))


def experiments_named(choice: AskedComparison) -> tuple[Experiment, Experiment] | None:
    """A and B; None if one of them is missing or deleted, or if both are the same."""
    known = Experiment.objects.in_bulk(filter(None, (choice.a, choice.b)))
    return (known[choice.a], known[choice.b]) if choice.a and choice.b and len(known) == 2 else None


def paired(a: Experiment, b: Experiment, names: Mapping[int, str], clean: Callable[[str], str]) -> PairedExperiments:
    """`names`: server id -> its name for this reader; `clean`: removes from a text what this reader may not see."""
    plans = a.as_plan(), b.as_plan()
    partner = partners(*plans)
    of_a = {_key(point): point for point in analysis_of(a).points}
    of_b = {_key(point, partner): point for point in analysis_of(b).points}
    both = [key for key in of_a if key in of_b]
    runs_a = {one.key: one for one in points(a)}
    runs_b = {_key(one.key, partner): one for one in points(b)}
    gathered = {key: (runs_b[key], runs_a[key]) for key in both if of_a[key].counts == of_b[key].counts}
    ratios = judged({key: (of.seconds(), to.seconds()) for key, (of, to) in gathered.items()})
    overall = statistics.overall([(of.by_repeat(), to.by_repeat()) for of, to in gathered.values()])
    named = (places(plan, names, len(plan.targets) > 1, clean) for plan in plans)
    place_a, place_b = ({(one.variant, one.server_id): one for one in of_plan} for of_plan in named)
    alone_a = [point for key, point in of_a.items() if key not in of_b]
    alone_b = [point for key, point in of_b.items() if key not in of_a]
    return PairedExperiments(
        pairs=tuple(
            PointPair(
                place=place_a[key.variant, key.server_id],
                workload=clean(key.workload),
                threads=key.threads,
                a=of_a[key],
                b=of_b[key],
                ratio=ratios.get(key),
            )
            for key in both
        ),
        overall=overall.estimate if overall else None,
        only_a=_in_words(alone_a, place_a, clean),
        only_b=_in_words(alone_b, place_b, clean),
        alone=(len(alone_a), len(alone_b)),
        unmeasured=(
            ("A", _in_words(_unmeasured(plans[0], of_a.values()), place_a, clean)),
            ("B", _in_words(_unmeasured(plans[1], of_b.values()), place_b, clean)),
        ),
    )


def partners(a: Plan, b: Plan) -> dict[int, int]:
    """Server of B -> server of A."""
    of_a, of_b = ([target.server_id for target in plan.targets] for plan in (a, b))
    further_a, further_b = [pk for pk in of_a if pk not in of_b], [pk for pk in of_b if pk not in of_a]
    return dict(zip(further_b, further_a, strict=True)) if len(further_a) == len(further_b) == 1 else {}


def _key(point: Point | PointKey, partner: Mapping[int, int] = {}) -> PointKey:
    server_id = partner.get(point.server_id, point.server_id)
    return PointKey(server_id, point.variant, point.workload, point.threads)


def _unmeasured(plan: Plan, measured: Iterable[Point]) -> list[PointKey]:
    """Points of the plan without a measurement: they failed, were cancelled, or wait."""
    known = {_key(point) for point in measured}
    planned = (
        PointKey(one.target.server_id, one.variant.name, one.workload.label, one.threads) for one in plan.cells()
    )
    return sorted(dict.fromkeys(key for key in planned if key not in known), key=lambda key: key.threads)


def _in_words(
    alone: Iterable[Point | PointKey], named: Mapping[tuple[str, int], VariantPlace], clean: Callable[[str], str]
) -> tuple[str, ...]:
    """Variants that lack the same numbers of threads are named together."""
    threads = grouped(
        ((clean(point.workload), named[point.variant, point.server_id].name), point.threads) for point in alone
    )
    alike = grouped(((workload, tuple(found)), name) for (workload, name), found in threads.items())
    return tuple(
        f"{listed(variants)} at {listed([*map(str, found[:-1]), at(found[-1])])} ({workload})"
        for (workload, found), variants in alike.items()
    )


def environments_of_runs(pairs: Iterable[PointPair]) -> list[tuple[int, int]]:
    """Ids of the environments of A and B, for each pair."""
    first = [(pair.a.run_ids[0], pair.b.run_ids[0]) for pair in pairs]
    of_run = dict(Run.objects.filter(pk__in=[pk for both in first for pk in both]).values_list("pk", "environment_id"))
    return [(of_run[a], of_run[b]) for a, b in first]


def environments(ids: Iterable[tuple[int, int]]) -> list[list[EnvironmentFacts]]:
    """Each combination of an environment of A and one of B once."""
    combinations = list(dict.fromkeys(ids))
    known = Environment.objects.in_bulk({pk for both in combinations for pk in both})
    return [[known[a].known, known[b].known] for a, b in combinations]
