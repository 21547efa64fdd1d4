"""Damaged files: cut anywhere, any byte flipped, any tail in zeros. Never an exception, never a transaction that was
not whole before the damage, and the end is called by its name."""

import functools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, Binlog
from workers.crash.binlog import BinlogUnknown, read
from workers.crash.evidence import BinlogSeen

FLAVOURS = ("mariadb", "mysql")


@functools.cache
def whole(flavour: str, checked: bool = True) -> Binlog:
    """Twelve transactions of all shapes, closed cleanly. Not to be changed."""
    mariadb = flavour == "mariadb"
    log = Binlog(mariadb=mariadb, v2=not mariadb, checked=checked)
    for n in range(1, 13):
        log.commit(n % 2, n, n, end="XID" if n % 3 else "COMMIT")
    log.event(3)
    return log


def seen(*files: bytes) -> BinlogSeen:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"log.{number:06}") for number, _ in enumerate(files, 1)]
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
        return read(paths, SCHEMA, SECRET)


def before(log: Binlog, position: int) -> list[int]:
    """Keys of transactions that end at or before this position."""
    return sorted(key for key, end in log.commits.items() if end <= position)


def last_border(log: Binlog, position: int) -> int:
    """Where the last event ends that is whole up to this position; 4: only the magic is."""
    return max((border for border in log.borders if border <= position), default=4 if position >= 4 else 0)


def places(log: Binlog) -> st.SearchStrategy[int]:
    return st.integers(0, len(log.data) - 1)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_an_undamaged_file_is_read_whole(flavour):
    log = whole(flavour)
    found = seen(bytes(log.data))
    assert (found.end, found.seen.whole.tolist()) == ("clean", sorted(log.commits))


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("flavour", FLAVOURS)
@given(data=st.data())
@settings(deadline=None)  # files on a disk that others use too
def test_every_transaction_before_a_cut_is_found(flavour, checked, data):
    log = whole(flavour, checked)
    cut = data.draw(places(log))
    found = seen(bytes(log.data[:cut]))
    assert found.seen.whole.tolist() == before(log, cut)
    assert found.seen.parts.size == 0
    assert found.end_at == f"log.000001:{last_border(log, cut)}"
    at_border = cut in (4, *log.borders)
    assert found.end == "open" if at_border else found.end in ("torn", "zeros")


@pytest.mark.parametrize("flavour", FLAVOURS)
@given(data=st.data(), longer=st.integers(0, 3000))
@settings(deadline=None)  # files on a disk that others use too
def test_every_transaction_before_a_tail_of_zeros_is_found(flavour, data, longer):
    log = whole(flavour)
    begin = data.draw(places(log))
    tail = bytes(len(log.data) - begin + longer)
    found = seen(bytes(log.data[:begin]) + tail)
    assert set(found.seen.whole.tolist()) in (set(before(log, begin)), set(before(log, begin + 4)))  # zeros in a CRC
    if longer >= 19:
        assert found.end == "zeros"
        end = int(found.end_at.partition(":")[2])
        assert any(end - last_border(log, place) in range(40) for place in (begin, begin + 4))
    assert found.end in ("zeros", "bad checksum", "torn", "clean")


@pytest.mark.parametrize("flavour", FLAVOURS)
@given(data=st.data(), flip=st.integers(1, 255))
@settings(deadline=None)  # files on a disk that others use too
def test_every_flipped_byte_is_noticed(flavour, data, flip):
    log = whole(flavour)
    place = data.draw(places(log))
    damaged = bytearray(log.data)
    damaged[place] ^= flip
    if (place, flip) in ((4 + 17, 1), (0, 3)):
        return  # the flag "in use", which is cleared when a file is closed; the mark of an encrypted file
    found = seen(bytes(damaged))
    assert found.seen.whole.tolist() == before(log, place)
    assert found.end in ("bad checksum", "torn")
    assert int(found.end_at.partition(":")[2]) == last_border(log, place)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_no_damaged_event_passes_for_one_that_switches_checksums_off(flavour):
    log = whole(flavour)
    for begin in log.borders[:-1]:
        damaged = bytearray(log.data)
        damaged[begin + 4] = 15
        found = seen(bytes(damaged))
        assert (found.end, found.end_at) == ("bad checksum", f"log.000001:{begin}")


@pytest.mark.parametrize("flavour", FLAVOURS)
@given(data=st.data(), noise=st.binary(min_size=1, max_size=60))
@settings(deadline=None)  # files on a disk that others use too
def test_noise_without_checksums_never_breaks_the_reader(flavour, data, noise):
    log = whole(flavour, checked=False)
    place = data.draw(places(log))
    damaged = bytes(log.data[:place]) + noise + bytes(log.data[place + len(noise) :])
    try:
        found = seen(damaged)
    except BinlogUnknown:
        return
    assert set(before(log, place)) <= set(found.seen.whole.tolist())


@given(noise=st.binary(max_size=400), magic=st.sampled_from([b"", b"\xfebin", bytes(whole("mariadb").data[:300])]))
@settings(deadline=None)  # files on a disk that others use too
def test_a_file_of_noise_never_breaks_the_reader(noise, magic):
    try:
        assert seen(magic + noise).seen.whole.size == 0
    except BinlogUnknown:
        assert (magic + noise).startswith(b"\xfdbin"), "only a file that says it is encrypted is not read"


def test_files_without_events_are_told_apart():
    assert (seen(b"").end, seen(b"\xfeb").end, seen(bytes(5)).end) == ("torn", "torn", "zeros")
    assert seen(b"\xfebin").end == "open"


def test_the_reader_reads_on_after_damage_where_a_replica_would_stop():
    first, second = whole("mariadb"), Binlog()
    second.commit(5, 1, 40)
    cut = first.borders[-5] + 3
    for tail, word, name in (
        (b"", "the file is torn there", "torn"),
        (bytes(4096), "from there on it holds zeros only", "zeros"),
    ):
        found = seen(bytes(first.data[:cut]) + tail, bytes(second.data))
        assert found.seen.whole.tolist() == before(first, cut) + sorted(second.commits)
        assert (found.end, found.end_at) == (name, f"log.000001:{first.borders[-5]}")
        assert found.unreadable == (
            f"A replica stops at byte {first.borders[-5]:,} of log.000001: {word}, and log.000002 follows."
        )


def test_a_torn_tail_of_the_last_file_is_readable_and_a_wrong_checksum_is_not():
    log = whole("mariadb")
    assert seen(bytes(log.data[:-3])).unreadable == ""
    damaged = bytearray(log.data)
    damaged[log.borders[3] + 25] ^= 1
    assert "wrong checksum" in seen(bytes(damaged)).unreadable


def test_a_file_that_ends_between_two_events_is_readable():
    first, second = whole("mariadb"), whole("mariadb")
    found = seen(bytes(first.data[: first.borders[7]]), bytes(second.data))
    assert (found.end, found.unreadable) == ("clean", "")


def test_a_file_of_the_index_that_is_missing_is_named(tmp_path):
    there = tmp_path / "log.000002"
    there.write_bytes(whole("mariadb").data)
    found = read([tmp_path / "log.000001", there], SCHEMA, SECRET)
    assert found.unreadable == "The index names log.000001, which is not there."
    assert (found.end, found.end_at) == ("torn", "log.000001:0")
    assert found.seen.whole.tolist() == sorted(whole("mariadb").commits)


def test_an_event_larger_than_a_block_is_read(monkeypatch):
    monkeypatch.setattr("workers.crash.binlog.events.BLOCK_BYTES", 50)
    log = whole("mariadb")
    assert seen(bytes(log.data)).seen.whole.tolist() == sorted(log.commits)
    assert seen(bytes(log.data[:-1])).end == "torn"


def test_a_file_that_the_server_does_not_send_to_its_end_stops_a_replica(tmp_path):
    """In the server's own words, also of the last file."""
    log = Binlog()
    log.commit(0, 1, 1)
    (tmp_path / "log.000001").write_bytes(log.data)
    found = read([tmp_path / "log.000001"], SCHEMA, SECRET, {"log.000001": "1236: bogus data"})
    assert found.unreadable == (
        f"A replica stops at byte {len(log.data)} of log.000001: the server does not send on (1236: bogus data)."
    )
    assert found.seen.whole.tolist() == [1]
