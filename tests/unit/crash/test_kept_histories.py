"""A wrong state of a small history as an archive: which state is kept, and what its archive holds."""

import errno
import os
import subprocess
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.sandbox.recordings import Written
from workers.crash.binlog.events import BinlogUnknown
from workers.crash.chain import Begun
from workers.crash.made import Made
from workers.crash.points import exhaust
from workers.crash.points.export import history as export
from workers.crash.points.export import write
from workers.crash.points.export.history import KeptState, keep_state, read_history, write_allowed
from workers.crash.points.histories import AtOnce, History, alone
from workers.crash.points.play import Answered, Played, PlayedAtOnce
from workers.crash.points.server_content import ServerContent, printed
from workers.crash.points.story import KeptPoint
from workers.crash.points.violations import MOST_KEPT
from workers.crash.setup_and_result import Timeline
from workers.errors import SandboxError, ServerError
from workers.sandbox.builds import Build
from workers.sandbox.builds.layout import Layout
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import States
from workers.sandbox.server import Recovery

RIGHT = ServerContent((("t", "CREATE", ()),), (), 1)
WRONG = replace(RIGHT, logged=7)
LATE = 1 << 62
BUILD = Build("made-up", "", "mariadb", (10, 11, 19), Layout(Path("/opt/bin/mysqld")))


@pytest.fixture
def recording(tmp_path):
    written = Written(tmp_path)
    written.write(0, b"a")
    written.write(1, b"b")
    written.flush()
    return written.load()


def begun(root, points_s=60.0):
    setup = SimpleNamespace(root=root, seed=7, points_s=points_s, build=BUILD, replica=False)
    kind = SimpleNamespace(records=True, with_replica=False)
    return Begun(setup=setup, kind=kind, settings={"sync_binlog": "0"}, ports=None, made=Made(),
                 timeline=Timeline(lambda step: None, lambda: False))  # fmt: skip


def played(recording, history):
    """All but the last statement are answered before the recording."""
    answered = [Answered(statement, 0, RIGHT) for _, statement in history.steps[:-1]]
    return Played(history, recording, (Answered("", 0, RIGHT), *answered, Answered(history.steps[-1][1], LATE, RIGHT)))


def fakes(recording, is_bad, archive=lambda history: b"archive"):
    """A server that recovers wrong, after a bad history, where the first block is there without the second. Archives
    are made up: the histories of which one was asked for, and the ports."""
    disk, asked, now = {}, [], []

    def lane(*_):
        made = SimpleNamespace(become=lambda contents: (disk.clear(), disk.update(contents[0])))
        made.states = JointStates([States(recording)])
        made.server = SimpleNamespace(target=None, datadir=None, kill=lambda: None, log_text="")
        return [made]

    def keep(of, history, states, judged):
        asked.append((of.settings, history.history, judged))
        kept = archive(history.history)
        point = KeptPoint(number=0, moment=1, at_s=0.0, keeps="written", checks=(), n_bytes=len(kept),
                          history=history.history.title)  # fmt: skip
        return KeptState(point, kept)

    def play(ready, history):
        now.append(history)
        return played(recording, history)

    return asked, exhaust.HistoryPorts(
        start=lambda _: None, play=play, lanes=lane, keep=keep, recover=lambda *_: Recovery(0.25, ()),
        connect=lambda target: nullcontext(), holds=lambda datadir, texts: True,
        content=lambda *_: WRONG if set(disk) == {0} and is_bad(now[-1]) else RIGHT,
    )  # fmt: skip


def result(root, ports, *histories, points_s=60.0):
    *_, last = exhaust.steps(begun(root, points_s), histories, ports)
    return last


def test_of_right_states_none_is_kept(tmp_path, recording):
    asked, ports = fakes(recording, lambda history: False)
    found = result(tmp_path, ports, alone("one", "INSERT"))
    assert asked == [] and found.archives == {} and found.story.kept == found.story.smallest == ()


def test_of_a_wrong_state_an_archive_is_kept(tmp_path, recording):
    asked, ports = fakes(recording, lambda history: history.title == "bad")
    good, bad = alone("good", "INSERT"), alone("bad", "INSERT", max_binlog_size="4096")
    found = result(tmp_path, ports, good, bad, replace(good, title="also good"))
    (point,) = found.story.kept
    assert (point.number, point.history, found.archives) == (1, "bad", {1: b"archive"})
    ((settings, history, judged),) = asked
    assert settings == {"sync_binlog": "0", "max_binlog_size": "4096"} and history == bad
    assert (judged.tried.moment, judged.tried.verdict, judged.held) == (1, "invalid", WRONG)
    told = found.so_far()
    assert (told.points, told.archives, told.verdict) == (found.story, found.archives, "invalid")


def has_create(history):
    return any(statement == "CREATE" for _, statement in history.steps)


LONG = alone("drop", "INSERT", "CREATE", "SELECT", "DROP")


def steps_of(history):
    return tuple(statement for _, statement in history.steps)


def test_that_of_the_smallest_part_is_preferred(tmp_path, recording):
    _, ports = fakes(recording, has_create, lambda history: ", ".join(steps_of(history)).encode())
    found = result(tmp_path, ports, LONG)
    assert found.archives == {1: b"CREATE, DROP"} and found.story.smallest[0].steps == ("CREATE", "DROP")


def test_if_the_smaller_one_cannot_be_kept_the_larger_one_stays(tmp_path, recording):
    _, ports = fakes(recording, has_create, lambda history: b"whole" if history == LONG else b"")
    found = result(tmp_path, ports, LONG)
    assert found.archives == {1: b"whole"} and found.story.kept[0].n_bytes == 5


@pytest.mark.parametrize("refused", [ServerError("1146: no such table"), BinlogUnknown("an event of type 99")])
def test_a_part_that_the_server_refuses_is_not_smaller(tmp_path, recording, refused):
    _, ports = fakes(recording, lambda history: True)

    def play(ready, history):
        if not has_create(history):
            raise refused
        return ports.play(ready, history)

    found = result(tmp_path, replace(ports, play=play), LONG)
    assert found.story.smallest[0].steps == ("CREATE", "DROP")


def test_after_the_time_only_the_first_state_of_a_history_is_tried_and_no_part_of_it(tmp_path, recording):
    _, ports = fakes(recording, lambda history: True)
    begun = []
    ports = replace(ports, content=lambda *_: WRONG, start=begun.append)
    found = result(tmp_path, ports, LONG, LONG, points_s=-1.0)
    assert found.story.counts.tried == found.story.counts.failed == len(begun) == 2
    assert found.story.smallest == ()


def test_a_state_that_could_not_be_kept_is_told_and_the_others_are(tmp_path, recording):
    _, ports = fakes(recording, lambda history: True, lambda history: b"" if history.title == "large" else b"small")
    found = result(tmp_path, ports, alone("large", "INSERT"), alone("small", "INSERT"))
    assert [(one.number, one.history, one.n_bytes) for one in found.story.kept] == [(1, "large", 0), (2, "small", 5)]
    assert found.archives == {2: b"small"} and found.story.counts.failed == 2


def test_few_histories_have_an_archive(tmp_path, recording):
    asked, ports = fakes(recording, lambda history: True)
    found = result(tmp_path, ports, *(alone(f"history {n}", "INSERT", "DROP") for n in range(MOST_KEPT + 2)))
    assert [point.number for point in found.story.kept] == [1, 2, 3, 4] == list(found.archives)
    assert len(asked) == 2 * MOST_KEPT, "of the history and of its smallest part"
    assert found.story.counts.failed == MOST_KEPT + 2


def wrong_state(recording, history, at_once=None):
    run, states = replace(played(recording, history), at_once=at_once), States(recording)
    disk = next(one for one in exhaust.each_state(states, 7) if one.point.moment == 1)
    lane = SimpleNamespace(become=lambda contents: None, states=JointStates([states]))
    lane.server = SimpleNamespace(target=None, datadir=None, kill=lambda: None, log_text="")
    ports = exhaust.HistoryPorts(recover=lambda *_: Recovery(0.25, ()), connect=lambda target: nullcontext(),
                                 content=lambda *_: replace(WRONG, prepared=("x\udcff",)))  # fmt: skip
    return run, states, exhaust._judged(lane, SimpleNamespace(settings={}), run, disk, ports)


def unpacked(archive, folder):
    subprocess.run(["tar", "--extract", "--gzip", "--directory", folder], input=archive, check=True)
    return folder / "crash-point"


TWO = History("two tables", ((0, "INSERT 1"), (1, "INSERT 2"), (0, "INSERT 3")))


def test_the_archive_holds_the_disk_the_steps_and_the_allowed_contents(tmp_path, recording):
    run, states, judged = wrong_state(recording, TWO)
    (tmp_path / "root").mkdir()
    kept = keep_state(begun(tmp_path / "root"), run, states, judged)
    assert (kept.point.n_bytes, kept.point.history, kept.point.lacks) == (len(kept.archive), "two tables", "")
    assert list((tmp_path / "root/live").iterdir()) == []
    folder = unpacked(kept.archive, tmp_path)
    assert (folder / "disk.img").read_bytes() == b"a" * BLOCK_BYTES + bytes(5 * BLOCK_BYTES)
    point = read_history((folder / "point.json").read_text())
    assert point.allowed == run.allowed(judged.state) and point.settings == {"sync_binlog": "0"}
    assert point.statements[-2:] == ("client 2, answered: INSERT 2", "client 1, under way: INSERT 3")
    assert "sync_binlog=0" in (folder / "my.cnf").read_text()
    readme = (folder / "README.md").read_text()
    assert "client 1, under way: INSERT 3" in readme and "in the binary log 7 transactions instead of 1" in readme
    assert "- `allowed/1.txt`: after INSERT 2, with 1 transactions" in readme and "MariaDB 10.11.19" in readme
    assert "`held.txt`, with 7 transactions in the binary log" in readme
    assert "not readable" in export._readme(BUILD, point, replace(judged, held=None))
    assert (folder / "held.txt").read_bytes() == b"t\tCREATE\nprepared transaction\tx\xff\n"
    assert {one.name for one in folder.iterdir()} > {"show.sh", "start.sh", "content.sql", "transactions.awk"}
    assert sorted(one.name for one in (folder / "allowed").iterdir()) == ["1.binlog", "1.txt", "2.binlog", "2.txt"]


def test_statements_that_were_sent_at_once_are_told_from_those_in_turn(recording):
    sent = ((AtOnce(0, "COMMIT", "a", "of A"), 0), (AtOnce(1, "INSERT", "b", "of B"), LATE))
    history = History("two", ((0, "BEGIN"),))
    run, _, judged = wrong_state(recording, history, PlayedAtOnce(sent, RIGHT))
    assert judged.tried.acknowledged == 1
    assert list(export._statements(run, judged))[-3:] == [
        "client 1, answered: BEGIN", "client 1, sent at once, answered: COMMIT",
        "client 2, sent at once, under way: INSERT",
    ]  # fmt: skip
    in_turn, _, first = wrong_state(recording, TWO)
    nothing = replace(first, tried=replace(first.tried, acknowledged=0))
    assert list(export._statements(in_turn, nothing))[-1] == "client 1, under way: INSERT 1"
    early = replace(judged, tried=replace(judged.tried, acknowledged=0))
    assert list(export._statements(run, early))[-1] == "client 1, under way: BEGIN"


def test_an_archive_that_is_too_large_is_told(tmp_path, recording, monkeypatch):
    monkeypatch.setattr(write, "MOST_BYTES", 100)
    kept = keep_state(begun(tmp_path), *wrong_state(recording, TWO))
    assert kept.archive == b"" and kept.point.n_bytes == 0 and "are kept at most" in kept.point.lacks


@pytest.mark.parametrize(("error", "advice"), [(errno.ENOSPC, True), (errno.EPERM, False)])
def test_an_archive_that_cannot_be_written_says_why(tmp_path, recording, monkeypatch, error, advice):
    def fails(*_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(export, "write_image", fails)
    kept = keep_state(begun(tmp_path), *wrong_state(recording, TWO))
    assert kept.archive == b"" and os.strerror(error) in kept.point.lacks
    assert ("Make space on the host." in kept.point.lacks) == advice


def test_an_allowed_content_and_its_binary_log_are_files(tmp_path):
    content = ServerContent((("a", "A", ("a\t'1'", "a\tNULL")), ("b", "B", ())), ("x",), 3)
    write_allowed(tmp_path / "allowed", [Answered("", 0, RIGHT), Answered("I", 0, content, ("of A", "of B"))])
    assert (tmp_path / "allowed/2.txt").read_text() == "a\tA\na\t'1'\na\tNULL\nb\tB\nprepared transaction\tx\n"
    assert (tmp_path / "allowed/2.binlog").read_text() == "3\nof A\nof B\n"


def test_a_row_is_printed_as_the_client_does():
    row = ("tab\there", "line\nend", "back\\slash", "nul\0", None, "NULL", 7, b"\xff\xfe")
    assert printed(row).split("\t") == [
        r"tab\there", r"line\nend", r"back\\slash", r"nul\0", "NULL", "NULL", "7", "\udcff\udcfe"
    ]  # fmt: skip


def test_the_crash_point_of_a_load_is_told_from_that_of_a_history():
    assert read_history('{"build": "b", "moment": 1}') is None


@pytest.mark.parametrize("text", ["", "[", '["history"]', '{"history": "x"}', '{"history": "x", "allowed": [{}]}'])
def test_another_text_is_no_state_of_a_history(text):
    with pytest.raises(SandboxError, match="no state of a small history of this version"):
        read_history(text)
