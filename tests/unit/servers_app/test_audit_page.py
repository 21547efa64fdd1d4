"""The audit as a page, by the API and as a command."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from dashboard.findings.audit import fleet
from dashboard.findings.audit.audit import ranked
from dashboard.records.servers.models import Preflight, Server
from tests.unit.api.tokens import script
from tests.unit.findings.test_audit import registered, settings

pytestmark = pytest.mark.django_db

SECRET = "p4ss-that-nobody-may-see"
CNF = f"[mysqld]\ninnodb_flush_log_at_trx_commit=2\nsync_binlog=0\n[client]\npassword={SECRET}\n"


def test_the_page_shows_the_fleet_and_compares_two(client_in):
    one, other = registered("db1", settings("0")), registered("db2", settings("2"))
    page = client_in.get("/servers/audit/", {"a": one.pk, "b": other.pk}).content.decode()
    assert "db1 and db2" in page and "innodb_flush_log_at_trx_commit=1" in page and "not measured here" in page
    assert "Nothing that you paste is stored" in page


def test_a_pasted_text_is_audited_and_nothing_of_it_stays(client_in, caplog):
    answer = client_in.post("/servers/audit/pasted/", {"text": CNF, "other": "sync_binlog\t1", "of": "MySQL 8.0"})
    page = answer.content.decode()
    assert (
        answer.status_code == 200
        and "Power loss: InnoDB: Acknowledged commits" in page
        and "A, pasted and B, pasted" in page
    )
    assert SECRET not in caplog.text and not Preflight.objects.exists()
    wrong = client_in.post("/servers/audit/pasted/", {"text": "hello", "of": "MySQL"})
    assert wrong.status_code == 422 and b"Write for example MariaDB 10.11" in wrong.content


def test_the_address_of_the_answer_opened_anew_leads_to_the_form(client_in):
    assert client_in.get("/servers/audit/pasted/").headers["Location"] == "/servers/audit/"


def test_one_button_queues_a_reading_of_each_server(client_in, sent_tasks):
    registered("db1", settings())
    registered("db2", settings())
    answer = client_in.post("/servers/audit/read/", follow=True).content.decode()
    assert len(sent_tasks) == 2 and "Workers now read 2 servers" in answer


def test_the_api_audits_the_fleet_and_texts(admin):
    registered("db1", settings("0"))
    api = script(admin, "see")
    found = api.get("/api/v1/audit").json()
    assert found["worst"] == "may be lost" and found["lines"][0]["killed"]["outcome"] == "may be lost"
    asked = {"text": CNF, "other": "sync_binlog\t1", "of": "MySQL 8.0"}
    answer = api.post("/api/v1/audit", asked, content_type="application/json").json()
    assert {"setting": "sync_binlog", "one": "0", "other": "1"} in answer["against"]["differences"]
    assert api.post("/api/v1/audit", {"text": "?"}, content_type="application/json").status_code == 422


CHANGED = {
    "nothing": (lambda one: None, "may be lost", "db1"),
    "a test": (lambda one: registered_again(one, settings()), "kept", "db1"),
    "its name": (lambda one: Server.objects.filter(pk=one.pk).update(name="db9"), "may be lost", "db9"),
    "its service": (lambda one: Server.objects.filter(pk=one.pk).update(service="rds"), "unknown", "db1"),
}


def registered_again(server, found):
    facts = {**server.preflights.get().facts, "settings": found}
    Preflight.objects.create(server=server, state="done", facts=facts, done_at=timezone.now())


@pytest.mark.parametrize("change", CHANGED)
def test_the_outcomes_are_worked_out_again_only_after_a_change(admin, monkeypatch, change):
    one, api, worked_out = registered("db1", settings("2", "0")), script(admin, "see"), []
    monkeypatch.setattr(fleet, "ranked", lambda subjects: worked_out.append(1) or ranked(subjects))
    acts, outcome, name = CHANGED[change]
    for _ in range(2):
        (line,) = api.get("/api/v1/audit").json()["lines"]
        assert (line["name"], line["power_loss"]["outcome"]) == ("db1", "may be lost")
    acts(one)
    (line,) = api.get("/api/v1/audit").json()["lines"]
    assert (line["name"], line["power_loss"]["outcome"], len(worked_out)) == (name, outcome, 1 + (change != "nothing"))


def test_the_api_tells_the_audit_in_parts(admin):
    for name in ("db1", "db2", "db3"):
        registered(name, settings("0" if name == "db3" else "1"))
    api = script(admin, "see")
    found = api.get("/api/v1/audit", {"limit": 1, "offset": 1}).json()
    assert ([line["name"] for line in found["lines"]], found["count"], found["worst"]) == (["db1"], 3, "may be lost")
    assert [line["name"] for line in api.get("/api/v1/audit").json()["lines"]] == ["db3", "db1", "db2"]
    assert api.get("/api/v1/audit", {"limit": 1000}).status_code == 422


def command(*arguments):
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("audit", *arguments, stdout=out, stderr=err)
    return ended.value.code, out.getvalue(), err.getvalue()


def test_the_exit_status_of_the_command_is_the_worst_finding(tmp_path):
    files = {"lost": CNF, "kept": "[mysqld]\n", "unknown": "[mysqld]\nport=1\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert command(str(tmp_path / "kept"), "--of", "MySQL 8.0")[0] == 0
    assert command(str(tmp_path / "lost"))[0] == 1
    assert command(str(tmp_path / "unknown"))[0] == 3
    status, out, _ = command(str(tmp_path / "lost"), str(tmp_path / "kept"), "--of", "MySQL 8.0", "--json")
    assert status == 1 and json.loads(out)["lines"][0]["name"].endswith("lost")
    assert json.loads(out)["against"][0]["differences"]


STATED = "".join(f"{name}\t{value}\n" for name, value in settings().items())
STATUSES = {
    "all that it rests on": (0, f"version\t8.0.33\n{STATED}"),
    "an error of the binary log": (1, f"version\t8.0.33\n{STATED}binlog_error_action\tIGNORE_ERROR\n"),
    "a flush of each session": (3, f"version\t8.0.36-28\n{STATED}innodb_use_global_flush_log_at_trx_commit\tOFF\n"),
    "a fork": (3, f"version\t8.0.11-TiDB-v7.5.1\n{STATED}"),
    "a proxy": (3, f"version\t10.11.6-MariaDB-maxscale\n{STATED}"),
    "a value that nobody knows": (3, f"version\t8.0.33\n{STATED}innodb_doublewrite\tXYZ\n"),
    "no doublewrite": (3, f"version\t8.0.33\n{STATED}".replace("innodb_doublewrite\tON\n", "")),
}


@pytest.mark.parametrize(("status", "text"), STATUSES.values(), ids=STATUSES)
def test_the_command_ends_with_0_only_if_all_is_known(tmp_path, status, text):
    (tmp_path / "a").write_text(text)
    assert command(str(tmp_path / "a"))[0] == status


def test_a_file_is_read_as_a_server_on_this_machine_reads_it(tmp_path):
    own, included = tmp_path / "my.cnf", tmp_path / "conf.d" / "50-server.cnf"
    included.parent.mkdir()
    included.write_text("[mysqld]\nsync_binlog=0\n")
    own.write_text(f"[mysqld]\nsync_binlog=1\n!includedir {included.parent}\n")
    status, out, _ = command(str(own), "--of", "MySQL 8.0")
    assert status == 1 and f"Read with it: {included}." in out
    included.unlink()
    assert command(str(own), "--of", "MySQL 8.0")[0] == 0
    own.write_text("[mysqld]\nsync_binlog=0\n!includedir /nowhere\n")
    assert command(str(own), "--of", "MySQL 8.0")[0] == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sync_binlog=1\n", "an option before the first section"),
        ("\ufeff[mysqld]\nsync_binlog=1\n", "mark of the byte order"),
        ("[mysqld]\ninnodb_log_flush_at_trx_commit=2\n", "Is innodb_flush_log_at_trx_commit meant?"),
    ],
)  # fmt: skip
def test_a_file_with_which_the_server_does_not_start_is_unknown(tmp_path, text, why):
    (tmp_path / "my.cnf").write_text(text)
    status, out, _ = command(str(tmp_path / "my.cnf"), "--of", "MySQL 8.0")
    assert status == 3 and "The server does not start with this file" in out and why in out


def test_a_file_that_everybody_may_write_is_audited_by_defaults(tmp_path):
    (tmp_path / "my.cnf").write_text(CNF)
    (tmp_path / "my.cnf").chmod(0o666)
    status, out, _ = command(str(tmp_path / "my.cnf"), "--of", "MySQL 8.0")
    assert status == 0 and "Everybody may write" in out
    (tmp_path / "my.cnf").chmod(0o644)
    assert command(str(tmp_path / "my.cnf"), "--of", "MySQL 8.0")[0] == 1


def test_bytes_that_are_no_text_break_nothing(tmp_path):
    (tmp_path / "my.cnf").write_bytes(b"[mysqld]\nlog_bin=\xff\xfe\nloose-\xff=1\n[\xff]\n!include \xff\n")
    status, out, _ = command(str(tmp_path / "my.cnf"), "--of", "MySQL 8.0", "--json")
    assert status == 3 and json.loads(out)["lines"]
    (tmp_path / "vars").write_bytes(b"sync_binlog\t\xff\nversion\t8.0.36\xff\n")
    assert command(str(tmp_path / "vars"), "--json")[0] in (1, 3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("/nowhere/my.cnf",), "cannot be read"), (("--server", "nobody"), "No attached server"),
        ((), "No server of your own is registered"), (("x", "--server", "y"), "Leave one of them out"),
        (("x", "--of", "8"), "is not a version"),
    ],
)  # fmt: skip
def test_bad_arguments_audit_nothing(arguments, says):
    status, out, err = command(*arguments)
    assert (status, out) == (2, "") and says in err


def test_servers_of_other_sites_are_named_as_not_read():
    for name, site in (("db1", "local"), ("db2", "elsewhere")):
        Server.objects.create(name=name, kind="attached", host="127.0.0.1", port=1, user="u", site=site)
    status, out, err = command()
    assert status == 3 and "db1" in out and "db2" not in out and "Servers of other sites that were not read: 1." in err


def test_a_text_that_is_too_large_is_refused_with_a_reason(client_in):
    client_in.raise_request_exception = False
    form = "application/x-www-form-urlencoded"
    answer = client_in.post("/servers/audit/pasted/", "text=" + "+" * 3_000_000, content_type=form)
    assert answer.status_code == 400 and b"Nothing was changed. It may be larger than 2.5 MB" in answer.content
