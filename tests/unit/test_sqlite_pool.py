"""Connections that are put aside and taken again are as good as new ones, and never somebody else's."""

import os
import sqlite3

import pytest
from django.db import DatabaseError, connections
from django.db.utils import ConnectionHandler

from dashboard.sqlite import base

pytestmark = pytest.mark.django_db  # only so that connections may be opened


@pytest.fixture
def pool(monkeypatch):
    mine = base.Pool()
    monkeypatch.setattr(base, "pool", mine)
    return mine


@pytest.fixture
def opened(tmp_path, pool):
    """`opened()`: a new wrapper, as each request's thread makes one; its file has a table `here`."""
    wrappers = []

    def again():
        known = {"default": {"ENGINE": "dashboard.sqlite", "NAME": str(tmp_path / "one.sqlite3"), "OPTIONS": {}}}
        wrapper = ConnectionHandler(known)["default"]
        wrappers.append(wrapper)
        return wrapper

    with again().cursor() as cursor:
        cursor.execute("CREATE TABLE here (n integer)")
    wrappers[0].close()
    yield again
    for wrapper in wrappers:
        wrapper.close()


def raw(wrapper) -> sqlite3.Connection:
    wrapper.ensure_connection()
    return wrapper.connection


def test_who_opens_next_takes_what_was_closed(opened):
    first = opened()
    kept = raw(first)
    second = opened()
    assert raw(second) is not kept, "two at once have one each"
    first.close()
    assert raw(opened()) is kept


def test_what_was_not_committed_is_not_there_for_the_next(opened):
    wrapper = opened()
    wrapper.set_autocommit(False)
    with wrapper.cursor() as cursor:
        cursor.execute("INSERT INTO here VALUES (1)")
    kept = raw(wrapper)
    wrapper.close()
    wrapper = opened()
    assert raw(wrapper) is kept and wrapper.get_autocommit()
    with wrapper.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM here").fetchone() == (0,)


def test_one_that_looks_after_no_foreign_keys_is_not_given_on(opened):
    wrapper = opened()
    kept = raw(wrapper)
    with wrapper.cursor() as cursor:
        cursor.execute("PRAGMA foreign_keys = OFF")
    wrapper.close()
    assert raw(opened()) is not kept


def test_one_that_met_an_error_is_not_given_on(opened):
    wrapper = opened()
    kept = raw(wrapper)
    with pytest.raises(DatabaseError), wrapper.cursor() as cursor:
        cursor.execute("SELECT * FROM nowhere")
    wrapper.close()
    assert raw(opened()) is not kept


def test_a_file_that_took_another_s_place_is_opened_anew(opened, tmp_path):
    """As after a backup was put back."""
    wrapper = opened()
    raw(wrapper)
    wrapper.close()
    (tmp_path / "one.sqlite3").rename(tmp_path / "old.sqlite3")
    with opened().cursor() as cursor, pytest.raises(DatabaseError):
        cursor.execute("SELECT * FROM here")


def test_more_than_a_few_are_closed(opened, pool):
    many = [opened() for _ in range(base.MOST + 3)]
    kept = [raw(wrapper) for wrapper in many]
    for wrapper in many:
        wrapper.close()
    assert len(pool._free) == base.MOST
    with pytest.raises(sqlite3.ProgrammingError):
        kept[-1].execute("SELECT 1")


def test_a_child_process_opens_its_own(opened, pool):
    wrapper = opened()
    raw(wrapper)
    wrapper.close()
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        pool.forget()  # as `register_at_fork` has it done to the process's own
        os.write(write, b"none" if pool.take(str(wrapper.settings_dict["NAME"])) is None else b"taken")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"none"
    os.close(read)
    os.close(write)


def test_this_installation_uses_it(db):
    assert connections["default"].vendor != "sqlite" or isinstance(connections["default"], base.DatabaseWrapper)
