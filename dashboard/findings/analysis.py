"""The statistics of an experiment's stored runs: worked out once, kept in `Experiment.analysis`.

The worker calls `analysis_of` when an experiment ends; pages call it too, and it works out again only what
changed since: another baseline, or other runs. The answer is plain JSON and holds no server's name or address.

    {"made_of": {...},                # what it rests on; another value makes it stale
     "baseline": "1/1",
     "points": [{"server_id", "variant", "workload", "threads", "run_ids", "cell_ids", "repeats", "seconds",
                 "tps", "lo", "hi",                         # of what it counts, per second; 95 % interval or None
                 "settled",                                 # False: still climbing or falling; None: cannot tell
                 "stalls": {"count", "seconds", "longest_s"},
                 "latency_ms": {"p50", "p95", "p99", "p99.9", "max"},   # of all repeats together
                 "transactions", "errors",                  # as sysbench counts them
                 "counts",                                  # what tps and transactions are a number of
                 "commits",                                 # None: nobody counted them
                 "fsyncs": {"redo": {"value", "source", "note"}, ...},  # per commit; only what is known
                 "group": {"value", "source", "note"} | None,           # commits per binlog group
                 "group_wait": {"value", "source", "note"} | None,      # ms per commit, for the group's leader
                 "missing": [...],                          # why sources had nothing to say
                 "fsync_latency": {"redo": {"source", "calls", "total_ms", "max_ms", "buckets"}},
                 "contradictions": [{"files", "says"}],     # between the sources, of each log
                 "ratio": {"value", "lo", "hi", "p", "decision"} | None}],  # to the baseline; None: nothing there
     "headline": [{"server_id", "workload", "ratio"}],       # of the plan's pair, whatever the baseline here
     "lines": [...],                                          # what points say together: dashboard.findings.line_models
     "devices": [...]}                                          # fsync by size: dashboard.findings.device_models
"""

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from django.db.models import Count, Max

from dashboard.experiments.models import Experiment, Run
from dashboard.findings import contradictions, per_commit, probed
from dashboard.findings import line_models as models
from dashboard.findings.device_models import devices
from dashboard.findings.headline import Headline, headline
from dashboard.findings.points import Point, PointKey, points
from workers.analysis import compare, latency, statistics
from workers.analysis.blocks import Sample
from workers.analysis.stalls import stalls
from workers.analysis.steady import settled
from workers.bench import histogram

K = TypeVar("K", bound=Hashable)
_METHOD = 8  # raise it when the statistics change, so that stored answers are made again


def analysis_of(
    experiment: Experiment, baseline: str | None = None, made_of: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The analysis against a baseline variant (default: the plan's), from the store where it is still true. `made_of`:
    what it rests on now, where somebody asked that for many at once."""
    chosen = baseline_of(experiment, baseline)
    made_of = made_of or made_of_each([experiment.pk])[experiment.pk]
    stored = experiment.analysis.get(chosen)
    if stored and stored["made_of"] == made_of:
        return stored
    fresh = {name: one for name, one in experiment.analysis.items() if one["made_of"] == made_of}
    experiment.analysis = {**fresh, chosen: analyse(experiment, chosen)}
    Experiment.objects.filter(pk=experiment.pk).update(analysis=experiment.analysis)
    return experiment.analysis[chosen]


def baseline_of(experiment: Experiment, asked: str | None) -> str:
    """The variant that ratios refer to: the asked one if the plan has it, else the experiment's, else the first."""
    names = [variant["name"] for variant in experiment.plan["variants"]]
    return next((name for name in (asked, experiment.baseline) if name in names), names[0] if names else "")


def analyse(experiment: Experiment, baseline: str) -> dict[str, Any]:
    """Work the statistics out from the stored runs; nothing is stored."""
    made_of = made_of_each([experiment.pk])[experiment.pk]
    measured = points(experiment)
    seconds = {point.key: point.seconds() for point in measured}
    ratios = _ratios(seconds, baseline)
    main = headline(experiment.plan)
    planned = ratios if baseline == main.baseline else _ratios(seconds, main.baseline)
    described = [{**describe(one, seconds[one.key]), "ratio": ratios.get(one.key)} for one in measured]
    return {
        "made_of": made_of,
        "baseline": baseline,
        "points": described,
        "headline": _headlines(main, planned),
        "lines": models.lines(described),
        "devices": devices(probed.each(experiment.probes.order_by("id").values_list("server_id", "data"))),
    }


def made_of_each(experiment_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """Experiment id -> what its analysis rests on; one query for all of them."""
    done = Run.objects.counted().filter(cell__experiment__in=experiment_ids).order_by()
    counted = done.values_list("cell__experiment").annotate(Count("id"), Max("id"), Max("probe_id"))
    found = {experiment_id: rest for experiment_id, *rest in counted}
    names = ("runs", "last", "probe")
    return {
        pk: {"method": _METHOD, **dict(zip(names, found.get(pk, (0, None, None)), strict=True))}
        for pk in experiment_ids
    }


def describe(point: Point, seconds: Sample) -> dict[str, Any]:
    """Everything known of a point by itself."""
    mean = statistics.mean_tps(seconds) or statistics.Estimate(0.0)
    return {
        "server_id": point.key.server_id,
        "variant": point.key.variant,
        "workload": point.key.workload,
        "threads": point.key.threads,
        "run_ids": [run["id"] for run in point.runs],
        "cell_ids": [run["cell_id"] for run in point.runs],
        "repeats": len(point.runs),
        "seconds": sum(series.size for series in seconds.values()),
        "tps": mean.value,
        "lo": mean.lo,
        "hi": mean.hi,
        "settled": settled(seconds),
        "stalls": _stalls(seconds),
        "latency_ms": _latency_ms(point),
        "transactions": sum(run["transactions"] for run in point.runs),
        "errors": sum(run["errors"] for run in point.runs),
        "counts": point.runs[0]["counts"],
        "commits": per_commit.commits(point.runs)["value"],
        "fsyncs": per_commit.fsyncs_per_commit(point.runs),
        "group": per_commit.commits_per_group(point.runs),
        "group_wait": per_commit.group_wait(point.runs),
        "missing": per_commit.missing(point.runs),
        "fsync_latency": per_commit.fsync_latency(point.runs),
        "contradictions": contradictions.told(point.runs),
    }


def _latency_ms(point: Point) -> dict[str, float]:
    """Percentiles of all repeats together: histograms can be added up, percentiles cannot."""
    most = max(run["latency_ms"].get("max") or math.inf for run in point.runs)
    together = latency.merge(run["histogram"] or [] for run in point.runs)
    known = {"max": most} if math.isfinite(most) else {}
    return histogram.percentiles(list(together.items()), most) | known


def _stalls(seconds: Sample) -> dict[str, int]:
    found = [stall for series in seconds.values() for stall in stalls(series)]
    lengths = [stall.seconds for stall in found]
    return {"count": len(found), "seconds": sum(lengths), "longest_s": max(lengths, default=0)}


def _ratios(seconds: dict[PointKey, Sample], baseline: str) -> dict[PointKey, dict[str, Any] | None]:
    """Each point against the baseline's point of the same server, workload and threads."""
    return judged(
        {
            key: (seconds[key], seconds[key.of(baseline)])
            for key in seconds
            if key.variant != baseline and key.of(baseline) in seconds
        }
    )


def _headlines(main: Headline, ratios: Mapping[PointKey, dict[str, Any] | None]) -> list[dict[str, Any]]:
    return [
        {"server_id": key.server_id, "workload": key.workload, "ratio": ratio}
        for key, ratio in ratios.items()
        if (key.variant, key.threads) == (main.variant, main.threads)
    ]


def judged(pairs: Mapping[K, tuple[Sample, Sample]]) -> dict[K, dict[str, Any] | None]:
    """Ratio and decision of each comparison, adjusted for their number; None: one of the two has no throughput."""
    found = {key: statistics.compared(*pair) for key, pair in pairs.items()}
    adjusted = compare.adjusted([one.p if one else None for one in found.values()])
    return {
        key: _decided(one, p, min(map(len, pairs[key]))) if one else None
        for (key, one), p in zip(found.items(), adjusted, strict=True)
    }


def _decided(found: statistics.Ratio, p: float | None, repeats: int) -> dict[str, Any]:
    return {**asdict(found.estimate), "p": p, "decision": compare.decide(p, found.estimate, repeats)}
