"""A topology whose nodes do not fit into the host's memory is refused with the sum."""

from types import SimpleNamespace

import pytest

from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds.kind import too_large
from workers.topology.topology import Topology

MYSQL = SimpleNamespace(flavour="mysql", version=(8, 0, 33), title="MySQL 8.0.33")
GROUP, FIVE = TOPOLOGY_KINDS["group-replication"], Topology("group-replication", replicas=4)


@pytest.fixture
def meminfo(tmp_path):
    def made(text):
        (tmp_path / "meminfo").write_text(text)
        return tmp_path / "meminfo"

    return made


def test_the_sum_and_the_free_memory_are_named(meminfo):
    (why,) = too_large(GROUP, FIVE, MYSQL, meminfo=meminfo("MemTotal: 99999999 kB\nMemAvailable:    2097152 kB\n"))
    assert "5 nodes of 600 MiB each need 3000 MiB of memory, and 2048 MiB are free" in why


def test_nodes_that_fit_are_not_refused(meminfo):
    assert too_large(GROUP, FIVE, MYSQL, meminfo=meminfo(f"MemAvailable: {3000 * 1024} kB\n")) == []
    assert too_large(TOPOLOGY_KINDS["async"], Topology(), MYSQL, meminfo=meminfo("MemAvailable: 700000 kB\n")) == []


def test_a_larger_buffer_pool_adds_to_the_sum(meminfo):
    free, large = meminfo("MemAvailable: 2097152 kB\n"), {"innodb_buffer_pool_size": "1G"}
    asynchronous, pair = TOPOLOGY_KINDS["async"], Topology("async")
    assert too_large(asynchronous, pair, MYSQL, {"innodb_buffer_pool_size": "64M"}, free) == []
    (why,) = too_large(asynchronous, pair, MYSQL, large, free)
    assert "2 nodes of 1196 MiB each need 2392 MiB" in why and "smaller innodb_buffer_pool_size" in why
    small = Topology("async", replica_settings={"innodb_buffer_pool_size": "128M"})
    assert too_large(asynchronous, small, MYSQL, large, free) == []
    (why,) = too_large(asynchronous, small, MYSQL, {"innodb_buffer_pool_size": "2G"}, free)
    assert "Nodes (1 of 2220 MiB, 1 of 300 MiB) need 2520 MiB" in why
    one = Topology("async", replicas=3, one_replica={2: {"innodb_buffer_pool_size": "1G"}})
    (why,) = too_large(asynchronous, one, MYSQL, meminfo=meminfo("MemAvailable: 2048000 kB\n"))
    assert "Nodes (3 of 300 MiB, 1 of 1196 MiB) need 2096 MiB of memory, and 2000 MiB are free" in why


def test_a_host_that_does_not_tell_its_free_memory_is_not_refused(meminfo):
    assert too_large(GROUP, FIVE, MYSQL, meminfo=meminfo("MemFree: 5 kB\n")) == []
