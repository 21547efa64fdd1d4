"""A server is its owner's: changing it, its label, and whether it is crashed. Administrators may the same."""

import pytest
from django.contrib.auth.models import User

from dashboard.records.accounts import actions as people
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed, allowed
from dashboard.records.audit.models import Event
from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments.rights import why_not_crash
from dashboard.records.refused import Refused
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.confirmed import confirm
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant, WorkloadChoice
from workers.errors import PlanError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def listed(settings):
    """What owners may have workers run."""
    settings.CRASH_PROGRAMS = ("/bin/kill", "/bin/start")


@pytest.fixture
def owner(admin):
    return operator("owner")


@pytest.fixture
def other(admin):
    return operator("other")


def operator(name):
    people.add(None, name, Role.OPERATOR)
    user = User.objects.get(username=name)
    user.person.must_change_password = False
    user.person.save()
    return user


@pytest.fixture
def server(owner):
    one = Server(name="db1", kind="attached", host="192.0.2.1", user="durascope", label="test")
    return actions.register(owner, one, "secret")


FORM = {
    "name": "db1", "host": "192.0.2.1", "port": "3306", "user": "durascope", "tls": "preferred", "label": "production",
}  # fmt: skip
MARK = {"crash": "/bin/kill", "start": "/bin/start", "typed_name": "db1"}
OWNERS_PAGES = [
    ("edit/", FORM), ("expendable/", MARK), ("expendable/withdraw/", {}), ("start/", {}), ("delete/", {}),
    ("hand-over/", {"to": "other"}), ("failover-manager/", {"command": "/bin/manager", "typed_name": "db1"}),
    ("failover-manager/withdraw/", {}), ("level/", {"commits_per_s": "4000"}),
]  # fmt: skip


@pytest.mark.parametrize(("page", "form"), OWNERS_PAGES)
def test_another_operator_is_refused_and_nothing_changes(client, server, other, page, form):
    client.force_login(other)
    before = Server.objects.values().get()
    form = form | ({"to": other.pk} if "to" in form else {})
    answer = client.post(f"/servers/{server.pk}/{page}", form)
    assert answer.status_code == 403
    assert "Only the owner of db1 and administrators may" in answer.content.decode()
    assert Server.objects.values().get() == before


@pytest.mark.parametrize("who", ["owner", "admin"])
@pytest.mark.parametrize(("page", "form"), OWNERS_PAGES)
def test_the_owner_and_administrators_may(client, request, server, who, page, form):
    user = request.getfixturevalue(who)
    client.force_login(user)
    confirm(client, user)
    assert client.post(f"/servers/{server.pk}/{page}", form).status_code == 302


def test_pages_show_others_no_button_that_would_refuse_them(client, server, other, owner):
    client.force_login(other)
    assert "Mark expendable" not in client.get(f"/servers/{server.pk}/").content.decode()
    client.force_login(owner)
    assert "Mark expendable" in client.get(f"/servers/{server.pk}/").content.decode()


def test_a_server_without_an_owner_is_the_administrators(server, owner, admin):
    Server.objects.update(owner=None)
    server.refresh_from_db()
    assert not allowed(owner, "change_server", server)
    assert allowed(admin, "change_server", server)


def test_handing_over_ends_the_old_owners_word(client, server, owner, other):
    actions.mark_expendable(owner, server, ["/bin/kill"], ["/bin/start"])
    client.force_login(owner)
    client.post(f"/servers/{server.pk}/hand-over/", {"to": other.pk})
    server.refresh_from_db()
    assert (server.owner, server.expendable) == (other, False)
    assert Event.objects.get(did="handed over").detail == {"to": "other"}


def test_a_server_is_not_handed_over_to_a_viewer(client, server, owner):
    viewer = User.objects.create_user("viewer")
    client.force_login(owner)
    answer = client.post(f"/servers/{server.pk}/hand-over/", {"to": viewer.pk}, follow=True)
    assert "Choose an operator" in answer.content.decode()
    with pytest.raises(Refused, match="not an operator"):
        actions.hand_over(owner, server, viewer)
    server.refresh_from_db()
    assert server.owner == owner


def crashing(server, trials=1):
    kind = "process-kill" if server.is_sandbox else "attached-expendable"
    return Plan(
        name="crash it",
        targets=(PlanTarget(server.pk, server.name, server.is_sandbox),),
        variants=(Variant("1/1", {}),),
        workloads=(WorkloadChoice("update", "update_index", {}),),
        threads=(1,),
        repeats=1, warmup_s=0, measure_s=1, table_rows=10, seed=1,
        crash=CrashPlan(kinds=(kind,), trials=trials, control_trials=0),
    )  # fmt: skip


def test_only_the_owner_crashes_an_attached_server(server, owner, other, admin):
    actions.mark_expendable(owner, server, ["/bin/kill"], ["/bin/start"])
    server.refresh_from_db()
    assert why_not_crash(crashing(server), owner) == why_not_crash(crashing(server), admin) == []
    assert "Only the owner of db1" in why_not_crash(crashing(server), other)[0]
    with pytest.raises(PlanError, match="Only the owner of db1"):
        experiments.create(crashing(server), other)


def test_load_without_crashes_is_any_operators(server, other):
    assert why_not_crash(crashing(server, trials=0), other) == []


def test_a_sandbox_is_crashed_by_any_operator_but_no_viewer(owner, other):
    box = actions.register(owner, Server(name="box", kind="sandbox", build="system-mariadb"), "")
    assert why_not_crash(crashing(box), other) == []
    assert "must be an operator" in why_not_crash(crashing(box), User.objects.create_user("viewer"))[0]


def test_a_viewer_starts_nothing_by_a_program_either(server):
    with pytest.raises(NotAllowed, match="must be an operator"):
        experiments.create(crashing(server), User.objects.create_user("viewer"))
