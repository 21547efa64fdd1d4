"""One load from several sysbench processes: threads are split before, results merged after. Percentiles come from the
added histograms, because percentiles cannot be averaged.

Clocks of different hosts are never compared. Each part reports, by its own clock, when its load began after the barrier
opened, and how late it may have learned of the opening (`trip_s`), which bounds the error.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

from workers.bench import histogram
from workers.bench.load import LoadRequest, LoadResult, LoadSecond
from workers.errors import LoadError

LEAST_SECOND_S = 0.5  # a shorter rest is a part of the second before it
PRINTED_MS = 0.0005  # sysbench prints a bucket's middle with three decimals
STEP = histogram.HALF_STEP**2
LEAST_MS = 0.001
STEPS = 1024
RATES = ("tps", "qps", "writes", "errors")

Span = tuple[float, float, LoadSecond]  # from, to (seconds after the first part began), and the rates between


@dataclass(frozen=True)
class PartLoad:
    """The result of one process. `by`: its worker; `began_s`: from its news of the open barrier to its first
    transaction; `trip_s`: the news came at most so late."""

    by: str
    began_s: float
    trip_s: float
    load: LoadResult


def split(request: LoadRequest, parts: int) -> tuple[LoadRequest, ...]:
    """Evenly split threads. Each part has its own seed, because equal seeds repeat each other's updates."""
    each, more = divmod(request.threads, parts)
    shares = [each + (number < more) for number in range(parts)]
    return tuple(
        replace(
            request,
            threads=share,
            seed=random.Random(f"{request.seed} {number}").randrange(1, 2**31) if number else request.seed,  # noqa: S311
            first_thread=sum(shares[:number]),
            all_threads=request.threads,
        )
        for number, share in enumerate(shares)
    )


def merge(parts: Sequence[PartLoad]) -> LoadResult:
    """Counts are added. The elapsed time is that of the slowest part, so throughput is all work in that time. Raises
    LoadError when the parts measured different transactions."""
    loads = [part.load for part in parts]
    if len({load.rows_per_transaction for load in loads}) > 1:
        raise LoadError("The parts of the load ran different transactions.", "Update Durascope on all workers.")
    transactions = sum(load.transactions for load in loads)
    slowest_ms, buckets = max(load.latency_max_ms for load in loads), added([load.histogram for load in loads])
    return LoadResult(
        argv=loads[0].argv,
        transactions=transactions,
        rows_per_transaction=loads[0].rows_per_transaction,
        elapsed_s=max(load.elapsed_s for load in loads),
        seconds=tuple(by_second(parts)),
        histogram=buckets,
        latency_avg_ms=sum(load.latency_avg_ms * load.transactions for load in loads) / max(1, transactions),
        latency_max_ms=slowest_ms,
        errors=sum(load.errors for load in loads),
        output="\n".join(f"--- part {number} of {len(loads)}\n{load.output}" for number, load in enumerate(loads, 1)),
        percentiles_ms=histogram.percentiles(buckets, slowest_ms),
    )


def added(histograms: Sequence[histogram.Buckets]) -> histogram.Buckets:
    """Added bucket by bucket. Raises LoadError for a bucket that sysbench does not have."""
    for edge, _ in (bucket for buckets in histograms for bucket in buckets):
        if not _is_of_sysbench(edge):
            raise LoadError(
                f"A histogram has a bucket up to {edge:g} ms, which sysbench does not have.",
                "Install the same version of sysbench on all workers.",
            )
    return histogram.added(histograms)


def _is_of_sysbench(edge: float) -> bool:
    """Whether the nearest bucket of sysbench is equal but for the printed decimals."""
    middle = edge / histogram.HALF_STEP
    if middle <= 0:
        return False
    step = round(math.log(middle / LEAST_MS) / math.log(STEP))
    return 0 <= step < STEPS and abs(middle - LEAST_MS * STEP**step) <= PRINTED_MS * 1.01


def by_second(parts: Sequence[PartLoad]) -> Iterator[LoadSecond]:
    """The rates of all parts, second by second since the first part began. A part's second is spread over the seconds
    that it overlaps. Percentiles of seconds cannot be added, so they are not known."""
    spans = [span for part in parts for span in _spans(part, min(one.began_s for one in parts))]
    for start, end in pairwise(_edges(max((to for _, to, _ in spans), default=0.0))):
        rates = {name: _count(spans, start, end, attrgetter(name)) for name in RATES}
        yield LoadSecond(t_s=end, p95_ms=None, **{name: count / (end - start) for name, count in rates.items()})


def _spans(part: PartLoad, zero_s: float) -> Iterator[Span]:
    late_s = part.began_s - zero_s
    ends = [0.0, *(second.t_s for second in part.load.seconds)]
    for (start, end), second in zip(pairwise(ends), part.load.seconds, strict=True):
        yield late_s + start, late_s + end, second


def _edges(end_s: float) -> list[float]:
    whole = [float(second) for second in range(math.floor(end_s) + 1)]
    if end_s - whole[-1] >= LEAST_SECOND_S or len(whole) == 1:
        return [*whole, end_s] if end_s > whole[-1] else whole
    return [*whole[:-1], end_s]


def _count(spans: Sequence[Span], start: float, end: float, rate: Callable[[LoadSecond], float]) -> float:
    overlaps = ((max(0.0, min(end, to) - max(start, begin)), second) for begin, to, second in spans)
    return sum(length * rate(second) for length, second in overlaps)


def common_tps(parts: Sequence[PartLoad]) -> float | None:
    """Throughput while all parts were loading; None when they never were."""
    zero_s = min(part.began_s for part in parts)
    start = max(part.began_s for part in parts) - zero_s
    end = min(part.began_s + part.load.elapsed_s for part in parts) - zero_s
    spans = [span for part in parts for span in _spans(part, zero_s)]
    return _count(spans, start, end, lambda second: second.tps) / (end - start) if end > start else None


def started_within_s(parts: Sequence[PartLoad]) -> float:
    """An upper bound of the time between the begin of the first and of the last part."""
    begins = [part.began_s for part in parts]
    return max(begins) - min(begins) + max(part.trip_s for part in parts)
