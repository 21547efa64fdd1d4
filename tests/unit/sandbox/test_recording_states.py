"""The contents that a power loss can leave, worked out from a recording: against the disk's own cache."""

import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.sandbox.recordings import Written
from workers.sandbox.disk.cache import Cache
from workers.sandbox.disk.image import BLOCK_BYTES, Image
from workers.sandbox.disk.recording.events import Kind
from workers.sandbox.disk.recording.states import CrashPoint, Only, States, Torn

BLOCKS = 5
SIZE = BLOCKS * BLOCK_BYTES
writes = st.tuples(st.integers(0, SIZE - 1), st.integers(1, 2 * BLOCK_BYTES), st.integers(0, 2))
steps = st.one_of(st.tuples(st.just("write"), writes), st.sampled_from([("begin",), ("finish",), ("fail",)]))
TEARS = (Torn(500, 1, 512), Torn(300, 2, 4096), Torn(1000, 3, 1024))


class Model:
    """A cache with its image, and what it held at each moment of a recording of it."""

    def __init__(self, folder: Path) -> None:
        self.written = Written(folder, BLOCKS)
        self.fd = os.memfd_create("image")
        os.truncate(self.fd, SIZE)
        self.cache, self.flushing = Cache(Image(self.fd), SIZE), False
        self.durable: list[bytes] = []
        self.seen: list[bytes] = []
        self.torn: list[list[bytes]] = []
        self.note()

    def note(self) -> None:
        self.durable.append(os.pread(self.fd, SIZE, 0))
        self.seen.append(self.cache.read(0, SIZE))
        self.torn.append([self.cut(torn) for torn in TEARS])

    def cut(self, torn: Torn) -> bytes:
        """What a power loss would leave now, tried on a copy."""
        copy = os.memfd_create("copy")
        os.pwrite(copy, self.durable[-1], 0)
        cache = Cache(Image(copy), SIZE)
        cache.fresh, cache.leaving = dict(self.cache.fresh), dict(self.cache.leaving)
        cache.cut(torn.keep_permille, torn.seed, torn.granularity)
        try:
            return os.pread(copy, SIZE, 0)
        finally:
            os.close(copy)

    def do(self, name: str, argument: tuple[int, int, int] = (0, 0, 0)) -> None:
        recorder = self.written.recorder
        if name == "write":
            offset, length, byte = argument
            data = bytes([byte]) * min(length, SIZE - offset)
            recorder.write(offset, data)
            self.cache.write(offset, memoryview(data))
        elif name == "begin" and not self.flushing:
            recorder.note(Kind.FLUSH_BEGAN)
            self.cache.begin_flush()
            self.flushing = True
        elif name == "finish" and self.flushing:
            self.cache.finish_flush()
            recorder.note(Kind.FLUSH_ENDED)
            self.flushing = False
        elif name == "fail" and self.flushing:
            recorder.note(Kind.FLUSH_FAILED)
            self.cache.fresh, self.cache.leaving = self.cache.leaving | self.cache.fresh, {}
            self.flushing = False
        else:
            return
        self.note()


def content(states: States, point: CrashPoint) -> bytes:
    disk = bytearray(SIZE)
    for number, block in states.blocks(point).items():
        disk[number * BLOCK_BYTES : (number + 1) * BLOCK_BYTES] = block
    return bytes(disk)


def model_of(script: list, folder: Path) -> tuple[Model, States]:
    model = Model(folder)
    for step in script:
        model.do(*step)
    os.close(model.fd)
    return model, States(model.written.load())


@given(st.lists(steps, max_size=14))
def test_each_content_is_the_one_that_the_disk_would_have_left(script):
    with tempfile.TemporaryDirectory() as folder:
        model, states = model_of(script, Path(folder))
    found: dict[int, bytes] = {}
    for moment in range(len(model.seen)):
        expected = {"durable": model.durable[moment], "written": model.seen[moment]}
        expected |= dict(zip(TEARS, model.torn[moment], strict=True))
        for keeps, disk in expected.items():
            point = CrashPoint(moment, keeps)
            assert content(states, point) == disk
            assert found.setdefault(states.at(point).digest, disk) == disk
    assert len(set(found.values())) == len(found)  # equal contents have one digest


@given(st.lists(steps, max_size=14))
def test_a_content_is_possible_until_a_flush_excludes_it_and_no_longer(script):
    """Possible at a moment: everything durable is in it, and nothing later, for some prefix of this content."""
    with tempfile.TemporaryDirectory() as folder:
        model, states = model_of(script, Path(folder))
    events = states.recording.events
    prefixes = range(len(model.seen))
    durable = [states.durable(CrashPoint(moment)) for moment in prefixes]
    for keeps in ("durable", "written"):
        for moment in prefixes:
            state, disk = states.at(CrashPoint(moment, keeps)), content(states, CrashPoint(moment, keeps))
            possible = [any(model.seen[one] == disk for one in range(durable[at], at + 1)) for at in prefixes]
            last = max(at for at in prefixes if possible[at])
            end_ns = events[last].at_ns if last < len(events) else states.recording.log.end_ns
            assert state.until_ns == end_ns
            first_ns = events[moment - 1].at_ns if moment else states.recording.log.began_ns
            assert state.since_ns <= first_ns
            assert first_ns <= state.until_ns


@given(st.lists(steps, max_size=14), st.data())
def test_chosen_writes_get_through_alone(script, data):
    with tempfile.TemporaryDirectory() as folder:
        model, states = model_of(script, Path(folder))
    point = CrashPoint(data.draw(st.integers(0, len(model.seen) - 1)))
    unflushed = states.unflushed(point)
    chosen = data.draw(st.frozensets(st.sampled_from(unflushed))) if unflushed else frozenset()
    disk = bytearray(model.durable[point.moment])
    for number in sorted(chosen):
        event = states.recording.events[number]
        disk[event.offset : event.offset + event.length] = states.recording.content(event)
    assert content(states, CrashPoint(point.moment, Only(chosen))) == disk
    assert content(states, CrashPoint(point.moment, Only(frozenset(unflushed)))) == model.seen[point.moment]
    assert content(states, CrashPoint(point.moment, Only(frozenset()))) == model.durable[point.moment]


def test_a_lying_disk_makes_nothing_durable_and_everything_due(tmp_path):
    written = Written(tmp_path)
    written.write(0, b"x")
    written.recorder.note(Kind.FLUSH_IGNORED)
    written.write(1, b"y")
    states = States(written.load())
    state = states.at(CrashPoint(2))
    assert (state.digest, state.until_ns) == (0, states.recording.log.end_ns)
    assert states.blocks(CrashPoint(2)) == {}
