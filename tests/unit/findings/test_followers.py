"""Before the start it is said which replicas no guardrail watches."""

from dataclasses import asdict, replace

import pytest

from dashboard.findings.attached.followers import followers, not_watched
from dashboard.findings.attached.known import told
from dashboard.findings.attached.links import links
from dashboard.records.servers.models import Preflight
from tests.unit.results import factory
from workers.bench.plan import PlanTarget
from workers.servers.replication import Peer, Replication

pytestmark = pytest.mark.django_db


def registered(name, number, replicas=(), sources=(), **more):
    server = factory.server(name, host=name)
    said = Replication(number, 3306, sources, replicas, (), {"server_uuid": f"uuid-{number}"}, **more)
    facts = {"flavour": "mysql", "replication": asdict(said)}
    Preflight.objects.create(server=server, state="done", facts=facts)
    return server


def seen(server):
    return followers(server, known := told(), links(known))


def test_a_registered_replica_is_watched_and_nothing_is_said():
    primary = registered("db1", 1, (Peer("db2", 3306, 2, "uuid-2"),))
    replica = registered("db2", 2, sources=(Peer("db1", 3306, 1, "uuid-1"),))
    found = seen(primary)
    assert (found.watched, found.unwatched) == ((replica.pk,), ())


@pytest.mark.parametrize(
    ("replicas", "more", "names"),
    [
        ((Peer("db7", 3307, 7, "uuid-7"),), {}, "the replica db7:3307 (server_id 7) of db1 is not watched"),
        ((Peer("", 3306, 7, "uuid-7"),), {}, "host not reported:3306 (server_id 7) of db1 is not watched"),
        ((Peer("", 3306, 7),), {"dump_hosts": ("192.0.2.7",)}, "their address are connected from 192.0.2.7"),
        (
            None,
            {"dump_hosts": ("192.0.2.7",)},
            "may not list the replicas of db1. Replicas are connected from 192.0.2.7",
        ),
        (None, {}, "Which servers replicate from it is not known"),
    ],
)
def test_a_replica_that_is_not_watched_is_named(replicas, more, names):
    found = seen(registered("db1", 1, replicas, **more))
    assert found.watched == () and names in " ".join(found.unwatched)


def test_a_server_that_was_never_tested_may_have_any():
    (says,) = seen(factory.server("db1", host="db1")).unwatched
    assert "are not known" in says and "Test connection" in says


def test_a_plan_says_it_of_its_attached_servers_unless_the_limit_is_off():
    primary = registered("db1", 1, (Peer("db7", 3307, 7, "uuid-7"),))
    plan = replace(factory.plan([primary]), targets=(PlanTarget(primary.pk, primary.name, is_sandbox=False),))
    off = replace(plan, max_lag_s=0)
    assert ["db7:3307" in says for says in not_watched(plan)] == [True] and not_watched(off) == []
