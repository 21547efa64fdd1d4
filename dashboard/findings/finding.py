"""The sentence on top of a result page: what was found, with its interval, or why nothing can be said."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dashboard.findings.analysis import HeadlineRatio
from dashboard.findings.counted import counted
from dashboard.findings.headline import Headline, headline
from dashboard.findings.point import Point, Ratio
from dashboard.findings.shown import Shown
from dashboard.records.experiments.models import Cell, Experiment
from dashboard.text.numbers import at, sig
from workers.analysis.statistics import MIN_REPEATS

TOO_FEW = f"Measure at least {MIN_REPEATS} repeats to compare them."


@dataclass(frozen=True)
class Progress:
    """Cells of the experiment. `error`: why it ended early, if it did."""

    cells: int
    measured: int
    is_over: bool
    error: str = ""


def progress(experiment: Experiment, states: Iterable[str], clean: Callable[[str], str] = str) -> Progress:
    """`states`: of all cells. `clean`: takes out of the error what this reader may not see."""
    known = list(states)
    return Progress(len(known), known.count(Cell.State.DONE), experiment.is_over, clean(experiment.error))


@dataclass(frozen=True)
class Finding:
    """`interval` is the 95 % interval of the number in `text`, "" where there is none; `more`: further sentences."""

    text: str
    interval: str = ""
    more: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return f"{self.text} ({self.interval})." if self.interval else f"{self.text}."


@dataclass(frozen=True)
class Pair:
    """The two points of the headline on one server, under the names that the reader knows; None: not measured."""

    server_id: int
    of: Point | None
    base: Point | None
    ratio: Ratio | None
    names: tuple[str, str]
    where: str  # "At 8 threads"; with the server's name where the page shows several

    @property
    def measured(self) -> list[Point]:
        return [point for point in (self.base, self.of) if point]


def finding(shown: Shown, progress: Progress) -> Finding:
    """What the plan's headline asks, on the first server; the other servers follow."""
    if not shown.points:
        return _nothing(progress)
    first, *others = pairs(shown, headline(shown.plan))
    found = _told(shown, first, progress.is_over)
    part = f"{progress.measured} of {progress.cells} cells were measured." if progress.measured < progress.cells else ""
    elsewhere = [_told(shown, pair, progress.is_over).sentence for pair in others]
    more = (*found.more, *elsewhere, *_anatomy(shown, first.measured), *_disturbed(shown, first.measured), part)
    return Finding(found.text, found.interval, tuple(sentence for sentence in more if sentence))


def pairs(shown: Shown, main: Headline) -> list[Pair]:
    """One for each server that the page shows, in the plan's order."""
    ids = [server for server in shown.names if shown.server_id in (None, server)]
    return [_pair(shown, main, server, len(ids) > 1) for server in ids]


def _pair(shown: Shown, main: Headline, server_id: int, several: bool) -> Pair:
    here = {p.variant: p for p in shown.points if (p.server_id, p.threads) == (server_id, main.threads)}
    known = [one for one in shown.analysis.headline if _is_of(one, server_id, shown.workload)]
    return Pair(
        server_id=server_id,
        of=here.get(main.variant),
        base=here.get(main.baseline),
        ratio=known[0].ratio if known else None,
        names=(shown.clean(main.variant), shown.clean(main.baseline)),
        where=f"At {at(main.threads)}" + (f" on {shown.names[server_id]}" if several else ""),
    )


def _is_of(one: HeadlineRatio, server_id: int, workload: str) -> bool:
    return (one.server_id, one.workload) == (server_id, workload)


def _nothing(progress: Progress) -> Finding:
    text = "Nothing was measured" if progress.is_over else "Nothing has been measured yet"
    return Finding(text, more=(progress.error,) if progress.error else ())


def _told(shown: Shown, pair: Pair, is_over: bool) -> Finding:
    if not pair.of or not pair.base:
        return _one(shown, pair, is_over)
    if pair.ratio is None:
        return Finding(f"{pair.where} {pair.names[0]} or {pair.names[1]} made no {_what(shown)} at all")
    told = compared(pair.ratio, pair.names, pair.where)
    return told or _few(pair, pair.ratio, _figures(shown, pair.names, pair.of, pair.base))


def compared(ratio: Ratio, names: tuple[str, str], where: str) -> Finding | None:
    """What the ratio of two points says; None where there are too few repeats to say anything."""
    decision = ratio.decision
    more: tuple[str, ...] = ()
    if decision == "differs":
        return _difference(ratio, names, where)
    if decision in ("no difference shown", "not decidable"):
        text = f"no difference between {names[0]} and {names[1]} was found"
        if decision == "not decidable":
            text = f"it is not decidable whether {names[0]} differs from {names[1]}"
            more = ("More repeats narrow the interval.",)
        return Finding(f"{where} {text}", more=(_reach(ratio, names), *more))
    return None


def _difference(ratio: Ratio, names: tuple[str, str], where: str) -> Finding:
    """The faster one first, whichever is the baseline."""
    value, lo, hi = ratio.value, ratio.lo, ratio.hi
    faster, slower = names
    if value < 1 and lo and hi:  # what differs has an interval
        value, lo, hi = 1 / value, 1 / hi, 1 / lo
        faster, slower = slower, faster
    digits = 2 if value >= 2 else 3
    return Finding(f"{where} {faster} is {sig(value, digits)} times as fast as {slower}", _range(lo, hi, digits))


def _reach(ratio: Ratio, names: tuple[str, str]) -> str:
    """How large a difference could still be."""
    return f"The throughput of {names[0]} is {_range(ratio.lo, ratio.hi, 3)} times that of {names[1]} (95 % CI)."


def _few(pair: Pair, ratio: Ratio, figures: str) -> Finding:
    """Fewer repeats than an interval needs: the figures alone."""
    if ratio.decision == "measured once":
        return Finding(f"{pair.where} {figures}", more=(TOO_FEW,))
    text = f"{pair.where} too few repeats were measured to judge whether {pair.names[0]} differs from {pair.names[1]}"
    return Finding(text, more=(f"{figures}.", TOO_FEW))


def _figures(shown: Shown, names: tuple[str, str], one: Point, other: Point) -> str:
    """0/0 made 6,000 commits per second in 1 repeat, 1/1 1,000 in 1 repeat."""
    of, base = (
        f"{sig(point.tps)}{what} in {point.repeats} repeat{'s' if point.repeats > 1 else ''}"
        for point, what in ((one, f" {_what(shown)} per second"), (other, ""))
    )
    return f"{names[0]} made {of}, {names[1]} {base}"


def _one(shown: Shown, pair: Pair, is_over: bool) -> Finding:
    """The throughput of the point that is there, where there is nothing to compare."""
    missing = [name for name, point in zip(pair.names, (pair.of, pair.base), strict=True) if not point and name]
    if not pair.measured:
        what = " or ".join(missing)
        return Finding(
            f"{pair.where} {what} was not measured" if is_over else f"{pair.where} {what} is not measured yet"
        )
    point = pair.measured[0]
    text = f"{pair.where} {shown.clean(point.variant)} makes {sig(point.tps)} {_what(shown)} per second"
    absent = f"There is no comparison: {missing[0]} was not measured there." if missing else ""
    return Finding(text, _range(point.lo, point.hi, 3), (absent,) if absent else ())


def _what(shown: Shown) -> str:
    return counted(shown.plan, shown.workload)


def _anatomy(shown: Shown, told: Sequence[Point]) -> list[str]:
    """Where the difference comes from, as far as sources tell."""
    parts = [f"{shown.clean(p.variant)} makes {fsyncs}" for p in told if (fsyncs := _fsyncs(p))]
    groups = [f"{sig(p.group.value, 2)} commits in {shown.clean(p.variant)}" for p in told if p.group]
    sentences = [f"Per commit {' and '.join(parts)}."] if len(parts) == len(told) and parts else []
    return sentences + ([f"A binlog group holds {' and '.join(groups)}."] if groups else [])


def _fsyncs(point: Point) -> str:
    kinds = [f"{sig(one.value, 2)} {name}" for name, one in point.fsyncs.items() if name != "data"]
    return f"{' and '.join(kinds)} fsyncs" if kinds else ""


def _disturbed(shown: Shown, told: Sequence[Point]) -> list[str]:
    stalled = [p for p in told if p.stalls.count]
    drifting = [p for p in told if p.settled is False]
    return [f"{shown.clean(p.variant)} stood still for {p.stalls.seconds} s in all." for p in stalled] + [
        f"{shown.clean(p.variant)} had not settled: a longer warm-up would help." for p in drifting
    ]


def _range(lo: float | None, hi: float | None, digits: int) -> str:
    return "" if lo is None or hi is None else f"{sig(lo, digits)} to {sig(hi, digits)}"
