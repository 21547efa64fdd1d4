"""How much a load can write before a disk of the server is full."""

import os
import socket
from types import SimpleNamespace

import pymysql
import pytest

from tests.unit.servers.played import Played
from workers.servers.facts import Facts
from workers.servers.free_disk import free_bytes, is_here, least_free
from workers.servers.target import Target

REMOTE = Target("db", "attached", "u", "p", host="192.0.2.7")
LOCAL = Target("db", "attached", "u", "p", socket="/run/mysqld/mysqld.sock")
PLACES = {"datadir": "/data/", "innodb_log_group_home_dir": "./", "log_bin_basename": "/binlog/log"}


def facts(**variables):
    return Facts("mariadb", (10, 11, 6), "10.11.6", {**PLACES, **variables}, {})


def with_disks(*disks):
    return Played({"SELECT Path, Available FROM information_schema.DISKS": disks})


def test_the_fullest_disk_of_data_redo_log_and_binlog_counts():
    disks = (("/", 1), ("/data", 900), ("/binlog", 70))
    assert least_free(REMOTE, with_disks(*disks), facts()) == 70 * 1024
    assert least_free(REMOTE, with_disks(*disks), facts(innodb_log_group_home_dir="/redo")) == 1024, "the root's disk"


def test_one_disk_that_is_not_known_leaves_the_free_space_open():
    assert least_free(REMOTE, with_disks(("/data", 900)), facts()) is None
    denied = Played({"SELECT Path": pymysql.ProgrammingError(1109, "Unknown table"), "SELECT": []})
    assert least_free(REMOTE, denied, facts()) is None


@pytest.mark.parametrize(
    ("target", "hostname", "here"),
    [
        (LOCAL, socket.gethostname(), True),
        (LOCAL, "in a container", False),
        (REMOTE, socket.gethostname(), False),
    ],
)
def test_a_server_is_here_if_its_address_and_its_host_name_are(target, hostname, here, monkeypatch):
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=10, f_frsize=4096))
    at = facts(hostname=hostname)
    assert is_here(target, at) == here
    assert free_bytes(target, with_disks(("/data", 900)), at, "/data") == (40960 if here else 900 * 1024)
