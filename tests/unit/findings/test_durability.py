"""The settings that decide what a crash loses: which count, and when a trial stands for a server."""

from dataclasses import replace

import pytest

from dashboard.findings.crash.durability import DECIDING, Durability, agree, key_of, of_facts, of_server, of_trial
from dashboard.records.experiments.environment import EnvironmentFacts, MeasuredServer
from workers.servers.answered import AnsweredFacts
from workers.servers.facts import Facts

BOTH = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
SERVER = Durability("mariadb", "10.11.6-MariaDB-log", BOTH)


def test_only_settings_that_decide_count_in_one_spelling():
    told = {"sync_binlog": " 1 ", "log_bin": "true", "innodb_flush_method": "fsync", "performance_schema": "ON"}
    assert replace(SERVER, settings=told).deciding == {"sync_binlog": "ON", "log_bin": "ON", "innodb_flush_method": ""}
    assert "rocksdb_manual_wal_flush" in replace(SERVER, settings={"rocksdb_manual_wal_flush": "0"}).deciding


def test_a_value_that_is_not_known_is_as_good_as_not_reported():
    facts = AnsweredFacts("mariadb", "10.11.6", settings={**BOTH, "log_bin": None}, words=(("log_bin", "ON", ""),))
    assert of_server(facts).settings == BOTH
    measured = EnvironmentFacts(server=MeasuredServer("mariadb", "10.11.6", variables={"log_bin": None}))
    assert of_trial(measured, BOTH).settings == BOTH


def test_a_trial_runs_with_the_settings_of_its_variant():
    measured = EnvironmentFacts(server=MeasuredServer("mysql", "8.0.36", variables={"sync_binlog": 0, "log_bin": 1}))
    ran = of_trial(measured, {"sync_binlog": "1"})
    assert (ran.flavour, ran.version, ran.settings) == ("mysql", (8, 0, 36), {"sync_binlog": "1", "log_bin": "1"})
    assert of_trial(EnvironmentFacts(), BOTH) == Durability("", "", BOTH), "of a registered server"


def test_a_word_of_a_preflight_counts_where_no_setting_says_it():
    facts = AnsweredFacts("mysql", "5.6.14", settings={"sync_binlog": "1"},
                          words=(("sync_binlog", "0", ""), ("innodb_support_xa", "ON", "")))  # fmt: skip
    assert of_server(facts).settings == {"sync_binlog": "1", "innodb_support_xa": "ON"}


@pytest.mark.parametrize(
    ("settings", "engines"),
    [
        (BOTH, ["innodb"]),
        ({**BOTH, "rocksdb_flush_log_at_trx_commit": "1"}, ["innodb", "rocksdb"]),
        ({"sync_binlog": "1"}, []),
        ({"innodb_flush_log_at_trx_commit": "1"}, []),
        ({}, []),
    ],
)
def test_the_commits_of_an_engine_can_be_compared_if_its_flush_and_the_binlogs_are_known(settings, engines):
    assert replace(SERVER, settings=settings).engines == engines
    assert set(engines) <= DECIDING.keys()


def test_no_trial_stands_for_a_fork_or_for_a_server_without_its_redo_log():
    assert of_server(AnsweredFacts("mysql", "8.0.11-TiDB-v7.5.1", settings=BOTH, lookalike="tidb")).flavour == ""
    facts = Facts("mysql", (8, 0, 33), "8.0.33", BOTH, {})
    assert not agree("innodb", of_facts(replace(facts, lookalike="tidb")), of_facts(facts))
    assert agree("innodb", of_facts(facts), of_facts(facts))
    for state, engines in (("OFF", []), ("ON", ["innodb"])):
        assert of_facts(replace(facts, variables={**BOTH, "innodb_redo_log_enabled": state})).engines == engines


@pytest.mark.parametrize(
    ("trial", "agrees"),
    [
        (SERVER, True),
        (replace(SERVER, version_text="10.11.2"), True),
        (replace(SERVER, version_text="10.6.2"), False),
        (replace(SERVER, version_text="11.11.6"), False),
        (replace(SERVER, flavour="mysql"), False),
        (replace(SERVER, settings={**BOTH, "sync_binlog": "0"}), False),
        (replace(SERVER, settings={**BOTH, "innodb_doublewrite": "ON"}), False),
        (replace(SERVER, settings={**BOTH, "rocksdb_manual_wal_flush": "ON"}), True),
    ],
)
def test_a_trial_stands_for_a_server_of_its_series_with_the_same_settings(trial, agrees):
    """A setting that only the trial names is a difference, if it is one of the engine."""
    assert agree("innodb", SERVER, trial) is agrees


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({}, {"version_text": "10.11.2"}, True),
        ({}, {"settings": {**BOTH, "sync_binlog": "TRUE"}}, True),
        ({}, {"settings": {**BOTH, "log_bin": "ON"}}, False),
        ({}, {"settings": {**BOTH, "sync_binlog": "0"}}, False),
        ({}, {"flavour": "mysql"}, False),
        ({}, {"version_text": "10.6.2"}, False),
        ({}, {"version_text": "11.11.6"}, False),
        ({}, {"settings": {**BOTH, "performance_schema": "ON"}}, True),
    ],
)
def test_the_key_under_which_trials_are_noted_is_that_of_their_settings(one, other, same):
    keys = {key_of("innodb", replace(SERVER, **changed)) for changed in (one, other)}
    assert len(keys) == (1 if same else 2)
    assert key_of("rocksdb", SERVER) not in keys
