"""Behind a share link nothing tells where the servers are or who uses them."""

from dataclasses import replace

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from dashboard.findings.names import neutral_names
from dashboard.findings.redact import Redactor, redactor_of
from dashboard.pages.results.views import page
from dashboard.records.fleet.models import Worker
from tests.unit.results import factory
from workers.bench.plan import PlanTarget
from workers.crash.owners_command import OwnersCommand
from workers.errors import SandboxError

REDACTOR = Redactor({"db7": "[host]", "db7 in rack 3": "Server A", "bench_admin": "[account]"})


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("--mysql-host=10.1.2.3 --mysql-user=root --mysql-socket=/run/m.sock", ["10.1.2.3", "root", "m.sock"]),
        ("[mysqld]\nuser=mysql\ndatadir = /srv/mysql/data\nbind_address=0.0.0.0", ["=mysql", "/srv", "0.0.0.0"]),
        ("Access denied for user 'root'@'localhost'", ["root", "localhost"]),
        ("Can't connect to db7.example.com:3306 (111)", ["db7", "example"]),
        ("a@b+c@d.org ~ x.y@z", ["a@", "c@", "d.org", "y@z"]),
        ("at ::1, a::b:c and 1:2::", ["::1", "a::b"]),
        ("_db1.rack.example and -x.lan", ["db1", "example", "x.lan"]),
        ("measured on DB7 IN RACK 3 by bench_admin", ["RACK", "bench_admin"]),
        ("listening on fe80::1 and 2001:db8:0:1:2:3:4:5", ["fe80", "2001"]),
        ("the file ~/sandboxes/17/log and C:\\data\\my.ini", ["sandboxes", "data"]),
        ("mail dba@example.org", ["dba", "example"]),
        ("see prod-db1.internal", ["prod-db1"]),
        ("ssh: connect to host db-test port 22: Connection refused", ["db-test", "22"]),
        ("ssh: Could not resolve hostname dbprod7: Name or service not known", ["dbprod7"]),
        ("curl: (6) Could not resolve host: dbprod7", ["dbprod7"]),
        ("Unknown MySQL server host 'dbprod7' (-2)", ["dbprod7"]),
        ("Can't connect to MySQL server on 'dbprod7:3306' (111)", ["dbprod7", "3306"]),
        ("error connecting to dbprod7:3306", ["dbprod7", "3306"]),
        ("DURASCOPE_PASSWORD_KEYS=abcDEF=", ["abcDEF"]),
    ],
)
def test_hosts_paths_and_accounts_are_removed_from_a_text(text, gone):
    shown = REDACTOR.text(text)
    assert not [word for word in gone if word in shown], shown


@pytest.mark.parametrize(
    "text",
    [
        "1/1",
        "0/0 against 2/1",
        "10.11.6-MariaDB",
        "1,230 commits/s",
        "wait_count=4",
        "12:34:56",
        "read/write: 10/90",
        "mysql-bin.000001:1234",
        "lost from binlog.000001:4711 on",
        "0-1-22003",
        "sync_binlog:1000",
        "sql_class.cc:4711",
        "the crash command did nothing",
        "at 2026-03-01T12:00:00",
    ],
)
def test_figures_and_settings_are_left_alone(text):
    assert REDACTOR.text(text) == text


def test_a_name_without_a_letter_stands_for_nothing():
    redactor = Redactor({"": "[none]", " ": "[blank]", "db7": "[host]"})
    assert redactor.text("slow on db7 today") == "slow on [host] today"
    assert Redactor({" ": "[blank]"}).text("a b") == "a b"


LIKE = {"i": "I\u0131\u0130", "s": "S\u017f", "k": "K\u212a"}  # dotless i, I with a dot, long s, Kelvin sign


@pytest.mark.parametrize("name", ["disk", "DISK", "d\u0131sk", "d\u0130sk", "di\u017fk", "dis\u212a"])
@pytest.mark.parametrize("letter", [*"isk", *"".join(LIKE.values())])
def test_a_name_is_hidden_in_each_spelling_that_looks_like_it(name, letter):
    small = next(one for one, others in LIKE.items() if letter in one + others)
    said = "disk".replace(small, letter)
    assert Redactor({name: "Server A"}).text(f"the {said}.") in ("the Server A.", "the [removed].")
    assert Redactor({name: "Server A"}).text(f"the {name}.") == "the Server A."


def test_every_value_of_nested_data_is_redacted():
    data = {"server": {"hostname": "x9", "port": 3306, "list": ["/srv/a", 7]}, "host": {"cores": 2}}
    assert REDACTOR.data(data) == {
        "server": {"hostname": "[removed]", "port": "[removed]", "list": ["[path]", 7]},
        "host": {"cores": 2},
    }


HIDDEN = "ssh: db-test\nsekrit: Check the server by hand: it may be down.\nmore sekrit\n"
FAILS = [
    ("ssh-to-sekrit", "-h"), ("/bin/sh", "-c", "exit 3"), ("/bin/sh", "-c", f"printf '{HIDDEN}'; exit 3"),
    ("/bin/sh", "-c", f"printf '{HIDDEN}'; kill -9 $$"), ("/bin/sleep", "60"), ("/bin/sh", "\0sekrit"),
]  # fmt: skip


@pytest.mark.parametrize("argv", FAILS)
@pytest.mark.parametrize("what", ["crash", "start"])
@pytest.mark.parametrize("said", ["kill: {}", "db7 in rack 3 is still down, and could not be restored: {}", "{} See."])
def test_the_output_and_the_program_of_an_owners_command_are_redacted(argv, what, said):
    """Nor which program it was. The messages are the real ones."""
    with pytest.raises(SandboxError) as failed:
        OwnersCommand(0.2).run(argv, what)
    text = REDACTOR.text(said.format(failed.value))
    assert text == REDACTOR.text(text), "what is clean stays"
    assert not [word for word in ("sekrit", "db-test", "/bin", "ssh", "sleep") if word in text], text
    assert f"The {what} command " in text and "[removed]" in text
    if not said.endswith("See."):
        assert text.endswith("it may be down.") != text.endswith("Correct the command."), text


def test_the_end_of_an_owners_command_is_told_without_its_words():
    told = "The crash command ssh ended with status 255: ssh: connect to host x\nport 22\n Look"
    assert REDACTOR.text(told) == "The crash command [removed] ended with status 255: [removed]"
    told = "The start command /a did not end within 120 s. Check the server by hand: it may be down."
    assert REDACTOR.text(told) == told.replace("/a", "[removed]")


@given(st.text())
def test_any_text_can_be_redacted(text):
    assert isinstance(REDACTOR.text(text), str)


@given(st.from_regex(r"/[a-z]{2,8}(/[a-z]{1,8}){0,4}", fullmatch=True))
def test_every_path_is_removed(path):
    assert path not in REDACTOR.text(f"could not open {path}: no such file")


def telling(response):
    """What on a page gives the server away."""
    html = response.content.decode()
    words = [*factory.SECRET.values(), "db7", "rack 3", "/srv", "/run", "/dev/vdb", "10.9.8.7"]
    return [word for word in words if word in html]


@pytest.fixture
def experiment(db):
    made = factory.experiment({"1/1": 1000.0, "0/0 on db7.example.com": 6000.0}, name="db7 in rack 3: what it costs")
    cell = made.cells.last()
    cell.state, cell.error = "failed", "10.9.8.7 refused 'bench_admin'@'x': /run/mysqld/secret.sock"
    cell.save()
    return made


def test_the_shared_page_tells_no_host_or_account(rf, experiment):
    request = rf.get("/")
    request.user = None
    response = page(request, experiment.pk, token="t" * 32)
    assert response.status_code == 200
    assert telling(response) == []
    assert "Server A" in response.content.decode()
    assert "/results/" not in response.content.decode()  # no way in from there


def test_the_page_of_a_user_names_hosts_and_accounts(client_in, experiment):
    """The control: the same page holds all of it."""
    response = client_in.get(reverse("results:page", args=[experiment.pk]))
    assert {"db7", "rack 3", "10.9.8.7"} <= set(telling(response))


@pytest.mark.parametrize("name", ["valid", "Unknown", "checks", "says", "count"])
def test_evidence_is_readable_whatever_a_server_is_called(name):
    evidence = {"checks": [{"key": "order", "outcome": "valid", "count": 3, "says": f"{name} is behind."}]}
    [check] = Redactor({name: "Server A"}).data(evidence)["checks"]
    assert check == {"key": "order", "outcome": "valid", "count": 3, "says": "Server A is behind."}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit", ["a", ":", "\n", "1.1.", "a-", "a@.", "server uuid" + " " * 300_000], ids=lambda unit: ascii(unit[:12])
)
def test_a_long_text_of_a_stranger_stops_nobody(unit):
    """A minute would not be enough if the time grew with the square of the length."""
    assert "10.1.2.3" not in REDACTOR.text("10.1.2.3 " + (unit * (300_000 // len(unit))))


def test_the_short_name_of_a_host_is_removed_too(experiment):
    assert "db7" not in redactor_of(experiment).text("slow on db7 today")


def test_servers_are_lettered_and_then_numbered():
    names = neutral_names(replace(factory.plan([]), targets=tuple(PlanTarget(pk, "") for pk in range(100, 130))))
    assert (names[100], names[125], names[126], names[129]) == ("Server A", "Server Z", "Server 27", "Server 30")


@pytest.mark.django_db
@pytest.mark.parametrize(("load_workers", "said"), [(1, "lab7x stopped"), (2, "[host] stopped")])
def test_workers_that_shared_the_load_are_hidden_and_others_are_no_secret(load_workers, said):
    """Of two experiments one is enough."""
    Worker.objects.create(host="lab7x", pid=1)
    plain, shared = factory.experiment(measured=0), factory.experiment(measured=0)
    shared.plan = {**shared.plan, "load_workers": load_workers}
    assert redactor_of(plain, shared).text("lab7x stopped") == said


def test_guests_do_not_read_what_a_failover_manager_said():
    logs = "primary: ready for connections\nfailover manager: token abc\nreplica 1: ready"
    assert Redactor({}).text(logs) == "primary: ready for connections\nfailover manager: [removed]\nreplica 1: ready"
    failed = "The failover command /opt/manager ended with status 1: token abc"
    assert "abc" not in Redactor({}).text(failed) and "/opt" not in Redactor({}).text(failed)


@pytest.mark.parametrize("name", ["storage", "device", "version", "n"])
def test_a_host_called_like_a_field_is_hidden_where_it_is_a_value(name):
    shown = Redactor({name: "Server A"}).data({name: [name, f"lost by {name}"], "way": "append"})
    assert shown == {name: ["Server A", "lost by Server A"], "way": "append"}
