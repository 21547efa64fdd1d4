"""What a server may send for its binary log: events in packets of all sizes, ends, refusals and garbage."""

import math
import shutil
import struct
import time
import tracemalloc
from types import SimpleNamespace
from zlib import crc32

import pytest

from workers.errors import ServerError
from workers.servers.dump import packets
from workers.servers.dump.copy import KEPT_FREE_BYTES, MARGIN_BYTES, CopyLimits, LogFile, from_first, most_bytes
from workers.servers.dump.files import CopiedFiles
from workers.servers.dump.packets import FULL, DumpRefused, NoDump
from workers.servers.dump.session import mysql_gtids

LOG, OTHER, MOST = "log.000001", "log.000002", 1 << 26
END = b"\xfe\0\0\2\0"


def framed(*bodies: bytes, first: int = 1) -> bytes:
    found, number = b"", first
    for body in bodies:
        for at in range(0, len(body) + 1, FULL):
            part = body[at : at + FULL]
            found += len(part).to_bytes(3, "little") + bytes([number & 0xFF]) + part
            number += 1
    return found


def received(data: bytes, step: int = 1 << 20, most: int = MOST) -> list[bytes]:
    """The events in this answer, which arrives in steps."""
    left = [data[at : at + step] for at in range(0, len(data), step)]
    return [event for batch in packets.events(lambda _: left.pop(0), most) for event in batch]


def event(kind: int, body: bytes, end: int, flags: int = 0, time: int = 7) -> bytes:
    head = struct.pack("<IBIIIH", time, kind, 1, 19 + len(body) + 4, end, flags)
    return head + body + struct.pack("<I", crc32(head + body))


def next_file(name: str) -> bytes:
    return event(4, struct.pack("<Q", 4) + name.encode(), 0, flags=0x20, time=0)


@pytest.fixture
def files(tmp_path):
    made = CopiedFiles(tmp_path, [LOG, OTHER], MOST, math.inf)
    yield made
    made.close()


@pytest.mark.parametrize("step", [1, 3, 7, 1 << 20])
def test_events_are_joined_however_they_arrive(step):
    assert received(framed(b"\0one", b"\0three", END), step) == [b"one", b"three"]


@pytest.mark.parametrize("size", [FULL - 2, FULL - 1, FULL, FULL + 5])
def test_an_event_of_several_packets_is_one(size):
    (found,) = received(framed(b"\0" + bytes(size), END))
    assert len(found) == size


def test_an_event_that_is_too_large_is_given_up_before_it_ends():
    with pytest.raises(NoDump, match="more than 1,000 bytes"):
        received(framed(b"\0" + bytes(2 * FULL)), most=1000)


def test_a_refusal_is_the_servers_own_words():
    with pytest.raises(DumpRefused) as refused:
        received(framed(b"\0one", b"\xff" + struct.pack("<H", 1236) + b"#HY000bogus data"))
    assert (refused.value.number, refused.value.says) == (1236, "bogus data")


def test_a_refusal_without_end_is_shortened():
    """It is stored and shown, and a database stores no NUL."""
    with pytest.raises(DumpRefused) as refused:
        received(framed(b"\xff" + struct.pack("<H", 1236) + b"#HY000bad\0" + b"x" * 100_000))
    assert refused.value.says.startswith("bad\N{SYMBOL FOR NULL}x") and len(refused.value.says) == 500


@pytest.mark.parametrize(
    "answer",
    [framed(b"\0one", first=2), framed(b""), framed(b"\x05abc"), framed(b"\xff"), framed(b"\xfe" + bytes(40))],
    ids=["wrong order", "empty", "neither event nor end", "a refusal without a number", "an end that is too long"],
)
def test_garbage_is_no_answer(answer):
    with pytest.raises(NoDump):
        received(answer)


def test_each_event_lies_where_the_server_has_it(files, tmp_path):
    first, second = event(15, bytes(57) + b"\1", 4 + 81), event(2, b"first", 4 + 81 + 28)
    files.take([next_file(LOG), first, second, next_file(OTHER), first])
    files.close()
    assert (tmp_path / LOG).read_bytes() == b"\xfebin" + first + second
    assert (tmp_path / OTHER).read_bytes() == b"\xfebin" + first
    assert (files.name, files.position) == (OTHER, 85)


def test_events_that_no_file_holds_are_left_out(files, tmp_path):
    first = event(2, b"first", 32)
    files.take([next_file(LOG), event(27, b"log", 32), first, event(41, b"log", 32), event(163, b"", 32, flags=0x20)])
    files.close()
    assert (tmp_path / LOG).read_bytes() == b"\xfebin" + first


def test_in_a_file_without_checksums_no_checksum_is_asked_of_a_heartbeat(files, tmp_path):
    """The description of the file says that its events have none."""
    description = event(15, bytes(57) + b"\0", 4 + 81)
    first, beat = (struct.pack("<IBIIIH", 7, kind, 1, 24, 4 + 81 + 24, 0) + b"words" for kind in (2, 27))
    files.take([next_file(LOG), description, first, beat])
    files.close()
    assert (tmp_path / LOG).read_bytes() == b"\xfebin" + description + first


def test_a_damaged_event_that_looks_like_a_heartbeat_stays(files, tmp_path):
    damaged = bytearray(event(2, b"first", 32))
    damaged[4] = 27
    files.take([next_file(LOG), bytes(damaged)])
    files.close()
    assert (tmp_path / LOG).read_bytes() == b"\xfebin" + damaged


@pytest.mark.parametrize("gap", [23, 500, (1 << 20) + 3, 5 << 20])
def test_gaps_in_the_sent_events_are_filled_with_heartbeats(files, tmp_path, gap):
    last = event(2, b"last", 4 + gap + 27)
    files.take([next_file(LOG), last])
    files.close()
    data, at, kinds = (tmp_path / LOG).read_bytes(), 4, []
    while at < len(data):
        size = int.from_bytes(data[at + 9 : at + 13], "little")
        one = data[at : at + size]
        assert (
            crc32(one[:-4]) == int.from_bytes(one[-4:], "little") and int.from_bytes(one[13:17], "little") == at + size
        )
        kinds.append(one[4])
        at += size
    assert (at, kinds[-1], set(kinds[:-1])) == (4 + gap + 27, 2, {27})


@pytest.mark.parametrize("end", [MOST, (1 << 32) - 1])
def test_a_gap_that_is_larger_than_the_limit_is_not_filled(files, tmp_path, end):
    """A few bytes of a hostile server would fill the disk and the memory."""
    with pytest.raises(NoDump, match="its files have more than"):
        files.take([next_file(LOG), event(2, b"far", 40 << 20), next_file(OTHER), event(2, b"far", end)])
    files.close()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= MOST


def test_a_large_gap_is_filled_in_little_memory(files, tmp_path):
    tracemalloc.start()
    try:
        files.take([next_file(LOG), event(2, b"far", 40 << 20)])
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    files.close()
    assert (tmp_path / LOG).stat().st_size == 40 << 20


def test_a_gap_is_filled_only_as_long_as_there_is_time(tmp_path):
    late = CopiedFiles(tmp_path, [LOG], 1 << 40, time.monotonic() + 0.05)
    with pytest.raises(NoDump, match="too long to write"):
        late.take([next_file(LOG), event(2, b"far", 0xFFFFFFFF)])
    late.close()
    assert (tmp_path / LOG).stat().st_size < 2 << 30


@pytest.mark.parametrize(
    ("sizes", "most"),
    [
        ([100 << 20, 300 << 20], 564 << 20),
        ([-5], MARGIN_BYTES),
        ([1 << 62], 1 << 33),
    ],
    ids=["a quarter and a margin more than it named", "a negative size", "more than the limit"],
)
def test_a_server_may_send_as_much_as_it_said_to_have(tmp_path, sizes, most):
    files = [LogFile(LOG, size) for size in sizes]
    free = shutil.disk_usage(tmp_path).free - KEPT_FREE_BYTES
    assert most_bytes(files, tmp_path, CopyLimits()) == pytest.approx(
        min(most, free), abs=256 << 20 if most > free else 0
    )


def test_a_gigabyte_of_the_workers_disk_stays_free(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=3 << 30))
    assert most_bytes([LogFile(LOG, 5 << 30)], tmp_path, CopyLimits()) == 2 << 30


def test_gaps_in_a_file_that_was_not_asked_for_are_passed_over(files, tmp_path):
    files.take([next_file(LOG), next_file("elsewhere"), event(2, b"far", 40 << 20)])
    assert (files.position, files.size_bytes) == (40 << 20, 4)


def test_an_end_that_a_damaged_event_names_makes_no_gap(files, tmp_path):
    damaged = bytearray(event(2, b"first", 32))
    damaged[16] = 0x55
    files.take([next_file(LOG), bytes(damaged)])
    files.close()
    assert (tmp_path / LOG).read_bytes() == b"\xfebin" + damaged


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ([b"short"], "shorter than its header"),
        ([event(2, b"first", 28)], "before the name of their file"),
        ([next_file(LOG), next_file(OTHER), next_file(LOG)], "twice"),
        ([next_file(LOG), event(2, b"near", 4 + 7 + 27)], "within another one"),
    ],
    ids=["short", "no file", "a file again", "a gap too small for an event"],
)
def test_events_that_no_server_sends_are_refused(files, sent, says):
    with pytest.raises(NoDump, match=says):
        files.take(sent)


def test_a_file_that_was_not_asked_for_is_not_written(files, tmp_path):
    """A hostile server may name any path."""
    files.take([next_file(LOG), next_file("../../stolen"), event(2, b"first", 32)])
    files.close()
    assert [path.name for path in tmp_path.iterdir()] == [LOG]
    assert not (tmp_path.parent.parent / "stolen").exists()


def test_no_file_is_asked_for_when_all_are_wanted():
    assert from_first([], "", "db:3306") == []


def test_a_set_of_gtids_is_packed_as_the_protocol_wants_it():
    uuid = "00000000-0000-0000-0000-0000000000ab"
    packed = mysql_gtids(f"{uuid}:1-5:7,\n{uuid[:-2]}cd:9")
    sid, other = bytes(15) + b"\xab", bytes(15) + b"\xcd"
    assert packed == struct.pack("<Q16sQQQQQ16sQQQ", 2, sid, 2, 1, 6, 7, 8, other, 1, 9, 10)
    with pytest.raises(ServerError, match="have tags"):
        mysql_gtids(f"{uuid}:1-5:mine:1-3")
