"""Only a server whose owner said so in full is ever crashed."""

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from dashboard.pages.servers.command_forms import ExpendableForm
from dashboard.records.audit.models import Event
from dashboard.records.refused import Refused
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.markup import flat

pytestmark = pytest.mark.django_db
CRASH = ["ssh", "db-test", "systemctl kill -s KILL mariadb"]
START = ["ssh", "db-test", "systemctl start mariadb"]
EDIT = {"name": "db", "host": "db.example.org", "port": 3306, "user": "u", "tls": "preferred", "label": "test"}


@pytest.fixture
def attached():
    return Server.objects.create(name="db", kind="attached", host="db.example.org", user="u")


@pytest.fixture
def marked(attached, admin):
    actions.mark_expendable(admin, attached, CRASH, START)
    attached.refresh_from_db()
    return attached


def said(**other):
    return {"crash": "\r\n".join(CRASH), "start": "\n".join(START) + "\n\n", "typed_name": "db"} | other


def fields_wrong(server, **other):
    return list(ExpendableForm(server, said(**other)).errors)


def test_a_server_is_marked_with_its_name_typed_and_both_commands(client_in, attached):
    assert not attached.may_be_crashed
    answer = client_in.post(f"/servers/{attached.pk}/expendable/", said())
    assert answer["Location"] == f"/servers/{attached.pk}/"
    attached.refresh_from_db()
    assert attached.may_be_crashed
    assert (attached.crash_command, attached.start_command) == (CRASH, START)
    event = Event.objects.get(did="marked expendable")
    assert (event.what, event.name, event.detail) == ("db", "admin", {"crash": CRASH, "start": START})


def test_the_mark_keeps_who_set_the_commands_and_the_place_of_the_binlog(client_in, attached, admin):
    index = "/var/lib/mysql/binlog.index"
    client_in.post(f"/servers/{attached.pk}/expendable/", said(binlog_index=index))
    attached.refresh_from_db()
    assert (attached.commands_by, attached.binlog_index) == (admin, index)
    assert Event.objects.get(did="marked expendable").detail["binlog_index"] == index
    assert index in client_in.get(f"/servers/{attached.pk}/").content.decode()
    assert index in client_in.get(f"/servers/{attached.pk}/expendable/").content.decode()


@pytest.mark.parametrize(
    ("other", "field"),
    [
        ({"binlog_index": "var/binlog.index"}, "binlog_index"),
        ({"binlog_index": "/etc/shadow"}, "binlog_index"),
        ({"typed_name": ""}, "typed_name"),
        ({"typed_name": "DB"}, "typed_name"),
        ({"typed_name": "other"}, "typed_name"),
        ({"crash": ""}, "crash"),
        ({"crash": " \n\r\n"}, "crash"),
        ({"start": "\n"}, "start"),
        ({"crash": "systemctl kill -s KILL mariadb"}, "crash"),
        ({"crash": "x\n" * 65}, "crash"),
        ({"start": "x" * 8001}, "start"),
        ({"start": "x\n\0"}, "start"),
    ],
)
def test_an_incomplete_form_is_refused(client_in, attached, other, field):
    assert fields_wrong(attached, **other) == [field]
    assert client_in.post(f"/servers/{attached.pk}/expendable/", said(**other)).status_code == 200
    attached.refresh_from_db()
    assert not attached.expendable
    assert not Event.objects.filter(did="marked expendable").exists()


def test_a_production_server_is_never_marked(client_in, attached, admin):
    Server.objects.update(label="production")
    for answer in (
        client_in.get(f"/servers/{attached.pk}/expendable/"),
        client_in.post(f"/servers/{attached.pk}/expendable/", said()),
    ):
        assert answer.status_code == 302
    assert "labelled production and is never crashed" in client_in.get(f"/servers/{attached.pk}/").content.decode()
    with pytest.raises(Refused):  # labelled by somebody else since the page was opened: `attached` is stale
        actions.mark_expendable(admin, attached, CRASH, START)
    assert not Server.objects.filter(expendable=True).exists()


def test_a_sandbox_needs_no_mark_and_gets_none(client_in, sandbox):
    assert sandbox.may_be_crashed
    client_in.post(f"/servers/{sandbox.pk}/expendable/", said(typed_name="box"))
    sandbox.refresh_from_db()
    assert not sandbox.expendable
    assert "Crashing it" not in client_in.get(f"/servers/{sandbox.pk}/").content.decode()


@pytest.mark.parametrize(("crash", "start"), [([], START), (CRASH, [])])
def test_an_empty_command_is_refused_beside_the_form_too(attached, admin, crash, start):
    with pytest.raises(Refused, match="needs a crash command"):
        actions.mark_expendable(admin, attached, crash, start)
    attached.expendable, attached.crash_command, attached.start_command = True, crash, start
    assert not attached.may_be_crashed


def test_the_database_itself_refuses_production_and_sandboxes(marked, sandbox):
    for server, change in ((marked, {"label": "production"}), (sandbox, {"expendable": True})):
        with pytest.raises(IntegrityError, match="expendable_is_attached_and_never_production"), transaction.atomic():
            Server.objects.filter(pk=server.pk).update(**change)


def test_a_marked_server_cannot_become_production(client_in, marked):
    answer = client_in.post(f"/servers/{marked.pk}/edit/", EDIT | {"label": "production"})
    assert "Withdraw that mark on its page first" in answer.content.decode()
    client_in.post(f"/servers/{marked.pk}/expendable/withdraw/")
    assert Event.objects.filter(did="unmarked expendable").count() == 1
    client_in.post(f"/servers/{marked.pk}/edit/", EDIT | {"label": "production"})
    marked.refresh_from_db()
    assert (marked.label, marked.expendable, marked.crash_command) == ("production", False, CRASH)


def test_only_a_new_address_removes_the_mark(client_in, marked):
    client_in.post(f"/servers/{marked.pk}/edit/", EDIT | {"note": "still the same"})
    marked.refresh_from_db()
    assert marked.expendable
    client_in.post(f"/servers/{marked.pk}/edit/", EDIT | {"host": "db2.example.org"})
    marked.refresh_from_db()
    assert not marked.expendable
    assert Event.objects.get(did="unmarked expendable").detail == {"why": "its address was changed"}


def test_the_present_mark_counts_and_not_that_of_an_open_form(marked, admin):
    """Marked or withdrawn by somebody else while the page with the form was open."""
    stale = Server.objects.get()
    actions.withdraw_expendable(admin, marked)
    actions.change(admin, stale, "", ["note"])
    assert not Server.objects.get().expendable
    stale = Server.objects.get()
    stale.label = "production"
    actions.mark_expendable(admin, marked, CRASH, START)
    with pytest.raises(Refused, match="marked expendable"):
        actions.change(admin, stale, "", ["label"])
    assert Server.objects.get().label == "test"


def test_the_form_says_in_plain_words_what_will_happen(client_in, attached):
    shown = flat(client_in.get(f"/servers/{attached.pk}/expendable/").text)
    for words in ("What will happen", "Every connection breaks", "without a shell", "is lost, in every schema"):
        assert words in shown
    assert "never crashed" in client_in.get(f"/servers/{attached.pk}/").content.decode()


def test_the_commands_are_shown_argument_by_argument(client_in, marked):
    Server.objects.update(crash_command=["run", "<b>$(reboot)"])
    shown = client_in.get(f"/servers/{marked.pk}/").content.decode()
    assert "<code>&lt;b&gt;$(reboot)</code>" in shown and "<b>$" not in shown
    assert "systemctl start mariadb" in client_in.get(f"/servers/{marked.pk}/expendable/").content.decode()


def test_the_mark_is_withdrawn_by_post_only_and_once(client_in, marked):
    path = f"/servers/{marked.pk}/expendable/withdraw/"
    assert client_in.get(path).status_code == 405
    client_in.post(path)
    client_in.post(path)
    assert Event.objects.filter(did="unmarked expendable").count() == 1


@given(st.text(max_size=200))
def test_any_command_is_read_as_whole_lines_or_refused(text):
    form = ExpendableForm(Server(name="db"), said(crash=text))
    if form.is_valid():
        argv = form.cleaned_data["crash"]
        assert argv and all(argument == argument.strip() != "" for argument in argv)
