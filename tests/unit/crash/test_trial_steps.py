"""The steps of a trial whose server, disk and witness only write down what is asked of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from workers.crash.chain import Loaded, Prepared, TrialPorts
from workers.crash.inspect import BinlogPlace, Inspector
from workers.crash.kinds import CRASH_KINDS
from workers.crash.ledger import Ledger
from workers.crash.made import Made
from workers.crash.run import crash, load, recover
from workers.crash.timeline import Timeline
from workers.crash.trial import TrialSetup
from workers.errors import Cancelled, SandboxError, ServerEnded
from workers.sandbox.disk.cache import Cut
from workers.sandbox.server import Recovery


class Part:
    """Notes each call as "part.call"; `answers` says what a call returns, or raises."""

    def __init__(self, name, notes, **answers):
        self._name, self._notes, self._answers = name, notes, answers

    def __getattr__(self, call):
        def called(*_, **__):
            self._notes.append(f"{self._name}.{call}")
            answer = self._answers.get(call)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return called


class Server(Part):
    my_cnf, log_text = "[mysqld]", "ready for connections"


class Witness(Part):
    began, alive, trouble, drained_at_s = 0.0, True, "", 0.0


class Clock:
    """Time passes while somebody sleeps."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.slept.append(seconds)


def prepared(notes, kind="power-loss", clock=None, cancelled=lambda: False, log=None, **server):
    clock, data = clock or Clock(), server.pop("datadir", Path("/"))
    box = Server("server", notes, **{"recover": Recovery(1.5, ()), **server})
    box.datadir = data
    disk = Part("disk", notes, cut=Cut(7, 3), power_on="")
    setup = TrialSetup(Path("/nowhere"), object(), "box", {"sync_binlog": "1"}, "innodb", kind, 1, load_s=2.0)
    return Prepared(
        setup=setup,
        kind=CRASH_KINDS[kind],
        settings={},
        ports=TrialPorts(clock=clock, sleep=clock.sleep),
        made=Made(),
        timeline=Timeline(lambda step: notes.append(f"[{step}]"), cancelled, clock),
        server=box,
        disk=disk if CRASH_KINDS[kind].needs_disk else None,
        variables={"log_bin": "OFF", "sync_binlog": "1"},
        witness=Witness("witness", notes, ledger=Ledger(())),
        replica=None,
        look=Inspector(box, "s", b"", log),
    )


def loaded(notes, kind="power-loss", **how):
    return Loaded(**vars(prepared(notes, kind, **how)), gtid_before="")


def test_freeze_drain_cut():
    """An acknowledgement that is read after the cut could promise what is lost already."""
    notes = []
    crashed = crash(loaded(notes))
    assert notes == [
        "[freeze]", "disk.hold", "server.freeze", "witness.drain", "[cut]", "disk.cut", "[kill]", "server.kill",
        "[power on]", "disk.storage", "disk.power_on",
    ]  # fmt: skip
    assert crashed.so_far().notes == {
        "sync_binlog": "1", "bytes lost by the cut": "7", "bytes that got through": "3",
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "down"), [("process-kill", "server.kill"), ("graceful-restart", "server.stop")])
def test_a_server_that_goes_down_by_itself_is_drained_afterwards(kind, down):
    notes = []
    crash(loaded(notes, kind))
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


def test_it_knows_how_long_the_recovery_took():
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
