"""Two who change a server at once: an edit stores what it changed, and not what it had read before."""

import pytest

from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed
from dashboard.records.refused import Refused
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.unit.schedules.made import somebody

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria(server):
    user = somebody("maria", Role.OPERATOR)
    Server.objects.update(owner=user)
    return user


@pytest.fixture
def stale(maria):
    """As an edit of maria's read it, before others did what the tests do."""
    return Server.objects.get()


def now():
    return Server.objects.get()


def test_an_edit_leaves_the_fields_that_others_changed_meanwhile(stale, admin):
    otto = somebody("otto", Role.OPERATOR)
    actions.hand_over(admin, now(), otto)
    Server.objects.update(crash_command=["/bin/off"], start_command=["/bin/on"], password_sealed=b"under a new key")
    stale.note = "mine"
    actions.change(admin, stale, "", ["note"])
    one = now()
    assert (one.note, one.owner, bytes(one.password_sealed)) == ("mine", otto, b"under a new key")
    assert (one.crash_command, one.start_command) == (["/bin/off"], ["/bin/on"])


def test_a_former_owner_cannot_change_the_server(stale, maria, admin):
    actions.hand_over(admin, now(), somebody("otto", Role.OPERATOR))
    stale.note = "still mine?"
    with pytest.raises(NotAllowed):
        actions.change(maria, stale, "", ["note"])
    assert now().note == "<script>"


@pytest.mark.parametrize(("password", "changed"), [("new", []), ("new", ["port"])])
def test_a_password_does_not_go_to_an_address_that_its_owner_has_not_seen(stale, maria, password, changed):
    Server.objects.update(host="other.example.org")
    stale.port = 3307 if changed else stale.port
    before = Server.objects.values().get()
    with pytest.raises(Refused, match="at the same moment"):
        actions.change(maria, stale, password, [*changed, "password"])
    assert Server.objects.values().get() == before


def test_an_address_changed_meanwhile_stays(stale, maria):
    Server.objects.update(host="other.example.org")
    stale.name = "renamed"
    actions.change(maria, stale, "", ["name"])
    assert (now().name, now().host) == ("renamed", "other.example.org")
