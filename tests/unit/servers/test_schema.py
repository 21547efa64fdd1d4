"""Durascope makes and drops schemas of its own, and touches no other."""

import pymysql
import pytest

from tests.unit.servers.played import Played
from workers.errors import PlanError, ServerError
from workers.servers import schema

NAME = "durascope_x"
EXISTS, CREATE = "SELECT 1 FROM information_schema.schemata", f"CREATE DATABASE `{NAME}`"


def statements(server):
    return [sql for sql, _ in server.said]


def test_a_schema_is_noted_before_it_is_made():
    server, noted = Played({EXISTS: [], CREATE: []}), []
    schema.create(server, NAME, lambda name: noted.append((name, len(server.said))))
    assert noted == [(NAME, 1)]
    assert server.said[0][1] == (NAME,) and statements(server)[1].startswith(CREATE)


def test_a_schema_that_exists_is_not_touched():
    server, noted = Played({EXISTS: [(1,)]}), []
    with pytest.raises(PlanError, match="already exists; it was not touched") as refused:
        schema.create(server, NAME, noted.append)
    assert refused.value.fix == f"If nobody needs it: DROP DATABASE `{NAME}`;"
    assert noted == [] and len(server.said) == 1


@pytest.mark.parametrize("name", ["shop", "durascope", "durascope_", "durascope_X", "durascope_x`; DROP DATABASE shop"])
def test_only_schemas_of_our_own_are_made_and_dropped(name):
    for act in (lambda server: schema.create(server, name, lambda _: None), lambda server: schema.drop(server, name)):
        server = Played({"": []})
        with pytest.raises(PlanError, match="may touch"):
            act(server)
        assert server.said == []


def test_a_schema_that_another_client_made_meanwhile_is_not_ours():
    server, restored = Played({EXISTS: [], CREATE: pymysql.ProgrammingError(1007, "database exists")}), []
    with pytest.raises(PlanError, match="already exists"):
        schema.create(server, NAME, lambda _: None, restored.append)
    assert restored == [NAME]


def test_a_schema_that_could_not_be_made_stays_noted():
    """The answer may be lost after the server made it."""
    server, restored = Played({EXISTS: [], CREATE: pymysql.OperationalError(2013, "lost"), "SELECT": []}), []
    with pytest.raises(ServerError):
        schema.create(server, NAME, lambda _: None, restored.append)
    assert restored == []
