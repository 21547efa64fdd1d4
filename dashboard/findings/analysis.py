"""The statistics of an experiment's stored runs: computed once, kept as JSON in `Experiment.analysis`.

The worker computes them when an experiment ends, and pages ask for them. They are computed again only for another
baseline, other runs or other probes. They contain no server names and no addresses.
"""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

from django.db.models import Count, Max, OuterRef, Q, Subquery

from dashboard.findings import contradictions, headline, per_commit, probed
from dashboard.findings.fitted import DeviceModel, LineModels, devices, lines
from dashboard.findings.point import Point, Stalls, ThroughputRatio
from dashboard.findings.points import Gathered, MeasuredRun, PointKey, points
from dashboard.installation.stored import read
from dashboard.records.experiments.models import Experiment, Probe
from dashboard.records.experiments.states import CellState
from workers.analysis import compare, statistics
from workers.analysis.blocks import Sample
from workers.analysis.stalls import stalls
from workers.analysis.steady import settled
from workers.bench import histogram

K = TypeVar("K", bound=Hashable)
MadeOf = Mapping[str, int | None]  # the method, the number of runs, the last run and the last probe
_METHOD = 19  # raise it when the statistics or their words change; then stored values are computed again
PER_SECOND = ("cpu_s", "disk_writes", "disk_flushes", "disk_written_bytes", "disk_busy_ms")
QUEUE = "run_queue"  # each run stores its mean


@dataclass(frozen=True)
class HeadlineRatio:
    """The ratio of the plan's headline on a server. It does not depend on the baseline of the analysis."""

    server_id: int
    workload: str
    ratio: ThroughputRatio | None


@dataclass(frozen=True)
class Analysis:
    """`made_of`: the runs and probes behind it; another value makes it stale."""

    made_of: MadeOf
    baseline: str
    points: tuple[Point, ...]
    headline: tuple[HeadlineRatio, ...]
    lines: tuple[LineModels, ...]
    devices: tuple[DeviceModel, ...]


def analysis_of(experiment: Experiment, baseline: str | None = None, made_of: MadeOf | None = None) -> Analysis:
    """The analysis against a baseline variant (default: the plan's). `made_of`: of now, for callers that
    read it for many experiments at once."""
    return read(Analysis, stored(experiment, baseline, made_of))


def stored(experiment: Experiment, baseline: str | None = None, made_of: MadeOf | None = None) -> dict[str, object]:
    """The same as JSON, computed again if the kept value is stale."""
    chosen = baseline_of(experiment, baseline)
    made_of = made_of or made_of_each([experiment.pk])[experiment.pk]
    kept: dict[str, object] | None = experiment.analysis.get(chosen)
    if kept and kept["made_of"] == made_of:
        return kept
    fresh = {name: one for name, one in experiment.analysis.items() if one["made_of"] == made_of}
    made = asdict(analyse(experiment, chosen))
    experiment.analysis = {**fresh, chosen: made}
    Experiment.objects.filter(pk=experiment.pk).update(analysis=experiment.analysis)
    return made


def baseline_of(experiment: Experiment, asked: str | None) -> str:
    """The variant that ratios refer to: the asked one if the plan has it, else the experiment's, else the first."""
    names = [variant.name for variant in experiment.as_plan().variants]
    return next((name for name in (asked, experiment.baseline, *names) if name and name in names), "")


def analyse(experiment: Experiment, baseline: str) -> Analysis:
    """Compute the statistics from the stored runs; nothing is stored."""
    made_of = made_of_each([experiment.pk])[experiment.pk]
    measured = points(experiment)
    seconds = {one.key: one.seconds() for one in measured}
    main = headline.headline(experiment.as_plan())
    ratios = _ratios(seconds, baseline, main)
    planned = ratios if baseline == main.baseline else _ratios(seconds, main.baseline, main)
    described = tuple(describe(one, seconds[one.key], ratios.get(one.key)) for one in measured)
    probes = experiment.probes.order_by("id").values_list("server_id", "data")
    return Analysis(
        made_of=made_of,
        baseline=baseline,
        points=described,
        headline=tuple(
            HeadlineRatio(key.server_id, key.workload, ratio)
            for key, ratio in planned.items()
            if (key.variant, key.threads) == (main.variant, main.threads)
        ),
        lines=tuple(lines(described)),
        devices=devices(probed.probed_devices(probes)),
    )


def made_of_each(experiment_ids: Collection[int]) -> dict[int, MadeOf]:
    """Experiment id -> the runs and probes behind its analysis; one query for all."""
    done = Q(cells__state=CellState.DONE)
    probes = Probe.objects.filter(experiment=OuterRef("pk")).order_by("-id").values("id")
    found = Experiment.everything.filter(pk__in=experiment_ids).order_by().values_list("pk")
    counted = found.annotate(
        runs=Count("cells__run", filter=done), last=Max("cells__run", filter=done), probe=Subquery(probes[:1])
    )
    return {pk: {"method": _METHOD, "runs": runs, "last": last, "probe": probe} for pk, runs, last, probe in counted}


def describe(point: Gathered, seconds: Sample, ratio: ThroughputRatio | None = None) -> Point:
    mean = statistics.mean_tps(seconds) or statistics.Estimate(0.0)
    committed = per_commit.commits(point.runs)
    return Point(
        **vars(point.key),
        run_ids=tuple(run.id for run in point.runs),
        cell_ids=tuple(run.cell_id for run in point.runs),
        repeats=len(point.runs),
        seconds=sum(series.size for series in seconds.values()),
        tps=mean.value,
        lo=mean.lo,
        hi=mean.hi,
        settled=settled(seconds),
        stalls=_stalls(seconds),
        latency_ms=_latency_ms(point),
        transactions=sum(run.transactions for run in point.runs),
        errors=sum(run.errors for run in point.runs),
        counts=point.runs[0].counts,
        commits=committed.value if committed else None,
        fsyncs=per_commit.fsyncs_per_commit(point.runs),
        group=per_commit.commits_per_group(point.runs),
        group_wait_ms=per_commit.group_wait_ms(point.runs),
        missing=tuple(per_commit.missing(point.runs)),
        fsync_latency=per_commit.fsync_latency(point.runs),
        contradictions=contradictions.of_runs(point.runs, point.key.threads),
        host=means_of_host(point.runs),
        ratio=ratio,
        replica_waits=per_commit.replica_waits(point.runs),
        replica_wait_ms=per_commit.replica_wait_ms(point.runs),
    )


def _latency_ms(point: Gathered) -> dict[str, float]:
    """Percentiles of all repeats together: histograms can be added, percentiles cannot."""
    most = max(run.latency_ms.get("max") or math.inf for run in point.runs)
    together = histogram.added(run.histogram for run in point.runs)
    known = {"max": most} if math.isfinite(most) else {}
    return histogram.percentiles(together, most) | known


def _stalls(seconds: Sample) -> Stalls:
    lengths = [stall.seconds for series in seconds.values() for stall in stalls(series.tolist())]
    return Stalls(len(lengths), sum(lengths), max(lengths, default=0))


def _ratios(
    seconds: dict[PointKey, Sample], baseline: str, main: headline.Headline
) -> dict[PointKey, ThroughputRatio | None]:
    """Each point against the baseline's point of the same server, workload and threads. The plan's headline is judged
    apart from the other comparisons: docs/models.md."""
    pairs = {
        key: (seconds[key], seconds[key.of(baseline)])
        for key in seconds
        if key.variant != baseline and key.of(baseline) in seconds
    }
    planned = {key: pair for key, pair in pairs.items() if main.compares(key.variant, baseline, key.threads)}
    return judged(planned) | judged({key: pair for key, pair in pairs.items() if key not in planned})


def judged(pairs: Mapping[K, tuple[Sample, Sample]]) -> dict[K, ThroughputRatio | None]:
    """Ratio and decision of each comparison, adjusted for the number of comparisons; None: one of the two has no
    throughput."""
    found = {key: statistics.compared(*pair) for key, pair in pairs.items()}
    adjusted = compare.adjusted([one.p if one else None for one in found.values()])
    return {
        key: _decided(one, p, min(map(len, pairs[key]))) if one else None
        for (key, one), p in zip(found.items(), adjusted, strict=True)
    }


def _decided(found: statistics.RatioEstimate, p: float | None, repeats: int) -> ThroughputRatio:
    one = found.estimate
    return ThroughputRatio(one.value, one.lo, one.hi, p, compare.decide(p, one, repeats))


def means_of_host(runs: Sequence[MeasuredRun]) -> dict[str, float]:
    """The mean of each figure over all measured seconds of a point. A figure that a run lacks is left out."""
    seconds = sum(run.elapsed_s for run in runs)
    over = {name: seconds for name in PER_SECOND} | {QUEUE: len(runs)}
    found = ((name, per_commit.total(runs, name), n) for name, n in over.items())
    return {name: summed.value / n for name, summed, n in found if summed and n}
