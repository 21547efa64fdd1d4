"""Kill points: during a recorded load the server is stopped at random moments, and its files are written out.

A kill takes the memory of the server, and leaves every byte that its files were given. So everything recorded until its
files were written out is what a kill at that moment leaves. Flushes of such a recording come more often than those of
the server, so it is used for no power loss.

A write or flush that is under way ends before the files are written out. Asynchronous writes that the kernel has
accepted count if they have reached the disk by then: after a kill they may or may not, and no acknowledged commit waits
for them.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from time import monotonic, monotonic_ns

from workers.crash.chain import Prepared
from workers.crash.points.story import KILLED
from workers.sandbox.disk.recording.joint import JointChoice, JointPoint, JointStates
from workers.sandbox.disk.recording.points import Reached

NO_MAP = Reached(0, 0)  # a kill takes nothing of the logs that was written


def stop_often(prepared: Prepared, run_for: Callable[[float], None]) -> tuple[tuple[int, ...], str]:
    """The moments at which the server stood still, on the clock of the disks, and what the stops took, in words.
    `run_for`: the load goes on for so many seconds."""
    gaps, stops, took = _gaps_s(prepared.setup.seed, prepared.setup.load_s, prepared.setup.points), list[int](), []
    run_for(next(gaps))
    for gap_s in gaps:
        began = monotonic()
        stops.append(_stop(prepared))
        took.append(monotonic() - began)
        run_for(gap_s)
    each = f"{1000 * median(took):.1f} ms each (median), {1000 * max(took):.1f} ms at most" if took else "none"
    return tuple(stops), f"{len(stops):,} stops, {each}"


def kill_points_of(states: JointStates, stops: Sequence[int], seed: int) -> list[JointChoice]:
    """In a drawn order. Of stops with the same content the last one counts, because then the most was acknowledged."""
    joint_states = [_at(states, at_ns) for at_ns in stops if states.began_ns < at_ns < states.end_ns]
    found = list({one.state.digests: one for one in joint_states}.values())
    random.Random(seed).shuffle(found)  # noqa: S311
    return found


def _at(states: JointStates, at_ns: int) -> JointChoice:
    """What was acknowledged before the server went on must be there."""
    state = states.at(JointPoint(at_ns, (KILLED,) * len(states.disks)))
    return JointChoice(replace(state, since_ns=at_ns, until_ns=at_ns), "at a random moment", NO_MAP, new=True)


def _gaps_s(seed: int, load_s: float, count: int) -> Iterator[float]:
    """How long the load runs before, between and after its stops."""
    drawn = random.Random(seed)  # noqa: S311
    moments = sorted(drawn.uniform(0, load_s) for _ in range(count))
    return (after - before for before, after in pairwise((0.0, *moments, load_s)))


def _stop(prepared: Prepared) -> int:
    server = prepared.scene.sandbox
    server.freeze(between_calls=True)
    for disk in prepared.scene.disks:
        disk.write_out()
    at_ns = monotonic_ns()
    server.go_on()
    return at_ns
