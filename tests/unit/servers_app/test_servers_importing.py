"""Servers of a file are registered after a dry run, and no password is shown."""

from dataclasses import asdict
from io import BytesIO, StringIO

import pytest
from django.core.management import CommandError, call_command

from dashboard.findings.attached.known import told
from dashboard.findings.attached.unregistered import unregistered
from dashboard.installation import vault
from dashboard.pages.servers.importing import Defaults, plan, register
from dashboard.records.accounts.role import Role
from dashboard.records.servers.models import Preflight, Server
from tests.unit.api.tokens import somebody
from workers.errors import PlanError
from workers.servers import reading
from workers.servers.inventory.found import FoundServer
from workers.servers.replication import Peer, Replication

pytestmark = pytest.mark.django_db
SECRET = "s3cret-of-db1"
TEXT = (
    "name,host,port,user,password,label\n"
    f"db1,192.0.2.1,3306,app,{SECRET},\n"
    "db2,192.0.2.2,3306,app,,test\n"
    "again,192.0.2.1,3306,app,,\n"
    "old,DB.example.org,3306,app,,\n"
    "nobody,192.0.2.3,3306,,,\n"
    "bad,two words,3306,app,,\n"
    "port,192.0.2.4,99999,app,,\n"
)


@pytest.fixture
def old(db):
    return Server.objects.create(name="registered before", kind="attached", host="db.example.org", user="u")


def states(lines):
    return {line.name: line.state for line in lines}


def upload(client, text=TEXT, **more):
    return client.post("/servers/import/", {"file": BytesIO(text.encode()), "label": "production", **more})


def test_a_dry_run_says_what_would_be_done_and_stores_nothing(client_in, old):
    answer = upload(client_in)
    page = answer.content.decode()
    assert answer.status_code == 200 and Server.objects.count() == 1
    assert "Dry run: 1 new, 1 without a password, 2 known already, 3 refused." in page
    assert "It is registered as registered before." in page and "first as db1" in page
    assert "The file names no account for it." in page and "This is not a host name" in page
    assert SECRET not in page and "Register 2 servers" in page


def sealed(answer):
    return answer.context["sealed"]


def test_the_shown_servers_are_registered_once(client_in, old, admin):
    confirmed = {"sealed": sealed(upload(client_in))}
    page = client_in.post("/servers/import/", confirmed, follow=True).content.decode()
    assert "2 servers are registered" in page
    first, second = Server.objects.get(name="db1"), Server.objects.get(name="db2")
    assert first.target().password == SECRET and second.target().password == ""
    assert (first.label, second.label, first.owner) == ("production", "test", admin)
    client_in.post("/servers/import/", confirmed)
    assert Server.objects.count() == 3
    assert "4 known already, 3 refused" in upload(client_in).content.decode()


def test_an_account_for_all_is_used_where_the_file_has_none(client_in):
    answer = upload(client_in, user="everywhere", password="typed")
    assert "4 new, 1 known already, 2 refused" in answer.content.decode()
    client_in.post("/servers/import/", {"sealed": sealed(answer)})
    assert Server.objects.get(name="nobody").target().password == "typed"
    assert Server.objects.get(name="db2").user == "app"


def test_the_dry_run_of_another_person_is_refused(client_in, client):
    answer = upload(client_in)
    client.force_login(somebody(Role.OPERATOR))
    for text in (sealed(answer), "nonsense", ""):
        page = client.post("/servers/import/", {"sealed": text}, follow=True).content.decode()
        assert "Nothing was registered" in page
    assert not Server.objects.exists()


def test_a_file_that_cannot_be_read_is_refused(client_in):
    answer = upload(client_in, "a: &a [1]\nb: *a\n")
    assert answer.status_code == 422 and b"was not recognised" in answer.content


def test_many_servers_are_planned(django_assert_max_num_queries):
    found = [FoundServer(f"db{n}", f"h{n}", user="u", password="p") for n in range(80)]
    with django_assert_max_num_queries(330):
        assert set(states(plan(found, Defaults())).values()) == {"new"}


def command(*arguments):
    out, err = StringIO(), StringIO()
    try:
        call_command("server", *arguments, stdout=out, stderr=err)
        status = 0
    except SystemExit as ended:
        status = ended.code
    return status, out.getvalue(), err.getvalue()


def test_the_command_says_it_first_and_registers_with_yes(tmp_path, old):
    file = tmp_path / "servers.csv"
    file.write_text(TEXT)
    status, out, _ = command("import", str(file), "--dry-run")
    assert status == 0 and "db1 (192.0.2.1:3306): new." in out and Server.objects.count() == 1
    assert "1 new, 1 without a password, 2 known already, 3 refused." in out and SECRET not in out
    status, out, _ = command("import", str(file), "--yes")
    assert status == 0 and "2 registered." in out and Server.objects.count() == 3
    assert command("import", "/nowhere")[0] == 2


def test_a_sandbox_is_registered_under_a_free_name_and_with_a_known_build(db):
    assert command("sandbox", "box")[:2] == (0, "box is registered. A worker makes it when an experiment begins.\n")
    assert Server.objects.get().build == "system-mariadb" and Server.objects.get().is_sandbox
    for wrong in (("box",), ("other", "--build", "none"), ("",)):
        status, _, said = command("sandbox", *wrong)
        assert status == 2 and "Nothing was registered" in said
    assert Server.objects.count() == 1


def primary(replicas, **more):
    made = Server.objects.create(name="db1", kind="attached", host="db1.example.org", user="app")
    values = {"server_uuid": "uuid-1", **more.pop("values", {})}
    seen = Replication(1, 3306, (), replicas, (), values, **more)
    Preflight.objects.create(server=made, state="done", facts={"flavour": "mysql", "replication": asdict(seen)})


def test_replicas_that_a_primary_names_are_found_without_its_password():
    galera = {
        "wsrep_cluster_state_uuid": "cluster", "wsrep_incoming_addresses": "db1.example.org:3306,192.0.2.9:3306",
    }  # fmt: skip
    primary((Peer("db2.example.org", 3307, 2, "uuid-2"), Peer("", 3306, 3, "uuid-3")), values=galera)
    lines = plan(unregistered(told()), Defaults())
    assert states(lines) == {
        "db2.example.org:3307": "password missing", "server_id 3:3306": "refused", "192.0.2.9:3306": "password missing",
    }  # fmt: skip
    assert "Set report_host" in next(line.says for line in lines if line.state == "refused")


def test_replicas_that_report_no_address_are_found_by_their_connections(client_in):
    primary((Peer("", 3310, 2, "uuid-2"), Peer("", 3310, 3, "uuid-3")), dump_hosts=("192.0.2.2", "192.0.2.3"))
    answer = client_in.get("/servers/import/", {"replicas": "1"})
    assert "Dry run: 2 without a password" in answer.content.decode()
    client_in.post("/servers/import/", {"sealed": sealed(answer)})
    assert {one.where for one in Server.objects.exclude(name="db1")} == {"192.0.2.2:3310", "192.0.2.3:3310"}
    known = client_in.get("/servers/import/", {"replicas": "1"}).content.decode()
    assert "2 known already" in known


def test_why_no_replica_was_found_is_told(client_in, monkeypatch):
    primary((), unread=("SHOW REPLICAS: The account may not do this.",))
    page = client_in.get("/servers/import/", {"replicas": "1"}).text
    assert "named a server that is not registered" in page and "db1: SHOW REPLICAS: The account may not" in page
    monkeypatch.setattr(
        reading, "read_all", lambda targets, limit_s: [reading.ServerReading(why="Nothing listens there.")]
    )
    status, out, err = command("replicas", "--dry-run")
    assert (status, "No server was found" in out, err) == (0, True, "db1: Nothing listens there.\n")


def test_a_server_whose_password_no_key_opens_is_named_and_the_others_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    primary(())
    Server.objects.create(name="shut", kind="attached", host="h", user="u", password_sealed=vault.seal("secret"))
    vault.store([vault.new_key()])
    nothing = reading.ServerReading(why="Nothing listens there.")
    monkeypatch.setattr(reading, "read_all", lambda targets, limit_s: [nothing for _ in targets])
    status, _, err = command("replicas", "--dry-run")
    assert status == 0 and "db1: Nothing listens there.\n" in err and "shut: The password was sealed under" in err


def test_a_password_is_not_given_to_servers_that_another_server_names():
    with pytest.raises(CommandError, match="--ask"):
        command("replicas", "--ask", "--yes")


def test_a_key_file_that_holds_no_key_is_told_for_replicas_too(client_in, tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    primary((Peer("db2.example.org", 3307, 2, "uuid-2"),))
    (tmp_path / vault.NAME).write_text("not a key")
    page = client_in.get("/servers/import/", {"replicas": "1"}, follow=True)
    assert page.status_code == 200 and "cannot be read" in page.content.decode()
    assert upload(client_in).status_code == 422


def test_names_that_were_taken_after_the_plan_are_told_and_nothing_is_registered(admin):
    lines = plan([FoundServer(f"db{n}", f"h{n}", user="u", password="p") for n in range(3)], Defaults())
    Server.objects.create(name="db1", kind="attached", host="elsewhere", user="u")
    with pytest.raises(PlanError, match="taken meanwhile: db1"):
        register(admin, lines)
    assert Server.objects.count() == 1


def test_the_dry_run_names_options_of_tls_that_are_not_read(client_in):
    page = upload(client_in, "[client]\nuser=u\nhost=db1\nssl-verify-server-cert\nssl-cert=/c\n").content.decode()
    assert "Not read: ssl_cert. Check TLS on its page." in page
