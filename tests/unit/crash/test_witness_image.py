"""The image that trials begin with, and the copy of a server that is tried in place of it."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from tests.unit.crash.parts import Part
from workers.crash import image, twin
from workers.crash.image import SCHEMA_SQL, make_tables, witness_image
from workers.crash.replica import SCHEMA
from workers.errors import SandboxError

BUILD = SimpleNamespace(key="mariadb-10.11", version_text="10.11.9")


@pytest.fixture
def asked(monkeypatch):
    """What a server was asked; `engines`: those that it makes tables in; `images`: keys that are there."""
    found = SimpleNamespace(sql=[], engines=["InnoDB"], images=set())

    def rows(server, sql, args=()):
        found.sql.append(sql)
        return [(engine,) for engine in found.engines] if sql.startswith("SELECT DISTINCT engine") else []

    link = SimpleNamespace(select_db=lambda name: found.sql.append(f"USE {name}"))
    monkeypatch.setattr(image, "connect", lambda target: nullcontext(link))
    monkeypatch.setattr("workers.servers.ask.rows", rows)
    monkeypatch.setattr(image.images, "find", lambda root, key: key if key in found.images else None)
    monkeypatch.setattr(image, "unprivileged_user", lambda user: SimpleNamespace(uid=len(user)))
    found.link = link
    return found


def known(tmp_path, **changed):
    return {"root": tmp_path, "build": BUILD, "engine": "innodb", "user": "mysql", **changed}


def test_an_image_is_made_once(asked, tmp_path):
    notes, created = [], []
    server = Part("server", notes)
    server.target = None

    def create(*given, **how):
        created.append((given, how))
        return nullcontext(server)

    key = witness_image(**known(tmp_path), create=create)
    assert created == [((tmp_path, BUILD, {}), {"name": "witness image", "trace": False, "user": "mysql"})]
    assert asked.sql[:2] == [f"CREATE SCHEMA {SCHEMA}", f"USE {SCHEMA}"]
    assert notes == ["server.stop", "server.save_image"] and server.given["save_image"] == (key,)
    asked.images.add(key)
    assert witness_image(**known(tmp_path), create=create) == key and len(created) == 1


def test_another_build_engine_or_user_gives_another_image_key(asked, monkeypatch, tmp_path):
    monkeypatch.setattr(image.images, "find", lambda root, key: key)
    other = SimpleNamespace(key="mysql", version_text="8.4")
    newer = SimpleNamespace(key="mariadb-10.11", version_text="10.11.10")
    setups = [{}, {"engine": "rocksdb"}, {"user": "nobody"}, {"build": other}, {"build": newer}]
    keys = [witness_image(**known(tmp_path, **one)) for one in setups]
    assert len(set(keys)) == len(setups)
    assert all(key.startswith("witness-") and len(key) == 28 for key in keys)


def test_the_tables_are_made_statement_by_statement(asked):
    make_tables(asked.link, "trial_7", "innodb")
    made = [sql for sql in asked.sql if sql.strip().upper().startswith("CREATE TABLE")]
    assert asked.sql[0] == "USE trial_7" and len(made) == 3 and len(asked.sql) == 5
    assert all("innodb" in sql for sql in made) and "{engine}" in SCHEMA_SQL.read_text()


@pytest.mark.parametrize("engines", [["MyISAM"], ["InnoDB", "Aria"], []])
def test_tables_in_another_engine_are_no_trial(asked, engines):
    asked.engines = engines
    with pytest.raises(SandboxError, match=f"in {', '.join(sorted(engines))} instead of innodb"):
        make_tables(asked.link, "s", "innodb")


def test_a_copy_is_made_while_the_original_stands_still_and_leaves_nothing(monkeypatch, tmp_path):
    notes = []
    original = Part("original", notes)
    original.datadir, original.user, original.pid = tmp_path / "data", SimpleNamespace(name="mysql"), 17
    original.name, original.build = "db1", BUILD
    folder = tmp_path / "live" / "copy"
    note = notes.append
    monkeypatch.setattr(twin.images, "size_bytes", lambda path: 5)
    monkeypatch.setattr(twin.place, "require_space", lambda root, size: note(("space", root, size)))
    monkeypatch.setattr(twin.owner, "new_folder", lambda below: note(("folder", below)) or folder)
    monkeypatch.setattr(twin.owner, "remove", lambda gone: note(("removed", gone)))
    monkeypatch.setattr(twin.images, "copy", lambda *what: note(("copied", *what)))
    monkeypatch.setattr(twin.os, "kill", lambda pid, signal: note((signal.name, pid)))

    def create(*given, **how):
        note(("created", given, how))
        return nullcontext("copy")

    monkeypatch.setattr(twin, "Sandbox", SimpleNamespace(create=create))
    with twin.twin(original, tmp_path, {"log_bin": "ON"}) as copy:
        assert copy == "copy"
    how = {"name": "copy of db1", "trace": False, "user": "mysql", "datadir_on": folder}
    assert notes == [
        ("space", tmp_path, 5), ("folder", tmp_path / "live"), "original.settle", "original.freeze",
        ("copied", tmp_path / "data", folder / "data", original.user), ("SIGCONT", 17),
        ("created", (tmp_path, BUILD, {"log_bin": "ON"}), how), ("removed", folder),
    ]  # fmt: skip
