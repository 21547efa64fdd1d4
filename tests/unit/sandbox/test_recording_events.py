"""The file of a recording: what was recorded is read back, it ends clearly, and nothing false is believed."""

import os
import resource
import signal
from dataclasses import replace

import pytest

from tests.unit.sandbox.recordings import Written
from workers.errors import SandboxError
from workers.sandbox import untrusted
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording import events
from workers.sandbox.disk.recording.events import EVENT, HEADER, Kind, Recorder, RecordingEnd
from workers.sandbox.disk.recording.recording import BASE, EVENTS, Recording


@pytest.fixture
def written(tmp_path) -> Written:
    made = Written(tmp_path)
    made.write(1, b"a")
    made.flush()
    made.write(2, b"b", 2)
    return made


def test_a_recording_is_read_back_as_written(written):
    recording = written.load()
    log = recording.log
    assert [event.kind.name for event in log.events] == ["WRITE", "FLUSH_BEGAN", "FLUSH_ENDED", "WRITE"]
    assert [event.at_ns for event in log.events] == [2, 3, 4, 5]
    assert (log.size_bytes, log.began_ns, log.end_ns, log.end) == (6 * BLOCK_BYTES, 1, 6, RecordingEnd.STOPPED)
    assert (log.events[3].offset, recording.content(log.events[3])) == (2 * BLOCK_BYTES, b"b" * 2 * BLOCK_BYTES)
    assert [recording.moment(at_ns) for at_ns in (1, 2, 4, 99)] == [0, 1, 3, 4]


def test_a_recording_ends_at_its_bound_and_says_so(tmp_path):
    written = Written(tmp_path, most_bytes=HEADER.size + 3 * EVENT.size + BLOCK_BYTES)
    written.write(0, b"a")
    written.write(1, b"b")
    written.recorder.note(Kind.FLUSH_BEGAN)  # after the end: ignored, although there would be space
    log = written.load().log
    assert (log.end, len(log.events)) == (RecordingEnd.BOUND, 1)
    assert written.recorder.n_bytes <= written.most_bytes


def test_a_recording_ends_where_the_host_cannot_store_more(tmp_path):
    """The kernel takes a part of an event and refuses the rest."""
    written, before = Written(tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    written.write(0, b"a")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (written.recorder.n_bytes + 2000, before[1]))
        written.write(1, b"b")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert written.recorder.end is RecordingEnd.NO_SPACE
    log = written.load().log
    assert (log.end, len(log.events)) == (RecordingEnd.NO_SPACE, 1)


@pytest.mark.parametrize("lost_bytes", [1, EVENT.size, EVENT.size + 1, EVENT.size + BLOCK_BYTES, 2 * BLOCK_BYTES + 47])
def test_a_recording_is_broken_off_when_the_process_was_killed(written, lost_bytes):
    written.recorder.stop()
    file = written.folder / EVENTS
    os.truncate(file, file.stat().st_size - lost_bytes)
    log = Recording.load(written.folder).log
    assert log.end is RecordingEnd.BROKEN_OFF
    assert len(log.events) == (4 if lost_bytes <= EVENT.size else 3)
    assert log.end_ns == log.events[-1].at_ns


def event(
    kind: int = Kind.WRITE, length: int = 512, at_ns: int = 5, offset: int = 0, data: bytes = bytes(512)
) -> bytes:
    return EVENT.pack(kind, length, at_ns, offset) + data


NOTE = {"length": 0, "data": b""}
FALSE = {
    "begins no event": event(kind=77),
    "writes outside": event(offset=8192),
    "writes outside of": event(offset=2**64 - 1),
    "writes outside of the": event(length=0, data=b""),
    "earlier": event() + event(at_ns=4),
    "end in the middle": event(kind=Kind.END, **NOTE) + event(),
    "is an end": event(kind=Kind.END, offset=99, **NOTE),
    "carries data": event(kind=Kind.FLUSH_BEGAN),
    "does not follow": event(kind=Kind.FLUSH_ENDED, **NOTE),
    "that does not follow": event(kind=Kind.FLUSH_BEGAN, **NOTE) * 2,
}


@pytest.mark.parametrize(("why", "file"), FALSE.items(), ids=range(len(FALSE)))
def test_a_false_recording_is_refused_with_the_reason(why, file):
    with pytest.raises(SandboxError, match=f"cannot be read: .*{why}"):
        events.read(memoryview(HEADER.pack(events.MAGIC, 8192, 1) + file))


def test_another_kind_of_file_is_refused():
    for file in (b"", b"x" * 100):
        with pytest.raises(SandboxError, match="cannot be read: it "):
            events.read(memoryview(file))


def test_a_missing_part_of_a_recording_is_named(written, tmp_path):
    written.recorder.stop()
    with pytest.raises(SandboxError, match=r"There is no recording in .*No such file"):
        Recording.load(tmp_path / "elsewhere")
    os.truncate(tmp_path / BASE, BLOCK_BYTES)
    with pytest.raises(SandboxError, match=r"base .* is of another disk"):
        Recording.load(tmp_path)
    os.truncate(tmp_path / EVENTS, 0)
    with pytest.raises(SandboxError, match="There is no recording"):
        Recording.load(tmp_path)


def test_a_stopped_recorder_leaves_its_descriptor_alone(tmp_path):
    """The number may belong to another file by then."""
    fd = untrusted.new_log(tmp_path / "one")
    recorder = Recorder(fd, 1000, BLOCK_BYTES)
    recorder.stop()
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    assert other == fd
    recorder.note(Kind.FLUSH_BEGAN)
    recorder.stop()
    assert os.fstat(other).st_size == 0
    os.close(other)


def test_a_changed_copy_outlives_its_original(written):
    """The descriptor of the base would be closed, or be that of another file."""
    recording = replace(written.load())
    assert recording.base_block(0) == bytes(BLOCK_BYTES)
    assert bytes(recording.content(recording.events[0])) == b"a" * BLOCK_BYTES
