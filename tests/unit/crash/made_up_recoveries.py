"""Made-up recoveries of a small recording: which contents of its disk violate."""

from types import SimpleNamespace

from tests.unit.crash.recorded_states import state
from tests.unit.sandbox.recordings import Written
from workers.crash.points.recorded import words_of
from workers.crash.points.violations import different, violations_of
from workers.crash.setup_and_result import Timeline
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.filemap import Extent, FileMap
from workers.sandbox.disk.recording.joint import of_one
from workers.sandbox.disk.recording.points import ChosenPoint, Reached
from workers.sandbox.disk.recording.states import CrashPoint, States

FILES = FileMap([Extent(1, 1, 8 * BLOCK_BYTES, "data/ib_logfile0")])
BEFORE_THE_FLUSH = 6  # events: the first write and its flush, three writes


class Judge:
    """`fails` takes block number -> its byte, of blocks that are not empty, and returns the checks that fail."""

    def __init__(self, fails, told=None, cancelled=lambda: False):
        self.load = SimpleNamespace(
            timeline=Timeline([].append if told is None else told.append, cancelled), more=(), disks=("data",),
            keeps=keeps,
        )  # fmt: skip
        self._fails = fails

    def attempt(self, lane, choice, contents):
        (blocks,) = contents
        return state(0.1, *self._fails({number: bytes(block)[:1] for number, block in blocks.items() if any(block)}))


def recorded(folder) -> States:
    written = Written(folder)
    written.write(0, b"a")
    written.flush()
    for block, byte in ((2, b"x"), (1, b"y"), (3, b"z")):  # not in the order of their numbers
        written.write(block, byte)
    written.flush()
    for block, byte in ((4, b"l"), (5, b"m"), (0, b"b"), (0, b"c")):
        written.write(block, byte)
        written.flush()
    return States(written.load())


def choice(states, keeps, moment=BEFORE_THE_FLUSH):
    return of_one(ChosenPoint(states.at(CrashPoint(moment, keeps)), "after a flush", Reached(0, 0), True))


def tried(of, *bad):
    """A violation of this choice."""
    (point,) = of.state.points
    return state(0.1, *bad, moment=point.moment, keeps=keeps(of.state), way=of.way), of


def keeps(of):
    return words_of(of.points[0].keeps)


def kinds_of(all_tried):
    return different(violations_of(all_tried))
