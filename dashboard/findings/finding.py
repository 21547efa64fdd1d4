"""The first sentence of a result: the finding with its interval, or why there is none."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.headline import Headline
from dashboard.findings.per_commit import FILES
from dashboard.findings.point import Point, ThroughputRatio
from dashboard.records.experiments.models import Cell, Experiment
from dashboard.text.numbers import CONFIDENCE, at, ms, sig
from dashboard.text.ratios import is_wide, rounded, times_as_fast
from workers.analysis.compare import Decision
from workers.analysis.statistics import MIN_REPEATS

TOO_FEW = f"Measure at least {MIN_REPEATS} repeats to compare them."


@dataclass(frozen=True)
class CellProgress:
    """Cells of the experiment. `error`: why it ended early, if it did."""

    cells: int
    measured: int
    is_over: bool
    error: str = ""


def progress(experiment: Experiment, states: Iterable[str], clean: Callable[[str], str] = str) -> CellProgress:
    """`states`: of all cells. `clean`: removes from the error what this reader may not see."""
    known = list(states)
    return CellProgress(len(known), known.count(Cell.State.DONE), experiment.is_over, clean(experiment.error))


@dataclass(frozen=True)
class Finding:
    """`interval` is the 95 % interval of the number in `text`, "" if there is none; `more`: further sentences."""

    text: str
    interval: str = ""
    more: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return f"{self.text} ({self.interval})." if self.interval else f"{self.text}."

    @property
    def sentences(self) -> tuple[str, ...]:
        return (self.sentence, *self.more)


@dataclass(frozen=True)
class Pair:
    """The two points of the headline on one server; None: not measured. `names`: of variant and baseline, as the reader
    may see them."""

    main: Headline
    server_id: int
    server: str
    of: Point | None
    base: Point | None
    ratio: ThroughputRatio | None
    names: tuple[str, str]
    where: str  # "At 8 threads"; with the server's name where the page shows several

    @property
    def measured(self) -> list[tuple[str, Point]]:
        """(Name, point), the baseline first."""
        named = zip(reversed(self.names), (self.base, self.of), strict=True)
        return [(name, point) for name, point in named if point]


def pairs(
    main: Headline,
    servers: Mapping[int, str],
    points: Iterable[Point],
    ratios: Mapping[int, ThroughputRatio | None],
    clean: Callable[[str], str],
) -> list[Pair]:
    """One for each of `servers`: id -> name. `points`: of one workload; `ratios`: server id -> the plan's own."""
    known = {(one.server_id, one.variant): one for one in points if one.threads == main.threads}
    return [
        Pair(
            main=main,
            server_id=pk,
            server=name,
            of=known.get((pk, main.variant)),
            base=known.get((pk, main.baseline)),
            ratio=ratios.get(pk),
            names=(clean(main.variant), clean(main.baseline)),
            where=f"At {at(main.threads)}" + (f" on {name}" if len(servers) > 1 else ""),
        )
        for pk, name in servers.items()
    ]


def finding(found: Sequence[Pair], counts: str, progress: CellProgress) -> Finding:
    """The comparison of the plan's headline on the first server; the other servers follow. `found` is empty if nothing
    was measured; `counts`: the unit of the throughput."""
    if not found:
        return _nothing(progress)
    first, *others = found
    said = _told(first, counts, progress.is_over)
    elsewhere = [_told(pair, counts, progress.is_over).sentence for pair in others]
    more = [*said.more, *elsewhere, *_anatomy(first.measured, first.where), *_disturbed(first.measured)]
    if progress.measured < progress.cells:
        more.append(f"{progress.measured} of {progress.cells} measurements were made.")
    return Finding(said.text, said.interval, tuple(more))


def _nothing(progress: CellProgress) -> Finding:
    text = "Nothing was measured" if progress.is_over else "Nothing has been measured yet"
    return Finding(text, more=(progress.error,) if progress.error else ())


def _told(pair: Pair, counts: str, is_over: bool) -> Finding:
    if not pair.of or not pair.base:
        return _one(pair, counts, is_over)
    if pair.ratio is None:
        return Finding(f"{pair.where} {pair.names[0]} or {pair.names[1]} made no {counts} at all")
    told = compared(pair.ratio, pair.names, pair.where)
    return told or _few(pair, pair.ratio.decision, _figures(counts, pair.names, pair.of, pair.base))


def compared(ratio: ThroughputRatio, names: tuple[str, str], where: str) -> Finding | None:
    """The ratio of two points in words; None if there are too few repeats."""
    if ratio.decision == "differs":
        return _difference(ratio, names, where)
    if ratio.decision not in ("no difference shown", "not decidable"):
        return None
    times = f"{ratio.in_words[1]} times that of {names[1]} ({CONFIDENCE} confidence interval)"
    more = [f"The throughput of {names[0]} is {times}."]
    if ratio.decision == "not decidable":
        excludes_1 = ratio.lo is not None and ratio.hi is not None and not ratio.lo <= 1 <= ratio.hi
        more += ["Among so many comparisons this can be chance."] if excludes_1 else []
        more.append("More repeats narrow the interval.")
    return Finding(f"{where} {alike_or_unclear(ratio, names)}", more=tuple(more))


def alike_or_unclear(ratio: ThroughputRatio, names: tuple[str, str]) -> str:
    """Of two points that were not shown to differ: about equal, or open because the interval is wide."""
    one, other = names
    if ratio.decision == "no difference shown" and ratio.lo and ratio.hi and not is_wide(ratio.lo, ratio.hi):
        return f"{one} and {other} are about equally fast"
    return f"the measurements vary too much to tell whether {one} or {other} is faster"


def _difference(ratio: ThroughputRatio, names: tuple[str, str], where: str) -> Finding:
    """The faster one first, even if it is the baseline."""
    value, lo, hi = ratio.value, ratio.lo, ratio.hi
    faster, slower = names
    if value < 1 and lo and hi:  # a significant ratio has an interval
        value, lo, hi = 1 / value, 1 / hi, 1 / lo
        faster, slower = slower, faster
    text = f"{where} {faster} is {times_as_fast(value, lo, hi)} as {slower}"
    return Finding(text, rounded(value, lo, hi)[1])


def _few(pair: Pair, decision: Decision, figures: str) -> Finding:
    if decision == "measured once":
        return Finding(f"{pair.where} {figures}", more=(TOO_FEW,))
    text = f"{pair.where} too few repeats were measured to judge whether {pair.names[0]} differs from {pair.names[1]}"
    return Finding(text, more=(f"{figures}.", TOO_FEW))


def _figures(counts: str, names: tuple[str, str], one: Point, other: Point) -> str:
    """0/0 made 6,000 commits per second in 1 repeat, 1/1 1,000 in 1 repeat."""
    of, base = (
        f"{sig(point.tps)}{what} in {point.repeats} repeat{'s' if point.repeats > 1 else ''}"
        for point, what in ((one, f" {counts} per second"), (other, ""))
    )
    return f"{names[0]} made {of}, {names[1]} {base}"


def _one(pair: Pair, counts: str, is_over: bool) -> Finding:
    """The throughput of the measured point, if there is nothing to compare."""
    missing = [name for name, point in zip(pair.names, (pair.of, pair.base), strict=True) if not point and name]
    if not pair.measured:
        when = "was not measured" if is_over else "is not measured yet"
        return Finding(f"{pair.where} {' or '.join(missing)} {when}")
    name, point = pair.measured[0]
    text = f"{pair.where} {name} makes {sig(point.tps)} {counts} per second"
    absent = f"There is no comparison: {missing[0]} was not measured there." if missing else ""
    return Finding(text, between(point.lo, point.hi, 3), (absent,) if absent else ())


def _anatomy(told: Sequence[tuple[str, Point]], where: str) -> list[str]:
    """The cause of the difference, as far as sources counted it."""
    parts = [f"{fsyncs} with {name}" for name, point in told if (fsyncs := _fsyncs(point))]
    groups = [f"{sig(point.group.value, 2)} with {name}" for name, point in told if point.group]
    sentences = [f"{where} a commit needs {', '.join(parts)}."] if len(parts) == len(told) and parts else []
    if groups:
        sentences.append(
            f"{where} one write to the binary log holds this many commits on average: {', '.join(groups)}."
        )
    waits = [f"{ms(one.replica_wait_ms.value)} with {name}" for name, one in told if one.replica_wait_ms]
    if waits:
        sentences.append(f"{where} a wait for the answer of a replica takes {', '.join(waits)}.")
    return sentences


def _fsyncs(point: Point) -> str:
    kinds = [f"{sig(one.value, 2)} {FILES.get(name, name)}" for name, one in point.fsyncs.items() if name != "data"]
    return f"{' and '.join(kinds)} fsyncs" if kinds else ""


def _disturbed(told: Sequence[tuple[str, Point]]) -> list[str]:
    stalled = [f"{name} stood still for {point.stalls.seconds} s in all." for name, point in told if point.stalls.count]
    drifting = [name for name, point in told if point.settled is False]
    return stalled + [f"{name} had not settled: a longer warm-up would help." for name in drifting]


def between(lo: float | None, hi: float | None, digits: int) -> str:
    """An interval; "" if none is known."""
    return "" if lo is None or hi is None else f"{sig(lo, digits)} to {sig(hi, digits)}"
