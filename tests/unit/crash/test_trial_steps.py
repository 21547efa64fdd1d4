"""The steps of a trial whose server, disk and witness only write down what is asked of them."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.unit.crash.parts import Clock, Part, loaded, prepared
from workers.crash.chain import LOG_LINES, WITHOUT_REPLICA
from workers.crash.client import ConnectionLedger, Refusal
from workers.crash.inspect import BinlogPlace
from workers.crash.kinds.kind import Scene
from workers.crash.ledger import ClientLedger
from workers.crash.made import Made
from workers.crash.outage import ClientOutage
from workers.crash.run import FIRST_S, QUIET_S, crash, load, recover
from workers.crash.setup_and_result import Attached, Timeline, TrialResult, TrialSetup, TrialStep
from workers.errors import Cancelled, SandboxError, ServerEnded
from workers.sandbox.disk.cache import Cut
from workers.sandbox.server import Recovery


def test_freeze_drain_cut():
    """An acknowledgement that is read after the cut could promise what is lost already."""
    notes = []
    crashed = crash(loaded(notes))
    assert notes == [
        "[freeze]", "disk.hold_flushes", "server.freeze", "witness.drain", "[cut]", "disk.cut", "[kill]", "server.kill",
        "[power on]", "disk.storage", "disk.power_on",
    ]  # fmt: skip
    assert crashed.so_far().notes == {
        "sync_binlog": "1", "bytes lost by the cut": "7", "bytes that got through": "3",
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "down"), [("process-kill", "server.kill"), ("graceful-restart", "server.stop")])
def test_a_server_that_goes_down_by_itself_is_drained_afterwards(kind, down):
    notes = []
    begun = loaded(notes, kind)
    assert crash(begun).down is begun.server
    assert notes[1:] == [down, "witness.drain"]


def test_the_binlog_is_copied_as_it_stood_at_the_cut(tmp_path):
    """Not before: a disk that holds its flushes may hold the reader. Not later: power on takes what is not flushed."""
    for name, text in (("binlog.index", "./binlog.000001\n"), ("binlog.000001", "at the cut")):
        (tmp_path / name).write_text(text)
    begun = loaded([], log=BinlogPlace(tmp_path / "binlog.index"))

    class Returning(Part):
        def power_on(self):
            (tmp_path / "binlog.000001").write_text("at power on")

    with begun.made:
        crashed = crash(replace(begun, disk=Returning("disk", [], cut=Cut(0, 0))))
        assert [file.read_text() for file in crashed.before.files()] == ["at the cut"]
    assert not crashed.before.index.exists()


def test_the_clients_commit_until_the_moment_that_the_seed_draws():
    notes, clock = [], Clock()
    begun = prepared(notes, clock=clock)
    assert load(begun).gtid_before == ""
    assert notes == ["[load]", "witness.begin"]
    assert clock.now == pytest.approx(begun.setup.crash_after_s) and max(clock.slept) <= 0.05


def test_the_crash_waits_for_the_first_commits():
    clock = Clock()
    begun = prepared([], clock=clock)
    slow = replace(begun, setup=replace(begun.setup, clients=16))
    slow.witness.acknowledged = 15
    load(slow)
    assert clock.now == pytest.approx(slow.setup.crash_after_s + FIRST_S, abs=0.1)
    slow.witness.acknowledged, clock.now = 16, 0.0
    load(slow)
    assert clock.now == pytest.approx(slow.setup.crash_after_s)


def test_a_load_without_clients_is_no_trial():
    begun = prepared([])
    begun.witness.alive, begun.witness.trouble = False, "2013: lost"
    with pytest.raises(SandboxError, match="stopped before the crash: 2013: lost"):
        load(begun)


def test_a_load_ends_when_somebody_cancels():
    clock = Clock()
    with pytest.raises(Cancelled):
        load(prepared([], clock=clock, cancelled=lambda: clock.now > 0.2))
    assert clock.now < 0.3


def test_no_step_begins_once_somebody_has_cancelled():
    notes = []
    with pytest.raises(Cancelled):
        crash(loaded(notes, cancelled=lambda: True))
    assert notes == []


def test_the_time_of_the_recovery_is_kept():
    found = recover(crash(loaded([])))
    assert (found.so_far().recovery_s, found.refused, found.so_far().verdict) == (1.5, "", "unknown")


def test_a_server_that_ends_on_what_is_left_has_refused():
    found = recover(crash(loaded([], recover=ServerEnded("InnoDB: page 3 is corrupt."))))
    assert (found.so_far().recovery_s, found.refused) == (None, "InnoDB: page 3 is corrupt.")


def test_a_server_without_its_folder_has_refused(tmp_path):
    notes = []
    found = recover(crash(loaded(notes, datadir=tmp_path / "gone")))
    assert found.refused == "The power loss took its data directory." and "server.recover" not in notes


def test_trouble_of_the_host_in_a_recovery_is_no_refusal():
    with pytest.raises(SandboxError):
        recover(crash(loaded([], recover=SandboxError("no space left"))))


def test_the_recovery_is_not_slowed_by_the_storage_of_the_load():
    notes = []
    crashed = crash(loaded(notes))
    notes.clear()
    recover(crashed)
    assert notes == ["[recovery]", "disk.storage", "server.recover"]


@pytest.mark.parametrize(("kind", "kept"), [("power-loss", 0), ("lying-disk", 0), ("torn-power-loss", 500)])
def test_only_a_torn_power_loss_lets_half_of_what_was_not_flushed_through(kind, kept):
    begun = loaded([], kind)
    crash(begun)
    assert begun.disk.given["cut"] == (kept, begun.setup.seed)


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("torn-power-loss", (500, 500)), ("data-disk-power-loss", (0, 1000)), ("log-disk-power-loss", (1000, 0))],
)
def test_two_disks_lose_power_at_one_moment_or_one_is_protected(kind, kept):
    notes = []
    begun = loaded(notes, kind)
    logs = Part("logs", notes, cut=Cut(1, 2), power_on="")
    crashed = crash(replace(begun, logs_disk=logs))
    assert (begun.disk.given["cut"][0], logs.given["cut"][0]) == kept
    asked = [note for note in notes if note.startswith(("disk.", "logs.", "server.freeze"))]
    assert asked[:5] == ["disk.hold_flushes", "logs.hold_flushes", "server.freeze", "disk.cut", "logs.cut"]
    assert {"disk.power_on", "logs.power_on"} <= set(asked)
    assert crashed.crash_notes["bytes lost by the cut"] == "8"


def test_a_disk_that_lies_is_told_to_before_the_load():
    begun = prepared([], "lying-disk")
    begun.kind.arm(begun.scene)
    assert begun.disk.given["lie"] == (True,)


def test_the_disk_comes_back_at_full_speed_and_a_repair_is_noted():
    begun = loaded([])
    crashed = crash(replace(begun, disk=Part("disk", [], cut=Cut(0, 0), power_on="journal replayed")))
    assert crashed.disk.given["storage"] == (0,)
    assert crashed.crash_notes["file system"] == "journal replayed"


def test_crashes_that_need_a_disk_say_so():
    with pytest.raises(SandboxError, match="needs a volatile disk"):
        Scene(object(), None, 1, print).disk  # noqa: B018


def test_the_client_that_reconnects_works_from_the_load_until_it_committed_again():
    notes = []
    server = Attached(object(), "s", (), (), print, print, limit_s=9)
    begun = prepared(notes, "attached-expendable", crash=Part("down", notes, recover=Recovery(1.5, ())))
    told = ClientLedger(3000, 2, np.array([0.1, np.nan]))
    connection = ConnectionLedger("address", 0.05, told, Refusal(0.2, "1290: read-only"))
    client = Part("client", notes, outage=ClientOutage(0.2, 0.9), ledgers=(told,), connections=(connection,))
    begun = replace(begun, reconnecting=client, setup=replace(begun.setup, attached=server))
    found = recover(crash(load(begun)))
    known = found.so_far()
    assert (found.outage.seconds, known.acknowledged) == (pytest.approx(0.7), 1)
    assert known.in_doubt == 0 and known.notes["refused"] == "1 transaction, the first one with 1290: read-only"
    assert client.given["begin"] == (begun.witness.began,) and client.given["outage"][0] == 9
    assert [note for note in notes if note.startswith(("[", "client", "witness"))][:8] == [
        "[load]", "witness.begin", "client.begin", "[kill]", "witness.drain", "[recovery]", "[reconnect]",
        "client.outage",
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "told"), [(1, "1 transaction, "), (2, "2 transactions, ")])
def test_refused_transactions_are_counted_and_the_first_error_is_told(count, told):
    connections = [
        ConnectionLedger("address", 0.05, ClientLedger(number, 1, np.array([np.nan])), Refusal(0.2, f"error {number}"))
        for number in range(count)
    ]
    begun = prepared([])
    begun.witness.connections = lambda: connections
    assert begun.so_far().notes["refused"] == f"{told}the first one with error 0"


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("replica-crash-points", {"the replica's own settings": "sync_relay_log=1, read_only=ON"}),
        ("every-crash-point", {"replica": WITHOUT_REPLICA}),
        ("power-loss", {}),
    ],
)
def test_the_result_tells_how_its_replica_differs_or_that_there_is_none(kind, told):
    begun = prepared([], kind)
    own = {"sync_relay_log": "1", "read_only": "ON"}
    notes = replace(begun, setup=replace(begun.setup, replica=True, replica_settings=own)).so_far().notes
    assert {name: note for name, note in notes.items() if "replica" in name} == told
    assert "the replica's own settings" not in begun.so_far().notes


@pytest.mark.parametrize(("attached", "quiet_s"), [(None, 0), (object(), 1.0)])
def test_only_an_answer_of_another_host_may_be_under_way(attached, quiet_s):
    begun = loaded([], "process-kill")
    crashed = crash(replace(begun, setup=replace(begun.setup, attached=attached)))
    assert crashed.witness.given["drain"] == (quiet_s,) and QUIET_S == 1.0


@pytest.mark.parametrize(
    ("variables", "binlog", "gtids"),
    [
        ({"log_bin": "ON", "gtid_binlog_pos": ""}, True, True),
        ({"log_bin": "1", "gtid_mode": "ON_PERMISSIVE"}, True, True),
        ({"log_bin": "ON", "gtid_mode": "ON"}, True, True),
        ({"log_bin": "ON", "gtid_mode": "OFF_PERMISSIVE"}, True, False),
        ({"log_bin": "OFF"}, False, False),
        ({}, False, False),
    ],
)
def test_the_server_tells_whether_it_has_a_binlog_and_gtids(variables, binlog, gtids):
    begun = replace(prepared([]), variables=variables, look=Part("look", [], gtid_position="0-1-7"))
    assert (begun.has_binlog, begun.has_gtids) == (binlog, gtids)
    assert load(begun).gtid_before == ("0-1-7" if binlog else "")


def test_a_position_that_could_not_be_read_is_none():
    begun = replace(prepared([]), variables={"log_bin": "ON"}, look=Part("look", [], gtid_position=None))
    assert load(begun).gtid_before == ""


def test_settings_are_told_as_the_server_has_them_and_its_log_from_its_end():
    begun = prepared([])
    begun.server.log_text = "\n".join(map(str, range(401)))
    found = replace(begun, setup=replace(begun.setup, settings={"sync_binlog": "0", "unknown": "1"})).so_far()
    assert (found.notes, len(found.log_lines), found.log_lines[-1]) == ({"sync_binlog": "1"}, LOG_LINES, "400")
    assert (found.my_cnf, LOG_LINES) == ("[mysqld]", 400)


def test_each_step_ends_where_the_next_one_begins():
    clock = Clock()
    clock.now = 100.0
    line = Timeline(lambda step: None, lambda: False, clock)
    assert (line.now, line.steps()) == ("prepare", ())
    for name, seconds in (("start", 1.000049), ("load", 2.50002), ("cut", 0.25)):
        clock.now += seconds
        line.step(name)
    clock.now += 3
    assert line.now == "cut"
    assert line.steps() == (
        TrialStep("start", 1.0, 2.5),
        TrialStep("load", 3.5001, 0.25),
        TrialStep("cut", 3.7501, 3.0),
    )


def test_the_crash_comes_in_the_second_half_of_the_load():
    setup = TrialSetup(root=Path("/"), build=None, name="", settings={}, kind="", seed=1, load_s=4.0)
    moments = [replace(setup, seed=seed).crash_after_s for seed in range(99)]
    assert 2.0 <= min(moments) < 2.2 and 3.8 < max(moments) <= 4.0


def test_the_setup_and_the_result_of_a_trial_have_these_defaults():
    setup = TrialSetup(root=Path("/"), build=None, name="", settings={}, kind="", seed=1)
    assert (setup.clients, setup.load_s, setup.replica, setup.user) == (16, 2.0, False, "")
    assert (setup.points, setup.points_s, setup.commits, setup.keep_recording) == (200, 3600, 0, False)
    server = Attached(object(), "", (), (), print, print)
    assert (server.limit_s, server.binlog_index) == (120.0, "")
    found = TrialResult()
    assert (found.sent, found.acknowledged, found.in_doubt, found.crash_at_s) == (0, 0, 0, 0.0)
    assert {found.failed_at, found.error, found.my_cnf, found.digest_key} == {""}


def test_a_trial_that_somebody_cancels_is_killed_within_a_second():
    made, killed = Made(), threading.Event()
    made.killed_by(killed.set)
    with made.killed_when(lambda: True):
        assert killed.wait(1.0)


def test_a_server_that_cannot_be_killed_spares_no_other_and_is_tried_again():
    made, tries, kills = Made(), threading.Semaphore(0), threading.Semaphore(0)

    def waits_for_a_device():
        tries.release()
        raise SandboxError("It waits for a device.")

    made.killed_by(waits_for_a_device)
    made.killed_by(kills.release)
    with made.killed_when(lambda: True):
        for each in (tries, kills, tries, kills):
            assert each.acquire(timeout=5.0)


def test_a_server_that_starts_after_the_kill_is_killed_too():
    made, kills = Made(), threading.Semaphore(0)
    made.killed_by(kills.release)
    with made.killed_when(lambda: True):
        assert kills.acquire(timeout=5.0)
        assert kills.acquire(timeout=5.0)


def test_cancellation_is_not_asked_for_after_the_end_of_a_trial():
    asked = threading.Event()

    def cancelled():
        asked.set()
        return threading.Event().wait(0.1)

    with Made().killed_when(cancelled):
        assert asked.wait(5.0)
    assert "cancel" not in {thread.name for thread in threading.enumerate()}
