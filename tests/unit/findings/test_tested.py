"""The line that says what a result is about."""

from dataclasses import replace

import pytest

from dashboard.findings.tested import SpelledOut, engines, spelled_out, where
from dashboard.text.numbers import UNKNOWN
from workers.bench import recipes
from workers.bench.plan import Variant

FACTS = {"server version": "10.11.19-MariaDB-0+deb12u1-log", "CPU": "AMD EPYC", "cores": "2", "memory": "23.5 GiB"}


@pytest.mark.parametrize(
    ("more", "disk"),
    [
        ({"simulated device": "sata-7200", "file system": "ext4"}, "on a simulated disk (sata-7200)"),
        ({"device model": "Samsung 980", "file system": "ext4"}, "on Samsung 980"),
        ({"device": "/dev/vda", "file system": "ext4"}, "on a disk with ext4"),
        ({"file system": UNKNOWN}, ""),
    ],
)
def test_it_names_server_version_engine_disk_and_host(more, disk):
    parts = ["MariaDB 10.11.19", "InnoDB", disk, "AMD EPYC", "2 cores", "23.5 GiB of memory"]
    assert where("db1", FACTS | more, ["InnoDB"]) == f"db1, {', '.join(filter(None, parts))}"


def test_facts_that_are_not_known_are_left_out():
    assert where("db1", dict.fromkeys(FACTS, UNKNOWN), ["MyRocks"]) == "db1, MyRocks"
    assert "MySQL 8.0.33" in where("db1", {"server version": "8.0.33"}, [])


def plan(*variants: Variant):
    return replace(recipes.load("what-does-safety-cost").plan([]), variants=variants)


def test_each_variant_is_spelled_out_without_what_all_share():
    made = plan(
        Variant("1/1", {"log_bin": "ON", "sync_binlog": "1"}), Variant("1/0", {"log_bin": "ON", "sync_binlog": "0"})
    )
    assert spelled_out(made, str.upper) == [SpelledOut("1/1", "sync_binlog=1"), SpelledOut("1/0", "sync_binlog=0")]
    assert engines(made) == ["InnoDB"]
    assert engines(plan(Variant("a", {}), Variant("b", {}, engine="rocksdb"))) == ["InnoDB", "MyRocks"]


def test_a_single_variant_keeps_all_its_settings_and_many_are_left_to_the_evidence():
    assert spelled_out(plan(Variant("1/1", {"log_bin": "ON"})), str) == [SpelledOut("1/1", "log_bin=ON")]
    assert spelled_out(plan(*(Variant(str(n), {"sync_binlog": str(n)}) for n in range(9))), str) == []


def test_a_topology_is_spelled_out():
    two = (Variant("near", {"sync_binlog": "1"}, topology="async"), Variant("alone", {"sync_binlog": "1"}))
    assert spelled_out(plan(*two), str) == [SpelledOut("near", "topology=async")]
