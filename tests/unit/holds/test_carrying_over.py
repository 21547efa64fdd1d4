"""Rows that earlier installations kept in other tables; on the database that the tests run on."""

import importlib
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from dashboard.records.holds.models import HostLease, PendingRestore
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
tables = importlib.import_module("dashboard.records.holds.migrations.0001_tables")


@pytest.fixture
def before():
    experiment = factory.experiment()
    server = experiment.cells.first().server
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE servers_debt (id integer, kind varchar(10), name varchar(80), old text, owed_at timestamp,"
            " tried_at timestamp, paid_at timestamp, problem text, experiment_id integer, server_id integer)"
        )
        cursor.execute(
            "INSERT INTO servers_debt VALUES"
            " (7, 'variable', 'sync_binlog', '1', CURRENT_TIMESTAMP, NULL, NULL, 'down', %s, %s)",
            [experiment.pk, server.pk],
        )
        cursor.execute("CREATE TABLE fleet_hostlease (host varchar(255), experiment_id integer, taken_at timestamp)")
        cursor.execute("INSERT INTO fleet_hostlease VALUES ('db7', %s, CURRENT_TIMESTAMP)", [experiment.pk])
    return server


def test_restores_and_leases_are_carried_over(before):
    tables.carry_over(apps, SimpleNamespace(connection=connection))
    kept = PendingRestore.objects.get()
    assert (kept.server, kept.name, kept.old, kept.problem, kept.restored_at) == (
        before,
        "sync_binlog",
        "1",
        "down",
        None,
    )
    assert HostLease.objects.get().host == "db7"
    assert not {"servers_debt", "fleet_hostlease"} & set(connection.introspection.table_names())
    PendingRestore.objects.create(server=before, kind="schema", name="next")  # the next row's number is free


def test_a_new_installation_has_nothing_to_carry_over(db):
    tables.carry_over(apps, SimpleNamespace(connection=connection))
    assert not PendingRestore.objects.exists()
