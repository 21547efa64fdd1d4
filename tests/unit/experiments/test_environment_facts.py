"""The facts of an environment are stored and read without a change."""

import pytest

from dashboard.installation.stored import Unreadable, read
from dashboard.records.experiments.environment import EnvironmentFacts, MeasuredServer, differences, facts
from workers.host.environment import HostFacts, StorageFacts

HOST, DISK = HostFacts(hostname="db7", cores=2), StorageFacts(file_system="ext4", profile="k=1ms")
OF_A_CELL = EnvironmentFacts(HOST, DISK, "1.0.20", MeasuredServer("mysql", "8.4.0", {}, {"sync_binlog": "1"}))
OF_A_TRIAL = EnvironmentFacts(HOST, DISK, server=MeasuredServer("mysql", "8.4.0"))
OF_AN_ATTACHED_SERVER = EnvironmentFacts(HOST, DISK)


@pytest.mark.parametrize("facts", [OF_A_CELL, OF_A_TRIAL])
def test_stored_facts_are_read_as_they_were(facts):
    assert read(EnvironmentFacts, facts.as_stored()) == facts


def test_a_trial_stores_neither_sysbench_nor_engines():
    assert OF_A_CELL.as_stored().keys() == {"host", "storage", "sysbench", "server"}
    assert OF_A_TRIAL.as_stored()["server"] == {"flavour": "mysql", "version": "8.4.0", "variables": {}}
    assert OF_AN_ATTACHED_SERVER.as_stored().keys() == {"host", "storage", "server"}
    assert OF_AN_ATTACHED_SERVER.as_stored()["server"] == {}


def test_an_older_environment_with_fewer_and_a_newer_one_with_more_facts_are_read():
    assert read(EnvironmentFacts, {"host": {"cores": 2, "sockets": 1}, "more": 1}).host.cores == 2


def test_a_fact_of_a_wrong_type_is_named():
    with pytest.raises(Unreadable, match=r"host\.cores"):
        read(EnvironmentFacts, {"host": {"cores": "many"}})


def test_only_differing_facts_and_variables_are_listed():
    other = EnvironmentFacts(HOST, DISK, "1.0.20", MeasuredServer("mysql", "8.4.1", {}, {"sync_binlog": "0"}))
    found = dict(differences([OF_A_CELL, other]))
    assert found == {"server version": ["8.4.0", "8.4.1"], "sync_binlog": ["1", "0"]}
    assert differences([OF_A_CELL, OF_A_CELL]) == differences([OF_A_CELL]) == differences([]) == []


def test_the_host_of_a_worker_that_measured_another_one_is_named_as_the_worker_s():
    """No storage: the data lie on another host, whose processor nobody asked for."""
    known = facts(OF_A_CELL)
    assert known["cores"] == "2" and not any(name.startswith("worker") for name in known)
    remote = facts(EnvironmentFacts(HOST, None, "1.0.20", OF_A_CELL.server))
    assert remote["worker's cores"] == "2" and remote["server version"] == "8.4.0"
    assert not {"cores", "CPU", "memory", "kernel", "distribution"} & remote.keys()
