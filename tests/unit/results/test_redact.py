"""Behind a share link nothing tells where the servers are or who uses them."""

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from dashboard.results.redact import Redactor, redactor_of
from dashboard.results.views import result_page
from tests.unit.results import factory

REDACTOR = Redactor({"db7": "[host]", "db7 in rack 3": "Server A", "bench_admin": "[account]"})


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("--mysql-host=10.1.2.3 --mysql-user=root --mysql-socket=/run/m.sock", ["10.1.2.3", "root", "m.sock"]),
        ("[mysqld]\nuser=mysql\ndatadir = /srv/mysql/data\nbind_address=0.0.0.0", ["=mysql", "/srv", "0.0.0.0"]),
        ("Access denied for user 'root'@'localhost'", ["root", "localhost"]),
        ("Can't connect to db7.example.com:3306 (111)", ["db7", "example"]),
        ("measured on DB7 IN RACK 3 by bench_admin", ["RACK", "bench_admin"]),
        ("listening on fe80::1 and 2001:db8:0:1:2:3:4:5", ["fe80", "2001"]),
        ("the file ~/sandboxes/17/log and C:\\data\\my.ini", ["sandboxes", "data"]),
        ("mail dba@example.org", ["dba", "example"]),
        ("see prod-db1.internal", ["prod-db1"]),
    ],
)
def test_it_takes_out_what_tells_where(text, gone):
    shown = REDACTOR.text(text)
    assert not [word for word in gone if word in shown], shown


@pytest.mark.parametrize(
    "text",
    ["1/1", "0/0 against 2/1", "10.11.6-MariaDB", "1,230 commits/s", "wait_count=4", "12:34:56", "read/write: 10/90"],
)
def test_it_leaves_figures_and_settings_alone(text):
    assert REDACTOR.text(text) == text


def test_it_looks_into_everything():
    data = {"server": {"hostname": "x9", "port": 3306, "list": ["/srv/a", 7]}, "host": {"cores": 2}}
    assert REDACTOR.data(data) == {
        "server": {"hostname": "[removed]", "port": "[removed]", "list": ["[path]", 7]},
        "host": {"cores": 2},
    }


@given(st.text())
def test_it_never_fails(text):
    assert isinstance(REDACTOR.text(text), str)


@given(st.from_regex(r"/[a-z]{2,8}(/[a-z]{1,8}){0,4}", fullmatch=True))
def test_it_takes_out_every_path(path):
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


def test_it_strips_the_shared_page(rf, experiment):
    request = rf.get("/")
    request.user = None
    response = result_page(request, experiment, shared=True, link_token="t" * 32)
    assert response.status_code == 200
    assert telling(response) == []
    assert "Server A" in response.content.decode()
    assert "/results/" not in response.content.decode()  # no way in from there


def test_it_strips_nothing_for_who_logged_in(client_in, experiment):
    """The control: the same page holds all of it."""
    response = client_in.get(reverse("results:page", args=[experiment.pk]))
    assert {"db7", "rack 3", "10.9.8.7"} <= set(telling(response))


def test_it_knows_the_short_name_of_a_host(experiment):
    assert "db7" not in redactor_of(experiment).text("slow on db7 today")
