"""Passwords at rest."""

import os
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.installation import vault
from workers.errors import DurascopeError


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("password", ["geheim", "", " spaces ", "quo\"te's#;", "päß 🔑", "x" * 1000, "line\nbreak"])
def test_a_sealed_password_is_given_back(password):
    assert vault.open_sealed(vault.seal(password)) == password


@given(st.text(min_size=8))
def test_the_sealed_bytes_do_not_hold_the_password(password):
    key = vault.new_key()
    sealed = vault.box([key]).encrypt(password.encode())
    assert password.encode() not in sealed


def test_the_same_password_is_sealed_differently_each_time():
    assert vault.seal("geheim") != vault.seal("geheim")


def test_no_sealed_bytes_are_an_empty_password():
    assert vault.open_sealed(b"") == ""


def test_a_lost_key_is_reported(own_home):
    sealed = vault.seal("geheim")
    vault.store([vault.new_key()])
    with pytest.raises(vault.KeyMissing) as missing:
        vault.open_sealed(sealed)
    assert "no longer has" in missing.value.message
    assert "enter its password again" in missing.value.fix
    assert isinstance(missing.value, DurascopeError)
    assert vault.problem_with(sealed) is not None


def test_tampered_bytes_are_refused():
    sealed = bytearray(vault.seal("geheim"))
    sealed[20] ^= 1
    with pytest.raises(vault.KeyMissing):
        vault.open_sealed(bytes(sealed))


def test_a_key_file_without_a_key_is_reported(own_home):
    (own_home / vault.NAME).write_text("not a key")
    with pytest.raises(vault.KeyMissing, match="cannot be read"):
        vault.seal("geheim")


def test_the_key_file_is_private(own_home):
    vault.seal("geheim")
    assert (own_home / vault.NAME).stat().st_mode & 0o777 == 0o600
    vault.store([vault.new_key()])
    assert (own_home / vault.NAME).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in own_home.iterdir()] == [vault.NAME]


def test_bytes_as_a_database_returns_them_are_accepted():
    sealed = vault.seal("geheim")
    with closing(sqlite3.connect(":memory:")) as database:
        [stored] = database.execute("select ?", (sealed,)).fetchone()
    assert vault.open_sealed(memoryview(stored)) == "geheim"


def test_new_keys_are_on_the_disk_before_they_take_the_old_ones_place(monkeypatch):
    flushed = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.append(os.fstat(descriptor).st_size))
    vault.store(["a" * 40, "b" * 40])
    assert flushed == [82]
    assert vault.keys() == ["a" * 40, "b" * 40]
