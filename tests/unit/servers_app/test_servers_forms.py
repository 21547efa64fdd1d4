"""What may be said about a server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from dashboard.pages.servers.forms import AttachedForm, SandboxForm
from dashboard.records.servers.models import Server
from workers.sandbox.builds import BUILDS

pytestmark = pytest.mark.django_db
GOOD = {"name": "db", "host": "db.example.org", "port": 3306, "user": "u", "tls": "preferred", "label": "test"}


def attached(**said):
    return AttachedForm(GOOD | said, instance=Server())


@pytest.mark.parametrize("host", ["db.example.org", "db_1", "192.0.2.7", "::1", "[2001:db8::1]", " db "])
def test_hosts_are_accepted(host):
    form = attached(host=host)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["host"] == host.strip().strip("[]")


@pytest.mark.parametrize("host", ["db:3307", "mysql://db", "a b", "-db", "db/x", "<b>", "u@db", "a..b", "é.example"])
def test_a_text_that_is_no_host_is_refused(host):
    assert "host" in attached(host=host).errors


@pytest.mark.parametrize("port", ["0", "-1", "65536", "x", ""])
def test_absurd_ports_are_refused(port):
    assert "port" in attached(port=port).errors


def test_a_socket_may_stand_in_the_place_of_a_host():
    assert attached(host="", socket="/run/mysqld/mysqld.sock").is_valid()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"host": ""}, "host"),
        ({"socket": "/run/x.sock"}, "socket"),
        ({"host": "", "socket": "x.sock"}, "socket"),
        ({"host": "", "socket": "/" + "x" * 107}, "socket"),
        ({"tls_ca": "ca.pem"}, "tls_ca"),
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"user": ""}, "user"),
        ({"label": "important"}, "label"),
        ({"tls": "maybe"}, "tls"),
    ],
)
def test_the_form_says_which_field_is_wrong(said, field):
    assert list(attached(**said).errors) == [field]


def test_a_name_that_is_taken_is_refused():
    Server.objects.create(name="db", kind="attached", host="h")
    assert "name" in attached().errors


def test_every_build_of_the_catalogue_is_accepted_and_no_other():
    for build in BUILDS:
        assert SandboxForm({"name": f"box {build}", "build": build}, instance=Server()).is_valid()
    assert "build" in SandboxForm({"name": "box", "build": "/bin/sh"}, instance=Server()).errors


FIELDS = (*GOOD, "socket", "password", "note", "tls_ca")


class TestAnyInput(TestCase):
    @given(
        st.fixed_dictionaries({name: st.text(max_size=300) for name in (*GOOD, "socket", "password", "note", "tls_ca")})
    )
    def test_any_text_is_refused_or_can_be_stored(self, said):
        form = AttachedForm(said, instance=Server())
        if form.is_valid():
            form.instance.save()
