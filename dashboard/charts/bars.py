"""Lengths and places of bars to scale, in thousandths of the widest. The page draws them as SVG without styles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dashboard.records.experiments.trial_evidence import FoundSets
from workers.crash.setup_and_result import TrialStep, step_in_words

WIDTH, HEIGHT = 1000, 20
LEAST = 6  # the smallest part is still visible
AFTERWARDS = ("evidence", "replica", "checks")  # steps of a trial after the recovery


@dataclass(frozen=True)
class Rectangle:
    """`look` is a class of crash.css: kept, lost, extra, or a step's name."""

    look: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class BarPart(Rectangle):
    name: str
    value: float


@dataclass(frozen=True)
class Bar:
    name: str
    tip: str
    parts: tuple[BarPart, ...]
    known: bool = True
    also: str = ""  # in words only


Lengths = Sequence[tuple[str, str, float]]  # look, name and value of each part


def sets(found: FoundSets, acknowledged: int | None, lost_replica: int | None, engine: str) -> list[Bar]:
    """Acknowledged transactions, and how many of them engine, binlog and replica hold, on one scale. `engine`: its
    name."""
    told = acknowledged if found.acknowledged is None else found.acknowledged
    if told is None:
        return []
    held = {
        "engine": (found.acknowledged_in_engine, found.engine),
        "binlog": (found.acknowledged_in_binlog, found.binlog),
    }
    rows: dict[str, Lengths | None] = {
        "sent by the clients": [("kept", "acknowledged", told), ("extra", "in doubt", found.in_doubt or 0)],
        **{key: _holds(*counts, told) for key, counts in held.items()},
    }
    if lost_replica is not None:
        rows["replica"] = [("kept", "kept", told - lost_replica), ("lost", "lost", lost_replica)]
    scale = max([sum(value for _, _, value in row) for row in rows.values() if row] + [1])
    names = {"engine": engine, "binlog": "binary log"}
    return [
        Bar(
            names.get(key, key), TIPS[key], tuple(parts(row or [], scale)), row is not None,
            _of_doubtful(found.in_doubt, *held[key]) if key in held else "",
        )
        for key, row in rows.items()
    ]  # fmt: skip


TIPS = {
    "sent by the clients": "acknowledged: the server answered; in doubt: the crash came before the answer",
    "engine": "rows found in the tables after recovery",
    "binlog": "transactions found in the binary log after recovery",
    "replica": "commits that a promoted replica would hold",
}


def _holds(kept: int | None, all_of_it: int | None, told: int) -> Lengths | None:
    if kept is None:
        return None
    more = max(0, (all_of_it or kept) - kept)
    return [("kept", "kept", kept), ("lost", "lost", told - kept), ("extra", "not acknowledged", more)]


def _of_doubtful(in_doubt: int | None, kept: int | None, all_of_it: int | None) -> str:
    return f"of the {in_doubt:,} in doubt, 0 kept" if in_doubt and kept is not None and kept == all_of_it else ""


@dataclass(frozen=True)
class TimeLine:
    """`rows`: the steps from the load to the recovery with start and duration, on one scale. `folded`: the steps before
    and after, which would make the crash too small to see. `zero`: "load" or "trial", whose begin is 0 s."""

    rows: tuple[tuple[Bar, TrialStep], ...]
    folded: tuple[TrialStep, ...]
    zero: str

    @property
    def folded_s(self) -> float:
        return sum(step.took_s for step in self.folded)


def timeline(steps: Sequence[TrialStep], crash_at_s: float, recovery_s: float | None = None) -> TimeLine:
    """All steps, if the trial did not reach its load. `crash_at_s`: since the load began; the step after it.
    `recovery_s`: as the page tells it, until the first query was answered."""
    names = [step.name for step in steps]
    first = names.index("load") if "load" in names else 0
    shown = [step for step in steps[first:] if step.name not in AFTERWARDS]
    begin = zero = steps[first].at_s if steps else 0
    if crash_at_s and "load" in names[:-1]:
        zero = steps[first + 1].at_s - crash_at_s
    scale = max((step.at_s + step.took_s for step in shown), default=0) - begin or 1
    rows = tuple(
        (Bar(step_in_words(step.name), "", (_step(step, begin, scale),)), _since(step, zero, recovery_s))
        for step in shown
    )
    folded = tuple(step for step in steps if step not in shown)
    return TimeLine(rows, folded, "load" if "load" in names else "trial")


def _since(step: TrialStep, zero: float, recovery_s: float | None) -> TrialStep:
    """The load's own clock starts within its step, and that of the recovery ends within its step: a page shows both
    with one beginning and one end."""
    at_s, took_s = step.at_s - zero, step.took_s
    if step.name == "load":
        return replace(step, at_s=0.0, took_s=at_s + took_s)
    if step.name == "recovery" and recovery_s is not None:
        took_s = recovery_s
    return replace(step, at_s=max(at_s, 0), took_s=took_s)


def _step(step: TrialStep, begin: float, scale: float) -> BarPart:
    width = max(step.took_s / scale * WIDTH, LEAST)
    x = min((step.at_s - begin) / scale * WIDTH, WIDTH - width)
    return BarPart(step.name.replace(" ", "-"), round(x, 1), 0, round(width, 1), HEIGHT, step.name, step.took_s)


def parts(row: Lengths, scale: float) -> Iterable[BarPart]:
    """Parts that would be too small to see are widened at the cost of the largest, so rows of one sum end together."""
    shown = [part for part in row if part[2]]
    widths = [max(value / scale * WIDTH, LEAST) for _, _, value in shown]
    if shown:
        largest = widths.index(max(widths))
        widths[largest] = max(widths[largest] - sum(widths) + sum(value for *_, value in shown) / scale * WIDTH, LEAST)
    x = 0.0
    for (look, name, value), width in zip(shown, widths, strict=True):
        yield BarPart(look, round(x, 1), 0, round(width, 1), HEIGHT, name, value)
        x += width
