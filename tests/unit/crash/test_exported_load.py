"""Archives of a recorded load: a crash point and the whole recording hold what was there, and are judged again. Disks
and servers are made up."""

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.crash.binlog_bytes import SECRET, Binlog
from tests.unit.crash.recorded_states import LOST, UNCLEAR, state
from tests.unit.crash.test_kept_histories import TWO, wrong_state
from tests.unit.sandbox.recordings import Written
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.points.export import again, recording
from workers.crash.points.export.again import recover_again, unpacked
from workers.crash.points.export.contents import read_point
from workers.crash.points.export.history import keep_state
from workers.crash.points.export.recording import keep_recording, try_more
from workers.crash.points.export.write import FOLDER, keep
from workers.crash.points.recorded import NS
from workers.crash.points.story import KILLED
from workers.crash.points.violations import Violation
from workers.crash.setup_and_result import Timeline
from workers.crash.verdict import CheckResult
from workers.errors import PlanError, SandboxError, ServerEnded
from workers.sandbox.builds import Build
from workers.sandbox.builds.layout import Layout
from workers.sandbox.disk import ability
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointPoint, JointStates, of_one
from workers.sandbox.disk.recording.points import ChosenPoint, Reached
from workers.sandbox.disk.recording.states import CrashPoint, States

BUILD = Build("made-up", "", "mariadb", (10, 11, 19), Layout(Path("/opt/bin/mysqld")))
LOG = Binlog()
for n in range(1, 6):
    LOG.commit(0, n, n)
TOLD_S = [0.25, 0.45, 0.65, 0.85, 1.05]  # when commits 1 to 5 were acknowledged, since the load began
HIDDEN = CheckResult("binlog-order", "invalid", 1, "The binary log has another order.")
BEGAN_S = 1.0  # the load, on the clock of the disks


@dataclass(frozen=True)
class Load:
    """Of a recorded load, as much as an archive holds."""

    setup: object
    recording: object
    is_killed: bool = False
    more: tuple = ()
    disks: tuple = ("data",)
    timeline: Timeline = field(default_factory=lambda: Timeline(lambda step: None, lambda: False))
    settings: dict = field(default_factory=lambda: {"sync_binlog": "0"})
    schema: str = "durascope_crash"
    secret: bytes = SECRET
    look: object = field(default_factory=lambda: SimpleNamespace(log=SimpleNamespace(first="binlog.000002")))
    has_binlog: bool = True
    has_gtids: bool = False
    replica: object = None
    margin_s: float = 0.0
    witness: object = field(default_factory=lambda: SimpleNamespace(began=BEGAN_S))
    told_s: tuple = tuple(TOLD_S)

    @property
    def whole(self):
        return Ledger((ClientLedger(0, len(self.told_s) + 1, np.array([*self.told_s, np.nan])),)).sealed(SECRET)

    def at_s(self, moment_ns):
        return moment_ns / NS - BEGAN_S

    def keeps(self, of):
        return of.points[0].keeps


@pytest.fixture
def load(tmp_path):
    """Events at 1.0, 1.1, ... seconds: four writes, each with a flush."""
    (tmp_path / "recorded").mkdir()
    written = Written(tmp_path / "recorded", clock=iter(range(int(1.0 * NS), int(9 * NS), NS // 10)))
    for block in range(4):
        written.write(block, bytes([65 + block]))
        written.flush()
    setup = SimpleNamespace(root=tmp_path / "root", build=BUILD, seed=7, points=40, storage=None)
    setup.root.mkdir()
    return Load(setup, written.load())


def with_second_disk(load):
    """Recorded on the same clock: one write after the first one of the other disk."""
    folder = load.recording.base.parent.with_name("second")
    folder.mkdir()
    written = Written(folder, clock=iter(range(int(1.05 * NS), int(9 * NS), NS // 10)))
    written.write(0, b"Z")
    return replace(load, more=(written.load(),))


def states_of(load):
    return JointStates([States(one) for one in (load.recording, *load.more)])


def choice(load, moment=2):
    if load.more:
        both = states_of(load).at(JointPoint(int(1.2 * NS), ("written", "written")))
        return JointChoice(both, "together", Reached(0, 0), True)
    chosen = States(load.recording).at(CrashPoint(moment, "written"))
    return of_one(ChosenPoint(chosen, "after a flush", Reached(0, 0), True))


def kept(load, *checks, keeps="written"):
    """The archive of the second event, and its folder."""
    violation = Violation(state(0.1, *checks, keeps=keeps), choice(load), frozenset({"lost-engine"}))
    (point,), archives = keep(load, states_of(load), [violation])
    assert point.n_bytes == len(archives[1]) and point.lacks == ""
    return archives[1], opened(archives[1], load.setup.root, FOLDER)


def opened(archive, root, name):
    live = root / f"opened {len(list(root.iterdir()))}"
    live.mkdir()
    return unpacked(archive, live, name)


def told_before(moment_s):
    return sum(one < moment_s for one in TOLD_S)


def acknowledged(folder):
    rows = [line.split("\t") for line in (folder / "commits.txt").read_text().splitlines() if line[0] != "#"]
    return sorted({int(n) for _, _, n, _, _, at in rows if at != "-"})


def test_the_archive_of_a_crash_point_holds_the_disk_and_the_commits_of_its_moment(load):
    _, folder = kept(load, LOST, HIDDEN, UNCLEAR)
    assert (folder / "disk.img").read_bytes() == b"A" * BLOCK_BYTES + bytes(5 * BLOCK_BYTES)
    until_s = choice(load).state.until_ns / NS - BEGAN_S
    assert acknowledged(folder) == list(range(1, told_before(until_s) + 1)) == [1, 2]
    assert "sync_binlog=0" in (folder / "my.cnf").read_text()
    assert (folder / "not-shown.txt").read_text() == f"{HIDDEN.says}\n"
    readme = (folder / "README.md").read_text()
    assert "# A power loss of MariaDB 10.11.19\nA power loss was simulated" in readme
    assert f"- {LOST.says}\n- {HIDDEN.says} The script does not try this check." in readme
    assert UNCLEAR.says not in readme, "it did not fail"
    scripts = [(folder / name).read_text() for name in ("show.sh", "start.sh", "rows.sql", "rows.awk")]
    assert "durascope_crash" in "".join(scripts) and "@SCHEMA@" not in "".join(scripts)


def test_the_archive_of_a_kill_says_so_and_may_have_no_failed_check(load):
    _, folder = kept(replace(load, look=SimpleNamespace(log=None)), keeps=KILLED)
    assert read_point((folder / "point.json").read_text()).first == "", "there was no binary log"
    readme = (folder / "README.md").read_text()
    assert "# A kill of MariaDB 10.11.19\nThe server was stopped" in readme and "\n- none\n" in readme


@pytest.mark.parametrize(("later_ns", "counts"), [(-1, 1), (0, 0)])
def test_only_an_answer_before_the_content_changes_counts(load, monkeypatch, later_ns, counts):
    """In the archive of a crash point, and where crash points of a kept recording are tried."""
    load = replace(load, told_s=(load.at_s(choice(load).state.until_ns + later_ns),))
    assert len(acknowledged(kept(load, LOST)[1])) == counts
    monkeypatch.setattr(ability, "missing", lambda: "")
    monkeypatch.setattr(recording, "_map_of", lambda states, live: FileMap([]))
    monkeypatch.setattr(recording, "choices_of", lambda *_: [choice(load)])
    monkeypatch.setattr(recording, "judge_disks", lambda folder, point, ledger, *server: ledger)
    (ledger,) = try_more(keep_recording(load)[1], load.setup.root, lambda key: BUILD, "", 0, 1)
    assert len(ledger.acknowledged()) == counts


def test_what_is_kept_is_told_as_progress(load):
    said = []
    load = replace(load, timeline=Timeline(said.append, lambda: False))
    kept(load, LOST)
    keep_recording(load)
    assert said == ["keep a crash point", "keep the recording"]


def test_the_files_of_a_recorded_disk_are_looked_for_on_the_disk_itself(load, tmp_path, monkeypatch):
    monkeypatch.setattr(recording.ReplayDisk, "replay", lambda folder, recorded: nullcontext((folder, recorded)))
    monkeypatch.setattr(recording.FileMap, "of", lambda states, disk: (states, disk))
    (states,) = states_of(load).disks
    found, (folder, recorded) = recording._map_of(states, tmp_path / "live")
    assert (found, recorded, folder.parent) == (states, load.recording, tmp_path) and not folder.exists()


class Disk:
    """A disk with a data directory and a binary log, or without."""

    def __init__(self, folder, has_data):
        self.mnt = folder
        if has_data:
            (folder / "data").mkdir(parents=True)
            (folder / "data/binlog.index").write_text("./binlog.000002\n")
            (folder / "data/binlog.000002").write_bytes(LOG.data)


@pytest.fixture
def host(monkeypatch):
    """A host on which no server starts unless `answers`. `images`: of the disks that were made; `started`: servers."""
    known = SimpleNamespace(images=[], started=[], logs=[], has_data=True, answers=False)

    @contextmanager
    def disk(folder, image):
        known.images.append((folder.name, image.name, image.read_bytes()[:1]))
        yield Disk(folder, known.has_data)

    def server(root, build, settings, *, user, trace, name, datadir_on, logs):
        known.started.append((build, settings, user, datadir_on.name))
        known.logs.append(logs)
        assert not trace, "nobody reads it"
        if not known.answers:
            raise ServerEnded("InnoDB: page 3 is corrupt.")
        return nullcontext(SimpleNamespace(settings=settings))

    monkeypatch.setattr(again, "VolatileDisk", SimpleNamespace(create=disk))
    monkeypatch.setattr(again, "Sandbox", SimpleNamespace(create=server))
    monkeypatch.setattr(ability, "missing", lambda: "")
    return known


def test_a_crash_point_is_recovered_again_on_a_server_of_its_build(load, host):
    archive, _ = kept(load, LOST)
    judged = recover_again(archive, load.setup.root, {"made-up": BUILD}.get, "mysql")
    assert host.images == [("data", "disk.img", b"A")]
    assert host.started == [(BUILD, {"sync_binlog": "0"}, "mysql", "data")]
    assert judged.failed == ("stays-down",) and judged.point.first == "binlog.000002"
    assert any("page 3 is corrupt" in one.says for one in judged.checks)
    assert "lost-binlog" in {one.key for one in judged.checks if one.outcome == "valid"}, "its files were read"
    assert list((load.setup.root / "live").iterdir()) == [], "everything is removed"


def test_a_replica_follows_the_recovered_server(load, host, monkeypatch):
    of_replica = {"server_id": "8"}
    both = replace(load, disks=("primary", "replica"), replica=SimpleNamespace(settings=of_replica))
    archive, folder = kept(with_second_disk(both), LOST)
    assert (folder / "replica.img").read_bytes()[:1] == b"Z" and "server_id=8" in (folder / "replica.cnf").read_text()
    host.answers, seen = True, []
    monkeypatch.setattr(again, "of_answering", lambda case, lines: case.expected())
    monkeypatch.setattr(again, "Link", lambda source, follower: (source.settings, follower.settings))
    monkeypatch.setattr(again, "followed", lambda start: (start(),))
    monkeypatch.setattr(again, "run_checks", lambda ledger, evidence: seen.append(evidence) or ())
    recover_again(archive, load.setup.root, lambda key: BUILD)
    assert host.images == [("data", "disk.img", b"A"), ("data", "replica.img", b"Z")]
    (evidence,) = seen
    (replica,) = evidence.replicas
    assert evidence.replica_expected and replica.sandbox.settings == replica.settings == of_replica
    assert (replica.link, replica.secret) == ((load.settings, of_replica), SECRET)


def test_logs_lie_on_a_disk_of_their_own_as_they_did(load, host, monkeypatch):
    load.setup.storage = SimpleNamespace(apart=frozenset({"binlog"}))
    archive, _ = kept(with_second_disk(replace(load, disks=("data", "logs"))), LOST)
    judged = recover_again(archive, load.setup.root, lambda key: BUILD)
    assert host.images == [("data", "disk.img", b"A"), ("logs", "logs.img", b"Z")]
    assert judged.point.apart == ("binlog",) and host.logs[0].binlog.parent.name == "logs"


def test_a_server_without_a_replica_has_none_to_follow(load, host, monkeypatch):
    host.answers, seen = True, []
    monkeypatch.setattr(again, "of_answering", lambda case, lines: case.expected())
    monkeypatch.setattr(again, "run_checks", lambda ledger, evidence: seen.append(evidence) or ())
    recover_again(kept(load, LOST)[0], load.setup.root, lambda key: BUILD)
    assert [(one.replicas, one.replica_expected, one.binlog_expected) for one in seen] == [((), False, True)]


def test_a_wrong_state_of_a_history_is_compared_with_what_it_may_hold(tmp_path, load, host):
    begun = SimpleNamespace(setup=load.setup, settings=load.settings, timeline=load.timeline)
    (tmp_path / "history").mkdir()
    written = Written(tmp_path / "history")
    written.write(0, b"A")
    written.write(1, b"B")
    archive = keep_state(begun, *wrong_state(written.load(), TWO)).archive
    judged = recover_again(archive, load.setup.root, {"made-up": BUILD}.get, "mysql")
    (check,) = judged.checks
    assert (check.key, check.outcome, judged.failed) == ("history", "invalid", judged.point.failed)
    assert "does not come back: InnoDB: page 3 is corrupt." in check.says
    assert host.images == [("data", "disk.img", b"A")] and host.started[0][:3] == (BUILD, load.settings, "mysql")


def test_a_power_loss_that_took_the_data_directory_is_a_server_that_stays_down(load, host):
    host.has_data = False
    judged = recover_again(kept(load, LOST)[0], load.setup.root, lambda key: BUILD)
    assert host.started == [] and any("took its data directory" in one.says for one in judged.checks)


def test_a_host_without_simulated_disks_recovers_nothing(load, host, monkeypatch):
    monkeypatch.setattr(ability, "missing", lambda: "Run as root.")
    with pytest.raises(PlanError, match="cannot be recovered on this host") as refused:
        recover_again(b"", load.setup.root, lambda key: BUILD)
    assert refused.value.fix == "Run as root."
    with pytest.raises(PlanError, match="cannot be recovered on this host"):
        next(try_more(b"", load.setup.root, lambda key: BUILD, "", 0, 1))


def test_another_file_is_no_archive(load, host):
    with pytest.raises(SandboxError):
        recover_again(b"PK\3\4", load.setup.root, lambda key: BUILD)


def test_a_recording_is_kept_whole(load):
    told, archive = keep_recording(load)
    folder = opened(archive, load.setup.root, recording.FOLDER)
    assert (told.n_bytes, told.lacks) == (len(archive), "")
    assert {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()} == {
        "data/base", "data/events", "commits.txt", "recording.json", "my.cnf", "README.md",
    }  # fmt: skip
    assert acknowledged(folder) == [1, 2, 3, 4, 5] and "sync_binlog=0" in (folder / "my.cnf").read_text()


def test_a_recording_that_could_not_be_kept_says_why(load):
    told, archive = keep_recording(replace(load, is_killed=True))
    assert (archive, told.n_bytes) == (b"", 0) and "all of them were tried" in told.lacks
    load.recording.base.unlink()
    told, archive = keep_recording(load)
    assert (archive, told.n_bytes) == (b"", 0) and "No such file" in told.lacks


def test_the_crash_points_that_follow_those_that_were_tried_are_judged(load, host, monkeypatch):
    """The made-up map of the disk has no files, so no flush is better than another."""
    asked, choices = [], [choice(load, moment) for moment in (0, 4, 7)]

    def choices_of(states, files, seed, points, with_replica):
        asked.append((len(states.disks), len(files), seed, points, with_replica))
        return choices

    monkeypatch.setattr(recording, "_map_of", lambda states, live: FileMap([]))
    monkeypatch.setattr(recording, "choices_of", choices_of)
    seen = []
    monkeypatch.setattr(recording, "judge_disks", lambda *given: seen.append((*given, disk_of(given[0]))) or given[1])
    _, archive = keep_recording(load)
    points = list(try_more(archive, load.setup.root, lambda key: BUILD, "mysql", skip=1, most=1))
    assert asked == [(1, 1, 7, 40, False)]
    ((folder, point, ledger, root, build, user, disk),) = seen
    assert points == [point] and (point.moment, point.keeps) == (4, "after a flush")
    assert (root, build, user) == (load.setup.root, BUILD, "mysql")
    assert disk == b"AB" and not folder.exists()
    until_s = choices[1].state.until_ns / NS - BEGAN_S
    assert len(ledger.acknowledged()) == told_before(until_s) > 0


def disk_of(folder):
    """The first byte of each block that was written."""
    return (folder / "disk.img").read_bytes()[::BLOCK_BYTES].rstrip(b"\0")
