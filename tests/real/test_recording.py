"""A recorded disk with a real file system: the states worked out are those that the disk had."""

import hashlib
import os
import random
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.real.disks import BLOCK_BYTES, direct, flushed_file, needs_disk
from workers.errors import SandboxError
from workers.sandbox.disk.recording.events import Kind, RecordingEnd
from workers.sandbox.disk.recording.filemap import FILE_SYSTEM, BlockPlace, FileMap
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import CrashPoint, States, Torn
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.disk.volatile import VolatileDisk

pytestmark = needs_disk
SIZE_BYTES = 64 << 20


@pytest.fixture
def disk(sandbox_root):
    with VolatileDisk.create(sandbox_root / "live" / "recorded", SIZE_BYTES) as made:
        yield made


@pytest.fixture
def replay(sandbox_root):
    """Makes replay disks; they are removed at the end."""
    made = []

    def make(recording: Recording) -> ReplayDisk:
        made.append(ReplayDisk.replay(sandbox_root / "live" / f"replay-{len(made)}", recording))
        return made[-1]

    yield make
    for one in made:
        one.remove()


def work(folder: Path, seed: int, steps: int = 120) -> None:
    """Files that grow, are overwritten, synced, renamed and removed."""
    drawn = random.Random(seed)
    for _ in range(steps):
        file = folder / f"file-{drawn.randrange(8)}"
        with file.open("r+b" if file.exists() else "wb") as out:
            out.seek(drawn.randrange(1 << 18))
            out.write(drawn.randbytes(drawn.randrange(1, 30_000)))
            if drawn.random() < 0.6:
                out.flush()
                os.fsync(out.fileno())
        if drawn.random() < 0.1:
            file.rename(folder / f"file-{drawn.randrange(8)}")
        elif drawn.random() < 0.05:
            file.unlink()


def image_of(states: States, point: CrashPoint) -> bytes:
    disk = bytearray(states.recording.base.read_bytes())
    for number, block in states.blocks(point).items():
        disk[number * BLOCK_BYTES : (number + 1) * BLOCK_BYTES] = block
    return bytes(disk)


def test_the_state_after_the_last_flush_is_the_image_byte_for_byte(disk, tmp_path):
    (disk.mnt / "unflushed at the begin").write_bytes(b"x" * 50_000)
    disk.storage(500)
    disk.record(tmp_path / "recording")
    work(disk.mnt, 1)
    with direct(flushed_file(disk.mnt / "at the end", 4)) as write:
        write(0, b"U")
        disk.hold_flushes()  # the image cannot change between the end and the look
        disk.stop_recording()
    states = States(Recording.load(tmp_path / "recording"))
    last = len(states.recording.events)
    assert states.recording.log.end is RecordingEnd.STOPPED
    assert len(states.flushes) > 40
    assert image_of(states, CrashPoint(last)) == disk.image.read_bytes()
    assert image_of(states, CrashPoint(last, "written")) != disk.image.read_bytes()
    assert image_of(states, CrashPoint(states.flushes[-1][0], "written")) == disk.image.read_bytes()


def test_a_torn_state_is_what_a_torn_cut_leaves(disk, tmp_path):
    disk.storage(500)
    disk.record(tmp_path / "recording")
    work(disk.mnt, 2)
    (disk.mnt / "pending").write_bytes(os.urandom(300_000))
    with direct(flushed_file(disk.mnt / "other", 4)) as write:
        write(1, b"U")
        disk.cut(keep_permille=400, seed=5, granularity=1024)
    states = States(Recording.load(tmp_path / "recording"))
    assert states.recording.log.end is RecordingEnd.POWER
    last = len(states.recording.events)
    assert states.unflushed(CrashPoint(last))
    assert image_of(states, CrashPoint(last, Torn(400, 5, 1024))) == disk.image.read_bytes()


def test_each_state_of_a_recording_is_replayed_on_a_file_system(disk, tmp_path, replay):
    """A file that says how often it was synced, and when each sync had returned."""
    file, acknowledged = flushed_file(disk.mnt / "counter", 1), [(0, 0)]
    disk.storage(2000)
    disk.record(tmp_path / "recording")
    with direct(file) as write:
        for number in range(1, 9):
            os.fdatasync(write(0, bytes([number])))
            acknowledged.append((time.monotonic_ns(), number))
    disk.stop_recording()
    recording = Recording.load(tmp_path / "recording")
    states, replayed = States(recording), replay(recording)
    before = hashlib.sha256(recording.base.read_bytes()).digest()
    seen = set()
    for moment in range(len(recording.events) + 1):
        for keeps in ("durable", "written"):
            state = states.at(CrashPoint(moment, keeps))
            assert replayed.become(states.blocks(state.point)) == ""
            found = (replayed.mnt / "counter").read_bytes()[0] % ord("0")
            assert found >= max(number for at_ns, number in acknowledged if at_ns < state.until_ns)
            seen.add(found)
            flushed_file(replayed.mnt / "recovered", 3)
    assert seen == set(range(9))
    assert hashlib.sha256(recording.base.read_bytes()).digest() == before


def test_a_kill_leaves_every_write_that_had_returned(disk, tmp_path, replay):
    """Nothing is synced by the program: appends, overwrites, a rename, a truncation."""
    disk.record(tmp_path / "recording")
    seen, files = [], {"a": disk.mnt / "a", "b": disk.mnt / "b", "c": disk.mnt / "c"}

    def contents(folder: Path) -> dict[str, bytes]:
        return {name: (folder / name).read_bytes() for name in files if (folder / name).exists()}

    def look() -> None:
        disk.write_out()
        seen.append((time.monotonic_ns(), contents(disk.mnt)))

    fd = os.open(files["a"], os.O_RDWR | os.O_CREAT)
    for number in range(6):
        os.pwrite(fd, bytes([65 + number]) * 3000, 3000 * number)
        look()
    os.pwrite(fd, b"overwritten", 4090)
    look()
    files["a"].rename(files["b"])
    look()
    os.ftruncate(fd, 5000)
    look()
    files["c"].write_bytes(b"c")
    look()
    os.close(fd)
    disk.stop_recording()
    recording = Recording.load(tmp_path / "recording")
    states, replayed = States(recording), replay(recording)
    for at_ns, expected in seen:
        state = states.at(CrashPoint(recording.moment(at_ns), "killed"))
        replayed.become(states.blocks(state.point))
        assert contents(replayed.mnt) == expected


def test_two_replays_share_a_base_and_forget_what_was_written(disk, tmp_path, replay):
    disk.record(tmp_path / "recording")
    flushed_file(disk.mnt / "one", 2, b"1")
    disk.stop_recording()
    recording = Recording.load(tmp_path / "recording")
    states, last = States(recording), CrashPoint(len(recording.events))
    first, second = replay(recording), replay(recording)
    for each in (first, second):
        each.become(states.blocks(last))
    flushed_file(first.mnt / "one", 2, b"2")
    flushed_file(first.mnt / "two", 2)
    assert (second.mnt / "one").read_bytes() == b"1" * 2 * BLOCK_BYTES
    first.become(states.blocks(last))
    assert (first.mnt / "one").read_bytes() == b"1" * 2 * BLOCK_BYTES
    assert not (first.mnt / "two").exists()
    first.become({})
    assert not (first.mnt / "one").exists()


def test_a_lying_disk_records_flushes_that_it_ignored(disk, tmp_path):
    disk.lie(True)
    disk.record(tmp_path / "recording")
    flushed_file(disk.mnt / "lied-to", 1)
    disk.stop_recording()
    states = States(Recording.load(tmp_path / "recording"))
    kinds = [event.kind for event in states.recording.events]
    assert Kind.FLUSH_IGNORED in kinds and Kind.FLUSH_ENDED not in kinds
    assert states.blocks(CrashPoint(len(kinds))) == {}


def test_a_recording_ends_at_its_bound_and_the_disk_goes_on(disk, tmp_path):
    disk.record(tmp_path / "recording", most_bytes=200_000)
    for number in range(20):
        flushed_file(disk.mnt / f"file-{number}", 8)
    disk.stop_recording()
    log = Recording.load(tmp_path / "recording").log
    assert (log.end, len(log.events) > 3) == (RecordingEnd.BOUND, True)
    assert (tmp_path / "recording" / "events").stat().st_size <= 200_000
    disk.cut()
    disk.power_on()
    assert (disk.mnt / "file-19").exists()


@pytest.fixture
def little_space(tmp_path):
    """A file system of 4 MiB."""
    place = tmp_path / "little"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_recording_ends_when_the_host_is_full_and_the_disk_goes_on(disk, little_space):
    disk.record(little_space / "recording")
    for number in range(8):
        flushed_file(disk.mnt / f"file-{number}", 256)
    disk.stop_recording()
    states = States(Recording.load(little_space / "recording"))
    assert states.recording.log.end is RecordingEnd.NO_SPACE
    assert states.blocks(CrashPoint(len(states.recording.events)))
    disk.cut()
    disk.power_on()
    assert (disk.mnt / "file-7").stat().st_size == 256 * BLOCK_BYTES


def test_a_base_that_does_not_fit_is_no_recording_and_the_disk_goes_on(disk, little_space):
    flushed_file(disk.mnt / "large", 2048)
    with pytest.raises(SandboxError, match=r"cp failed: .*No space left"):
        disk.record(little_space / "recording")
    assert not (little_space / "recording").exists()
    flushed_file(disk.mnt / "flushed", 1)  # nothing is held


def test_a_recording_is_broken_off_when_the_disks_process_dies(disk, tmp_path):
    disk.record(tmp_path / "recording")
    flushed_file(disk.mnt / "kept", 1)
    disk._kill()
    recording = Recording.load(tmp_path / "recording")
    assert recording.log.end is RecordingEnd.BROKEN_OFF
    assert image_of(States(recording), CrashPoint(len(recording.events))) == disk.image.read_bytes()


def test_a_second_recording_and_a_folder_in_use_are_refused(disk, tmp_path):
    disk.record(tmp_path / "recording")
    with pytest.raises(SandboxError, match=r"cannot hold a recording: .*exists"):
        disk.record(tmp_path / "recording")
    with pytest.raises(SandboxError, match=r"refused 'record .*a recording is in progress"):
        disk.record(tmp_path / "second")
    flushed_file(disk.mnt / "flushed", 1)  # it is not held any more
    disk.stop_recording()
    disk.record(tmp_path / "third")
    disk.stop_recording()
    disk.stop_recording()
    assert Recording.load(tmp_path / "third").log.end is RecordingEnd.STOPPED


def test_only_a_replay_disk_becomes_a_state(disk):
    blocks = os.memfd_create("blocks")
    os.write(blocks, bytes(8))
    with pytest.raises(SandboxError, match="replays no recording"):
        disk._remount("become", (blocks,))
    os.close(blocks)


def test_the_map_names_the_file_of_each_block(disk, tmp_path, replay):
    """The block's content is found in the file at that place."""
    flushed_file(disk.mnt / "early", 4, b"E")
    os.mkfifo(disk.mnt / "fifo")  # neither opened nor followed
    (disk.mnt / "link").symlink_to("/etc/passwd")
    disk.record(tmp_path / "recording")
    flushed_file(disk.mnt / "ib_logfile0", 5, b"R")
    (disk.mnt / "below").mkdir()
    flushed_file(disk.mnt / "below" / "binlog.000001", 300, b"B")
    (disk.mnt / "early").unlink()
    (disk.mnt / "hole").touch()
    os.truncate(disk.mnt / "hole", 1 << 20)
    flushed_file(disk.mnt / "last", 1)
    disk.stop_recording()
    recording = Recording.load(tmp_path / "recording")
    states, replayed = States(recording), replay(recording)
    files = FileMap.of(states, replayed)
    last = CrashPoint(len(recording.events), "written")
    replayed.become(states.blocks(last))
    roles = Counter(map(files.role, states.blocks(last)))
    assert (roles["redo"], roles["binlog"]) == (5, 300)
    assert roles[FILE_SYSTEM] > 3  # its journal and tables
    for block, content in states.blocks(last).items():
        if place := files.place(block):
            with (replayed.mnt / place.path).open("rb") as file:
                assert os.pread(file.fileno(), BLOCK_BYTES, place.offset) == content
    early = [block for block in range(SIZE_BYTES // BLOCK_BYTES) if recording.base_block(block) == b"E" * BLOCK_BYTES]
    assert [files.place(block) for block in early] == [BlockPlace("early", BLOCK_BYTES * number) for number in range(4)]
