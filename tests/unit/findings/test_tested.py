"""The line that says what a result is about."""

from dataclasses import replace

import pytest

from dashboard.findings.probed import FlushMedians
from dashboard.findings.tested import SpelledOut, beside, engines, named, spelled_out, where
from dashboard.text.numbers import UNKNOWN
from workers.bench import recipes
from workers.bench.plan import Variant

FLUSH = "4 KiB flushed when idle: 2.00 ms appended, with the journal and 1.00 ms overwritten"
FACTS = {"server version": "10.11.19-MariaDB-0+deb12u1-log", "CPU": "AMD EPYC", "cores": "2", "memory": "23.5 GiB"}


@pytest.mark.parametrize(
    ("more", "disk"),
    [
        (
            {"simulated device": "sata-7200", "file system": "ext4"},
            f"simulated disk (sata-7200, ext4, {FLUSH})",
        ),
        (
            {"device model": "Samsung 980", "file system": "ext4"},
            f"disk of its host (Samsung 980, ext4, {FLUSH})",
        ),
        (
            {"device": "/dev/vda", "file system": "ext4"},
            f"disk of its host (ext4, {FLUSH})",
        ),
        (
            {"file system": "tmpfs"},
            f"memory of its host, where a flush costs next to nothing (tmpfs, {FLUSH})",
        ),
        (
            {"file system": UNKNOWN},
            f"disk of its host ({FLUSH})",
        ),
    ],
)
def test_the_line_names_server_version_engine_disk_and_host(more, disk):
    parts = ["db1", "MariaDB 10.11.19", "InnoDB", disk, "AMD EPYC", "2 cores", "23.5 GiB of memory"]
    assert where("db1", FACTS | more, ["InnoDB"], FlushMedians(2.0, 1.0)).replace(
        "\N{NO-BREAK SPACE}", " "
    ) == ", ".join(parts)


def test_the_processor_of_the_worker_is_not_that_of_a_remote_server():
    remote = {"server version": "8.4.0", "worker's CPU": "AMD EPYC", "worker's cores": "2"}
    assert (
        where("db1", remote, ["InnoDB"]) == "db1, MySQL 8.4.0, InnoDB, measured from another host (AMD EPYC, 2 cores)"
    )


def test_facts_that_are_not_known_are_left_out():
    only = where("db1", {}, [], FlushMedians(None, 1.0)).replace("\N{NO-BREAK SPACE}", " ")
    assert only == "db1, disk of its host (4 KiB flushed when idle: 1.00 ms overwritten)"
    assert where("db1", dict.fromkeys(FACTS, UNKNOWN), ["MyRocks"]) == "db1, MyRocks"
    assert "MySQL 8.0.33" in where("db1", {"server version": "8.0.33"}, [])


@pytest.mark.parametrize(
    ("sentence", "spelled"),
    [
        ("At 8 threads 0/0 is 6.1 times as fast as 1/1.", ["1/1", "0/0"]),
        ("1/1: nothing lost.", ["1/1"]),
        ("31/12 lost nothing, and 1/10 too.", []),
        ("All tested settings lost acknowledged commits.", []),
    ],
)
def test_the_first_sentences_have_exactly_their_settings_spelled_out(sentence, spelled):
    settings = [SpelledOut(name, "sync_binlog=1") for name in ("1/1", "2/1", "0/0")]
    assert [one.name for one in named(settings, (sentence,))] == spelled


def test_a_setting_stands_with_the_first_reason_that_names_it():
    one, two = SpelledOut("2/1", "sync_binlog=1"), SpelledOut("2/0", "sync_binlog=0")
    reasons = ("Another load differs.", "2/0 lost commits, as 2/1 did.", "2/1 is slower.")
    assert beside([one, two], reasons) == [(reasons[0], []), (reasons[1], [one, two]), (reasons[2], [])]
    assert beside([one], ()) == []


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
