"""A connection test whose child had to be ended is over: no other worker takes the same server again."""

import socket
from functools import partial

import pytest

from dashboard.records.servers import actions
from dashboard.records.servers.models import Preflight
from tests.unit.conducting import experiments as make
from workers.host.apart import ApartLimits
from workers.servers import connection_test
from workers.servers.children import CHILDREN
from workers.upkeep import connections


@pytest.fixture
def silent():
    """The port of a server that accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]
    CHILDREN.close()


@pytest.mark.django_db
def test_a_hung_connection_test_is_stored_as_failed_and_not_claimed_again(silent, monkeypatch):
    soon = partial(connection_test.run_apart, limits=ApartLimits(0.3))
    monkeypatch.setattr(connections.connection_test, "run_apart", soon)
    asked = Preflight.objects.create(server=make.attached(host="127.0.0.1", port=silent))
    connections.run_preflight(asked.pk, make.worker())
    asked.refresh_from_db()
    assert (asked.state, asked.outcome, asked.facts, asked.claimed) == ("done", "failed", {}, 1)
    assert "took more than 0.3 s" in asked.checked[0].says and asked.checked[0].fix
    assert actions.begin_preflight(asked.pk, "another worker") is None
