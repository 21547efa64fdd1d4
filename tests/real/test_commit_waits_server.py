"""Waits for the leader of a commit group on a real server: many clients wait, a lone one does not."""

import threading

import pytest

from workers.metrics.commit_waits import INSTRUMENTS, CommitWaits
from workers.metrics.source import Subject
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.look import read

COMMITS = 200


@pytest.fixture(scope="module")
def timed(make_sandbox):
    settings = {"log_bin": "ON", "sync_binlog": "1", "performance_schema": "ON"}
    target = make_sandbox(settings, name="timed").target
    with connect(target) as connection:
        ask.rows(connection, "CREATE DATABASE durascope_w")
        ask.rows(connection, "CREATE TABLE durascope_w.t (id INT AUTO_INCREMENT PRIMARY KEY)")
    return target


def switch(target, state):
    statement = "UPDATE performance_schema.setup_instruments SET enabled = %s, timed = %s WHERE name = %s"
    with connect(target) as connection:
        ask.rows(connection, statement, (state, state, INSTRUMENTS["mariadb"]))


def client(target):
    with connect(target) as connection:
        for _ in range(COMMITS):
            ask.rows(connection, "INSERT INTO durascope_w.t VALUES ()")


def waited(target, clients):
    with connect(target) as connection:
        subject = Subject(connection, read(connection))
        assert CommitWaits().missing(subject) == ""
        session = CommitWaits().open(subject)
        session.begin()
        writers = [threading.Thread(target=client, args=(target,)) for _ in range(clients)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        return session.end().figures


def test_clients_that_commit_together_wait_for_a_leader(timed):
    switch(timed, "YES")
    (figure,) = waited(timed, clients=8)
    assert figure.name == "group_wait_ms" and figure.value > 0
    assert figure.source == "commit_waits:THD::COND_wakeup_ready"


def test_a_lone_client_is_said_to_have_waited_for_nobody(timed):
    switch(timed, "YES")
    assert waited(timed, clients=1) == ()


def test_an_instrument_that_is_off_is_named_with_its_switch(timed):
    switch(timed, "NO")
    with connect(timed) as connection:
        why = CommitWaits().missing(Subject(connection, read(connection)))
    assert "COND_wakeup_ready=ON" in why


def test_without_performance_schema_it_says_so(sandbox):
    with connect(sandbox.target) as connection:
        assert "performance_schema is off" in CommitWaits().missing(Subject(connection, read(connection)))
