"""A load is recorded: the order of disks, server and clients, and what is known of it afterwards. Disks and server only
write down what is asked of them."""

from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, Binlog
from tests.unit.crash.parts import Part, Server, Witness, prepared
from workers.crash.inspect import BinlogPlace, Inspector
from workers.crash.kinds.power_loss import FLUSH_US
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.points import recorded
from workers.crash.points.recorded import MOST_BYTES, NS, POLL_S
from workers.crash.transactions import key
from workers.errors import Cancelled, SandboxError
from workers.sandbox.disk.recording.events import Log, RecordingEnd

LEDGER = Ledger((ClientLedger(0, 2, np.array([0.1, 0.2])),)).sealed(SECRET)


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """`recording(kind, **changes)`: the recorded load, and what was done in which order. Our own clock ticks once a
    reading, and each disk answers at ticks of its own: `its`."""

    def run(
        kind="every-crash-point",
        its=((1, 5),),
        ends=(RecordingEnd.STOPPED,) * 2,
        log=None,
        ledger=LEDGER,
        ours=None,
        **how,
    ):
        notes = []
        begun = prepared(notes, kind, log=log, cancelled=how.pop("cancelled", lambda: False))
        begun.witness._answers["ledger"] = ledger
        begun = replace(begun, secret=SECRET, **how)
        if begun.replica:
            begun = replace(begun, replica_disk=Part("disk of the replica", notes))
        found = {
            str(n): SimpleNamespace(log=Log(0, began, ended, end, ()))
            for n, ((began, ended), end) in enumerate(zip(its, ends, strict=False))
        }
        live = tmp_path / f"live {len(list(tmp_path.iterdir()))}"
        live.mkdir()
        monkeypatch.setattr(recorded.owner, "live_folder", lambda root, name: nullcontext(live))
        monkeypatch.setattr(recorded.Recording, "load", lambda folder: found[folder.name])
        monkeypatch.setattr(recorded, "monotonic_ns", iter(ours or count(1)).__next__)
        with begun.made:
            return recorded.record(begun), notes, begun

    return run


def test_the_server_is_frozen_before_the_last_answers_are_read(recording):
    found, notes, begun = recording()
    assert notes == [
        "[load]", "disk.record", "witness.begin", "server.freeze", "witness.drain", "disk.stop_recording", "[kill]",
        "disk.storage", "disk.give_way", "server.kill", "witness.ledger",
    ]  # fmt: skip
    assert begun.disk.given["record"][1] == MOST_BYTES and begun.disk.given["storage"] == (0,)
    assert begun.witness.given["drain"] == () and not begun.disk.given["record"][0].exists()
    assert (found.whole, found.before, found.named, found.stops, found.stops_took) == (LEDGER, None, None, (), "")
    assert begun.ports.clock() == begun.setup.load_s, "the load went on for its time"
    assert (found.disks, found.more) == (("data",), ())


def test_a_replica_is_frozen_first_and_its_primary_lives_on(recording):
    """The last content that was written is that of a primary which lives on."""
    ours, notes = [], None
    replica = SimpleNamespace(sandbox=Server("replica", ours))
    found, notes, begun = recording(its=((1, 7), (3, 9)), replica=replica)
    assert ours == ["replica.settle", "replica.freeze", "replica.kill"]
    assert notes[1:4] == ["disk of the replica.storage", "disk.record", "disk of the replica.record"]
    assert notes[4:11] == [
        "witness.begin", "witness.drain", "server.settle", "server.freeze", "witness.drain", "disk.stop_recording",
        "disk of the replica.stop_recording",
    ]  # fmt: skip
    folders = [one.given["record"][0].name for one in (begun.disk, begun.replica_disk)]
    assert folders == ["0", "1"] and found.disks == ("primary", "replica") and len(found.more) == 1
    assert [note for note in notes if note.startswith("disk of the replica.")][3:] == [
        "disk of the replica.storage", "disk of the replica.give_way",
    ]  # fmt: skip


def test_the_disk_of_a_replica_is_as_slow_as_that_of_its_primary(recording):
    notes = []
    begun = replace(
        prepared(notes), replica=SimpleNamespace(sandbox=Server("replica", [])), replica_disk=Part("its disk", notes)
    )
    assert recorded._disks(begun) == (begun.disk, begun.replica_disk)
    assert begun.replica_disk.given["storage"] == (FLUSH_US,)
    assert recorded._disks(replace(begun, replica_disk=None)) == (begun.disk,)


@pytest.mark.parametrize(
    ("its", "end", "margin_ns"),
    [
        ((2, 4), RecordingEnd.STOPPED, 0),
        ((5, 3), RecordingEnd.STOPPED, 3),
        ((5, 90), RecordingEnd.STOPPED, 86),
        ((5, 90), RecordingEnd.BOUND, 3),
    ],
)
def test_the_margin_is_how_far_the_clock_of_the_disk_was_outside_of_our_readings(recording, its, end, margin_ns):
    """Asked to begin from 1 to 2, and to end from 3 to 4."""
    found, *_ = recording(its=(its,), ends=(end,))
    assert (found.margin_s, found.bracket_s) == pytest.approx((margin_ns / NS, 1 / NS))


def test_of_two_disks_the_worse_one_counts(recording):
    """Ours: 1 to 2 and 3 to 10 when they begin, 20 to 22 and 30 to 40 when they end."""
    replica = SimpleNamespace(sandbox=Server("replica", []))
    found, *_ = recording(its=((2, 22), (15, 40)), replica=replica, ours=(1, 2, 3, 10, 20, 22, 30, 40))
    assert (found.margin_s, found.bracket_s) == pytest.approx((5 / NS, 7 / NS))
    assert found.so_far().notes["clocks of clients and disk"] == "no difference; less than 0 µs cannot be seen"
    least = replace(found, margin_s=1e-6).so_far().notes["clocks of clients and disk"]
    assert least == "1 µs apart; less than 0 µs cannot be seen"
    told = replace(found, margin_s=4.0, bracket_s=8.0, stops_took="3 stops").so_far().notes
    assert told["clocks of clients and disk"] == "4000000 µs apart; less than 8000000 µs cannot be seen"
    assert told["stops of the server"] == "3 stops" and "stops of the server" not in found.so_far().notes


def test_a_moment_of_the_recording_is_told_in_seconds_of_the_load(recording):
    found, *_ = recording()
    assert replace(found, witness=SimpleNamespace(began=2.5)).at_s(4_000_000_000) == 1.5


def test_two_disks_of_one_server_are_data_and_logs(recording):
    found, *_ = recording()
    assert replace(found, more=("another",)).disks == ("data", "logs")
    assert not found.is_killed


def test_an_unsound_ledger_ends_the_trial(recording):
    with pytest.raises(SandboxError, match="not the one that the witness wrote"):
        recording(ledger=Ledger(LEDGER.clients))


def test_the_gtids_at_the_crash_are_those_of_its_binary_log(recording, tmp_path):
    log = Binlog()
    log.commit(0, 1, 7)
    for name, data in (("binlog.000001", log.data), ("binlog.index", b"./binlog.000001\n")):
        (tmp_path / name).write_bytes(data)
    place = BinlogPlace(tmp_path / "binlog.index")
    look = Inspector(None, SCHEMA, SECRET, place)
    assert list(look.gtids("recorded binlog", place).values()) == [key(0, 1)] and look.problems == []
    assert look.gtids("recorded binlog", replace(place, index=tmp_path / "none.index")) is None
    assert look.problems[0].startswith("recorded binlog: ")
    found, _, begun = recording()
    assert found.named is None and begun.look.problems == [], "none was copied"
    found, *_ = recording(look=look)
    assert len(found.named) == 1 and found.before.index != place.index, "of the copy"


def test_a_server_that_is_to_be_killed_is_stopped_during_the_load(recording):
    found, notes, begun = recording("kill-points", setup=replace(prepared([], "kill-points").setup, points=2))
    assert found.is_killed and len(found.stops) == 2 and found.stops_took.startswith("2 stops, ")
    assert notes.count("server.go_on") == 2 and begun.ports.clock() == pytest.approx(begun.setup.load_s)


class Committing(Witness):
    acknowledged = 4


@pytest.mark.parametrize(("clients", "commits", "ends_at_once"), [(2, 2, True), (2, 3, False), (2, 0, False)])
def test_a_load_is_over_when_all_its_commits_are_acknowledged(clients, commits, ends_at_once):
    begun = prepared([])
    setup = replace(begun.setup, clients=clients, commits=commits)
    begun = replace(begun, setup=setup, witness=Committing("witness", []))
    recorded._wait(begun, 2.0)
    assert begun.ports.clock() == (0.0 if ends_at_once else 2.0)
    assert all(one <= POLL_S for one in begun.ports.clock.slept)


def test_clients_that_stop_before_the_end_of_the_load_end_the_trial():
    class Gone(Witness):
        alive, trouble = False, "1290: read-only"

    with pytest.raises(SandboxError, match="The clients stopped before the end of the load: 1290: read-only"):
        recorded._wait(replace(prepared([]), witness=Gone("witness", [])), 2.0)


def test_a_cancelled_load_ends_at_once():
    with pytest.raises(Cancelled):
        recorded._wait(prepared([], cancelled=lambda: True), 2.0)
