"""A lane recovers states of a recording, one after the other, on disks and a server of its own."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.crash.parts import Part, Removed
from workers.crash.disks import DATA, LOGS
from workers.crash.made import Made
from workers.crash.points.lane import MOST_LANES, Lane, lanes, recover
from workers.errors import ServerEnded
from workers.sandbox.log_places import IN_DATADIR, LogPlaces


@pytest.fixture
def load(tmp_path):
    """(the recorded load, what happened, the folders of its disks, where a server's logs lie)"""
    notes, folders, places = [], [], []

    def replay(folder, recording):
        folders.append(folder)
        disk = Removed(f"disk of {recording}", notes)
        disk.mnt = Path("/mnt") / recording
        return disk

    def twin(mnt, where):
        places.append((mnt, where))
        return Removed("server", notes)

    known = SimpleNamespace(
        setup=SimpleNamespace(root=tmp_path, storage=SimpleNamespace(apart=frozenset({"binlog"}))),
        made=Made(),
        ports=SimpleNamespace(replay=replay),
        scene=SimpleNamespace(sandbox=SimpleNamespace(twin=twin)),
    )
    return known, notes, folders, places


def states(*recordings):
    return SimpleNamespace(disks=[SimpleNamespace(recording=one) for one in recordings])


def test_there_is_a_lane_for_each_processor(load, tmp_path, monkeypatch):
    one, notes, folders, places = load
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(3 if pid == 0 else 0))
    with one.made:
        found = lanes(one, states("a"))
        assert len(found) == len({*folders}) == min(MOST_LANES, 3)
        assert {folder.parent for folder in folders} == {tmp_path / "live"}
        assert places == [(Path("/mnt/a"), IN_DATADIR)] * len(found)
        one.made.kill()
        assert {"disk of a.give_way", "server.kill"} == {*notes}
        notes.clear()
    assert notes[:3] == ["disk of a.give_way", "server.remove", "disk of a.remove"], "a frozen disk keeps its server"


def test_the_disks_of_a_server_with_logs_apart_lie_as_they_were_recorded(load, monkeypatch):
    one, _, folders, places = load
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(1))
    with one.made:
        (found,) = lanes(one, states("data", "logs"))
    assert [folder.name for folder in folders] == [DATA, LOGS] and len({folder.parent for folder in folders}) == 1
    assert places == [(Path("/mnt/data"), LogPlaces(binlog=Path("/mnt/logs/binlog")))] and len(found.disks) == 2


def test_a_server_is_dead_before_its_disk_becomes_another_state():
    notes = []
    disks, server, replica = [Part("disk", notes), Part("logs", notes)], Part("server", notes), Part("replica", notes)
    Lane(server, states("a", "b"), tuple(disks), replica).become(("first", "second"))
    assert notes == [
        "replica.kill",
        "replica.forget_logs",
        "server.kill",
        "server.forget_logs",
        "disk.become",
        "logs.become",
    ]
    assert [disk.given["become"] for disk in disks] == [("first",), ("second",)]


def test_a_state_without_a_data_directory_ends_the_server(tmp_path):
    server = Part("server", [], recover="recovered")
    server.datadir = tmp_path
    assert recover(server, {"sync_binlog": "1"}) == "recovered" and server.given["recover"] == ({"sync_binlog": "1"},)
    server.datadir = tmp_path / "gone"
    with pytest.raises(ServerEnded, match="took its data directory"):
        recover(server, {})
