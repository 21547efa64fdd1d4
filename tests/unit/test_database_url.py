"""DATABASE_URL: what it may say, and that what is wrong with it is said without its password."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.installation.database import BadDatabase, databases


def read(url):
    return databases({"DATABASE_URL": url})["default"]


def test_without_one_it_is_sqlite(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_SQLITE", str(tmp_path / "here.sqlite3"))
    for nothing in ({}, {"DATABASE_URL": ""}):
        chosen = databases(nothing)["default"]
        assert (chosen["ENGINE"], chosen["NAME"]) == ("django.db.backends.sqlite3", tmp_path / "here.sqlite3")


def test_a_url_names_a_postgresql():
    chosen = read("postgresql://lab:p%40ss%2F%23%25@db.example.org:5433/durascope?sslmode=verify-full&sslrootcert=/ca")
    assert chosen["ENGINE"] == "django.db.backends.postgresql"
    parts = [chosen[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")]
    assert parts == ["lab", "p@ss/#%", "db.example.org", "5433", "durascope"]
    assert (chosen["OPTIONS"]["sslmode"], chosen["OPTIONS"]["sslrootcert"]) == ("verify-full", "/ca")
    assert chosen["CONN_HEALTH_CHECKS"]


def test_a_line_that_is_away_is_given_up_unless_the_address_says_otherwise():
    assert read("postgresql://db/durascope")["OPTIONS"]["tcp_user_timeout"] == "20000"
    patient = read("postgresql://db/durascope?tcp_user_timeout=0&keepalives=0")["OPTIONS"]
    assert (patient["tcp_user_timeout"], patient["keepalives"]) == ("0", "0")


@pytest.mark.parametrize(
    ("url", "host", "name"),
    [
        ("postgres:///durascope", "", "durascope"),
        ("postgresql://%2Fvar%2Frun%2Fpostgresql/durascope", "/var/run/postgresql", "durascope"),
        ("postgresql:///durascope?host=/var/run/postgresql", "/var/run/postgresql", "durascope"),
        ("postgresql://lab@[2001:db8::1]/a%20name", "2001:db8::1", "a name"),
        ("postgresql://one,two:5433/durascope?target_session_attrs=read-write", "one,two", "durascope"),
    ],
)
def test_a_url_may_name_a_socket_or_several_hosts(url, host, name):
    chosen = read(url)
    assert (chosen["HOST"], chosen["NAME"]) == (host, name)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://lab:hidden@db/durascope", "no address of a PostgreSQL"),
        ("sqlite:///hidden", "no address of a PostgreSQL"),
        ("hidden", "no address of a PostgreSQL"),
        ("postgresql://lab:hidden@db", "names no database"),
        ("postgresql://lab:hidden@db/", "names no database"),
        ("postgresql://lab:hid@den@db/durascope", "an @ or / too many"),
        ("postgresql://lab:hidden/1@db/durascope", "an @ or / too many"),
        ("postgresql://lab:%hidden@db/durascope", "cannot be read"),
        ("postgresql://lab:hidden x@db/durascope", "cannot be read"),
        ("postgresql://lab:hidden@db/durascope?sslmod=require", "cannot be read"),
        ("postgresql://db:hidden/durascope", "a port that is none"),
        ("postgresql://lab:hidden@db:0/durascope", "a port that is none"),
        ("postgresql://lab:hidden@db:65536/durascope", "a port that is none"),
    ],
)
def test_an_invalid_url_is_refused_without_showing_the_password(url, why):
    with pytest.raises(BadDatabase, match=why) as refused:
        read(url)
    assert "hid" not in str(refused.value)
    assert refused.value.__cause__ is None and refused.value.__suppress_context__ == (why == "cannot be read")
    assert "postgresql://USER:PASSWORD@HOST" in str(refused.value)


@given(st.text(max_size=60))
def test_a_random_url_is_read_or_refused_without_another_error(tail):
    with suppress(BadDatabase):
        read(f"postgresql://{tail}")
