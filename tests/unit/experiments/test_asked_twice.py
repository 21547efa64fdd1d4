"""What people and programs ask for at the same moment: keys of the API, the last administrators, tests of connections,
marks of servers, shared views."""

from functools import partial

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied

from dashboard.records.accounts import actions as people
from dashboard.records.accounts.actions import LastAdministrator
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.api import start_keys
from dashboard.records.experiments.models import Experiment
from dashboard.records.refused import Refused
from dashboard.records.servers import actions as servers
from dashboard.records.servers.models import Preflight, Server
from dashboard.records.sharing import actions as sharing
from dashboard.records.sharing.models import ShareLink
from tests.at_once import at_once
from tests.unit.conducting import experiments as make

pytestmark = pytest.mark.django_db(transaction=True)
THREADS, ROUNDS = 4, 8


def test_concurrent_starts_with_one_key_make_one_experiment():
    user, server = User.objects.create_superuser("a", password="a long test password"), make.attached()
    for number in range(ROUNDS):
        start = partial(start_keys.start_once, user, f"key {number}", {"n": number}, partial(make.experiment, server))
        found = at_once(*[start] * THREADS)
        assert [is_new for _, is_new in found].count(True) == 1
        assert len({experiment.pk for experiment, _ in found}) == 1
    assert Experiment.objects.count() == ROUNDS


def test_two_administrators_cannot_demote_each_other_at_once():
    """Each takes the other's role away."""
    both = [User.objects.create_superuser(name, password="a long test password") for name in "ab"]
    for _ in range(ROUNDS):
        Person.objects.filter(user__in=both).update(role=Role.ADMINISTRATOR)
        fresh = [User.objects.get(pk=one.pk) for one in both]
        a, b = fresh
        found = at_once(
            partial(people.change_role, a, b, Role.VIEWER.value), partial(people.change_role, b, a, Role.VIEWER.value)
        )
        assert Person.objects.filter(role=Role.ADMINISTRATOR).count() == 1, found
        assert sum(isinstance(one, LastAdministrator | PermissionDenied) for one in found) == 1, found


def test_a_connection_test_is_claimed_by_one_worker():
    server = make.attached()
    for _ in range(ROUNDS):
        asked = Preflight.objects.create(server=server)
        found = at_once(*[partial(servers.begin_preflight, asked.pk, str(n)) for n in range(THREADS)])
        assert [one for one in found if one is not None] == [server]


def test_a_server_is_never_both_expendable_and_production():
    """Its owner marks it while somebody labels it; or withdraws the mark while somebody edits it."""
    admin = User.objects.create_superuser("a", password="a long test password")
    for number in range(ROUNDS):
        server = make.attached(f"db{number}")
        labelled = Server.objects.get(pk=server.pk)
        labelled.label = Server.Label.PRODUCTION
        found = at_once(
            partial(servers.mark_expendable, admin, server, ["/bin/kill"], ["/bin/start"]),
            partial(servers.change, admin, labelled, "", ["label"]),
        )
        assert sum(isinstance(one, Refused) for one in found) == 1, found
        server.refresh_from_db()
        assert server.expendable != (server.label == Server.Label.PRODUCTION)


def test_a_mark_that_is_withdrawn_stays_withdrawn():
    admin = User.objects.create_superuser("a", password="a long test password")
    for number in range(ROUNDS):
        server = make.attached(f"db{number}")
        servers.mark_expendable(admin, server, ["/bin/kill"], ["/bin/start"])
        edited = Server.objects.get(pk=server.pk)
        edited.name = f"renamed {number}"
        found = at_once(
            partial(servers.withdraw_expendable, admin, server), partial(servers.change, admin, edited, "", ["name"])
        )
        assert not any(isinstance(one, Exception) for one in found), found
        server.refresh_from_db()
        assert not server.expendable and server.name == f"renamed {number}"


def test_no_view_is_lost():
    from dashboard.pages.sharing.opened import count

    link, _ = sharing.share(None, make.experiment(make.attached()))
    from django.test import RequestFactory

    at_once(*[lambda: [count(RequestFactory().get("/"), link, "views") for _ in range(ROUNDS)]] * THREADS)
    assert ShareLink.objects.get(pk=link.pk).views == THREADS * ROUNDS
