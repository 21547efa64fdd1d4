"""A sandbox runs as a user of its own: never as root, as nobody, or as somebody who owns other things."""

import os
import pwd
from types import SimpleNamespace

import pytest

from workers.errors import SandboxError
from workers.sandbox import door, users

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")


@pytest.fixture
def known(monkeypatch):
    """Makes the machine know these users only."""

    def know(**uids: int) -> None:
        monkeypatch.delenv(users.NAMED_BY, raising=False)
        entries = {name: SimpleNamespace(pw_name=name, pw_uid=uid, pw_gid=uid) for name, uid in uids.items()}
        by_number = {entry.pw_uid: entry for entry in entries.values()}
        monkeypatch.setattr(pwd, "getpwnam", entries.__getitem__)
        monkeypatch.setattr(pwd, "getpwuid", by_number.__getitem__)

    return know


@as_root
def test_the_deployments_user_comes_first(known, monkeypatch):
    known(**{"durascope-sandbox": 990, "durascope": 991, "other": 992})
    assert users.unprivileged_user().uid == 990
    assert users.unprivileged_user("other").uid == 992
    monkeypatch.setenv(users.NAMED_BY, "other")
    assert users.unprivileged_user().uid == 992


@as_root
def test_without_it_a_number_is_taken_that_is_nobodys(known, tmp_path, monkeypatch):
    first = users.UNUSED[0].start
    known(durascope=991, nobody=65534)
    assert users.unprivileged_user() == users.User(f"uid-{first}", first, first, switch=True)
    assert users.unprivileged_user(f"uid-{first}").uid == first
    known(taken=first)
    assert users.unprivileged_user().uid == first + 1
    (tmp_path / "subuid").write_text(f"# lent\nanna:{first}:100\n")
    monkeypatch.setattr(users, "RANGES_OF_OTHERS", (tmp_path / "subuid", tmp_path / "absent"))
    assert users.unprivileged_user().uid == first + 100


@as_root
@pytest.mark.parametrize(("name", "uid"), [("root", 0), ("toor", 0), ("nobody", 65534), ("other", 65534)])
def test_users_with_other_tasks_are_refused(known, name, uid):
    known(**{name: uid})
    with pytest.raises(SandboxError, match=f"must not run as {name}.*useradd --system"):
        users.unprivileged_user(name)


@as_root
@pytest.mark.parametrize("owned", ["", "database"])
def test_the_owner_of_the_installation_is_refused(known, tmp_path, monkeypatch, owned):
    known(durascope=991, other=992)
    (tmp_path / "database").touch()
    os.chown(tmp_path / owned, 991, 991)
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    with pytest.raises(SandboxError, match=f"as durascope: this user owns {tmp_path / owned},.*useradd --system"):
        users.unprivileged_user("durascope")
    assert users.unprivileged_user("other").uid == 992


@as_root
def test_the_owner_of_the_program_is_refused(known, tmp_path, monkeypatch):
    known(anna=991)
    os.chown(tmp_path, 991, 991)
    monkeypatch.setattr(users, "PROJECT", tmp_path)
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path / "absent"))
    with pytest.raises(SandboxError, match=f"as anna: this user owns {tmp_path}"):
        users.unprivileged_user("anna")


@as_root
def test_a_missing_user_is_refused_with_the_command_to_add_one(known):
    known()
    with pytest.raises(SandboxError, match=r"no user lost.*useradd --system .* lost"):
        users.unprivileged_user("lost")


def test_without_root_it_is_ourselves_and_that_is_said(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 65533)
    user = users.unprivileged_user()
    assert (user.uid, user.switch) == (65533, False)
    assert user.setpriv == ["setpriv", "--no-new-privs", "--pdeathsig=KILL", "--"]
    monkeypatch.setattr(door, "landlock", lambda: 2)
    assert "The kernel (Landlock) keeps their servers out" in users.not_apart()
    assert "does not keep them from the unix sockets of that user" in users.not_apart()
    monkeypatch.setattr(door, "landlock", lambda: 0)
    assert "can read and change every file of the worker" in users.not_apart()


@as_root
def test_with_root_they_are_apart():
    assert users.not_apart() == ""


@as_root
def test_with_root_and_no_free_number_that_is_said(known, monkeypatch):
    known()
    monkeypatch.setattr(users, "_mapped", lambda uid: False)
    assert "No user id is free" in users.not_apart() and "useradd" in users.not_apart()
