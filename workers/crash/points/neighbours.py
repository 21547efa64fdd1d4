"""Contents of the disks that are compared with a violation: the other ones of its moment, and those of later flushes.

Commits that are missing at a violation may become durable much later: at 2/1 the redo log is flushed once a second.
After the flush that made them durable they are never missing again. So bisection finds this flush.
"""

from collections.abc import Callable, Iterator, Sequence

from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import CrashPoint

NEXT_FLUSHES = 3
Points = tuple[CrashPoint, ...]  # of each disk


def neighbours(states: JointStates, bad: Sequence[CrashPoint]) -> Iterator[Points]:
    """Everything written by then, only what was durable, and what became durable next."""
    yield tuple(CrashPoint(one.moment, "written") for one in bad)
    yield tuple(CrashPoint(one.moment) for one in bad)
    later = [
        [end + 1 for _, end in disk.flushes if end >= one.moment][:NEXT_FLUSHES]
        for disk, one in zip(states.disks, bad, strict=True)
    ]
    for n in range(max(map(len, later))):
        yield tuple(
            CrashPoint((ends[n:] or ends[-1:] or [one.moment])[0]) for ends, one in zip(later, bad, strict=True)
        )


def later_flushes(states: JointStates, bad: Sequence[CrashPoint]) -> list[tuple[int, Points]]:
    """Each flush of a disk that ends after the violation: when, and only what was durable then. A disk of which
    everything was kept stays at that moment."""
    ends = [
        disk.recording.events[end].at_ns
        for disk, one in zip(states.disks, bad, strict=True)
        for _, end in disk.flushes
        if end >= one.moment
    ]
    return [(at_ns, tuple(_later(states, bad, at_ns))) for at_ns in sorted(ends)]


def _later(states: JointStates, bad: Sequence[CrashPoint], at_ns: int) -> Iterator[CrashPoint]:
    for disk, one in zip(states.disks, bad, strict=True):
        moment = disk.recording.moment(at_ns)
        yield CrashPoint(moment) if moment > one.moment else one


def is_durable(neighbour: Sequence[CrashPoint], bad: Sequence[CrashPoint]) -> bool:
    """Nothing unflushed got through."""
    return tuple(neighbour) == tuple(CrashPoint(one.moment) for one in bad)


def first(most: int, holds: Callable[[int], bool]) -> int:
    """The least number for which it holds, by bisection. It does not hold for 0, and it does for `most`."""
    no, yes = 0, most
    while yes - no > 1:
        middle = (no + yes) // 2
        no, yes = (no, middle) if holds(middle) else (middle, yes)
    return yes
