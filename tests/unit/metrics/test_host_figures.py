"""Figures of the host, from texts of /proc and from the real ones."""

import os
import time
from pathlib import Path

import pytest

from workers.host import environment
from workers.metrics.host_figures import HostFigures, HostWindow, read, runnable
from workers.metrics.source import Subject
from workers.servers.facts import Facts

STAT = "cpu  100 20 30 4000 500 6 7 8 90 10\ncpu0 1 2 3\nprocs_running 5\n"
NEW = " 254 0 vda 1 2 3 4 50 6 70 8 9 1000 11 12 13 14 15 160 17\n"
OLD = " 254 0 vda 1 2 3 4 50 6 70 8 9 1000 11\n"
FACTS = Facts("mariadb", (10, 11, 0), "10.11.0", {}, {})


def test_idle_and_stolen_time_and_guests_are_not_counted_as_use():
    assert read(STAT, "", "") == {"busy_ticks": 163}
    assert runnable(STAT) == 4


def test_the_disk_of_the_data_and_its_flushes():
    assert read(STAT, " 7 0 loop0 9 9 9\n" + NEW, "vda") == {
        "busy_ticks": 163, "writes": 50, "sectors": 70, "busy_ms": 1000, "flushes": 160,
    }  # fmt: skip
    assert "flushes" not in read(STAT, OLD, "vda")
    assert read(STAT, NEW, "sda") == {"busy_ticks": 163}


def test_a_server_elsewhere_has_no_host_here():
    assert "not on this host" in HostFigures().missing(Subject(None, FACTS))
    assert HostFigures().missing(Subject(None, FACTS, folder=Path("/"))) == ""


def figures_while(act, disk):
    window = HostWindow(disk)
    window.begin()
    act()
    window.tick()
    reading = window.end()
    assert all(len(values) == 1 for values in reading.per_second.values())
    return {figure.name: figure.value for figure in reading.figures}


def test_a_busy_processor_is_seen():
    def burn():
        until = time.process_time() + 0.3
        while time.process_time() < until:
            pass

    assert figures_while(burn, "")["cpu_s"] >= 0.25


def test_writes_and_flushes_are_seen(tmp_path):
    disk = environment.disk_name(tmp_path)
    if disk is None:
        pytest.skip("the folder of the tests is on no block device")

    def flush():
        with (tmp_path / "file").open("wb", buffering=0) as file:
            for _ in range(20):
                file.write(bytes(4096))
                os.fsync(file.fileno())

    found = figures_while(flush, disk)
    assert found["disk_writes"] >= 20 and found["disk_written_bytes"] >= 20 * 4096
    if environment.storage(tmp_path).write_cache == "write back":  # else the kernel need not flush the disk
        assert found["disk_flushes"] >= 20


def test_a_disk_that_is_made_of_others_has_no_flushes(monkeypatch):
    """The kernel would always count 0."""
    monkeypatch.setattr(environment, "is_stacked", lambda disk: disk == "dm-0")
    assert set(read(STAT, NEW.replace("vda", "dm-0"), "dm-0")) == {"busy_ticks", "writes", "sectors", "busy_ms"}
    assert read(STAT, NEW, "vda")["flushes"] == 160
