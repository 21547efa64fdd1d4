"""Files that are no whole backup, and passphrases that do not fit: each is refused before anything is written."""

import io
import json
import os
import sqlite3
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.fernet import Fernet

from dashboard.backup import actions, archive, passphrase, postgresql, script, sqlite
from dashboard.backup.archive import BackupManifest
from dashboard.backup.refused import BackupRefused
from dashboard.installation import vault
from dashboard.installation.version import VERSION

PASSPHRASE = "correct horse battery"
KEY = Fernet.generate_key().decode()
DATABASE = os.urandom(4999) + b"A"
END_LIKE = b"\\.\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("backup")
    (folder / "source").write_bytes(DATABASE)
    (folder / "recipe").write_text("title = 'mine'")
    sources = {"database": folder / "source", "recipes/mine.toml": folder / "recipe"}
    entries = {name: archive.entry_of(source) for name, source in sources.items()}
    manifest = BackupManifest(VERSION, "2026-11-24", "sqlite", ("servers.0001_tables",), entries)
    archive.write(folder / "whole", manifest, passphrase.seal([KEY], manifest.digest, PASSPHRASE), sources)
    return folder / "whole"


def read(file: Path, to: Path, given: str | None = PASSPHRASE) -> tuple[list[str], dict[str, bytes]]:
    """Everything that a restore reads."""
    with archive.opened(file) as opened:
        actions.must_fit(opened.manifest)
        found = actions.kept_keys(opened, given), opened.recipes()
        opened.copy_database(to)
        return found


def changed(file: Path, to: Path, parts: dict[str, bytes | None], /, **manifest: object) -> Path:
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        content = {name: old.read(name) for name in old.namelist()}
        content["manifest.json"] = json.dumps({**json.loads(content["manifest.json"]), **manifest}).encode()
        for name, one in (content | parts).items():
            if one is not None:
                new.writestr(name, one)
    return to


@pytest.fixture
def on_sqlite(monkeypatch):
    monkeypatch.setattr(actions.connection, "vendor", "sqlite")


def test_a_whole_backup_is_read(made, tmp_path, on_sqlite):
    assert read(made, tmp_path / "copy") == ([KEY], {"mine.toml": b"title = 'mine'"})
    assert (tmp_path / "copy").read_bytes() == DATABASE
    assert read(made, tmp_path / "copy", None)[0] == []
    assert made.stat().st_mode & 0o777 == 0o600
    assert KEY.encode() not in made.read_bytes()


@pytest.mark.parametrize(("entries", "words"), [
    ({"../../evil": b"x"}, r"it holds '\.\./\.\./evil'"),
    ({"/etc/evil": b"x"}, "it holds '/etc/evil'"),
    ({"recipes/../x.toml": b"x"}, "it holds 'recipes/"),
    ({"recipes/a/b.toml": b"x"}, "it holds 'recipes/"),
    ({"recipes/.hidden.toml": b"x"}, "it holds 'recipes/"),
    ({"recipes/more.toml": b"x"}, "an entry is missing"),
    ({"recipes/mine.toml": b"x"}, r"recipes/mine\.toml was changed"),
    ({"recipes/mine.toml": b"x" * (2 << 20)}, "is too large"),
    ({"manifest.json": None}, r"manifest\.json cannot be read"),
    ({"manifest.json": b"[" * 100_000}, "its manifest cannot be read"),
    ({"manifest.json": b"\xff"}, "its manifest cannot be read"),
    ({"manifest.json": b"{}"}, "its manifest cannot be read"),
    ({"database": None}, "an entry is missing"),
    ({"database": DATABASE[:-1] + b"X"}, "its database was changed or cut off"),
    ({"database": DATABASE[:-1]}, "its database was changed or cut off"),
    ({"database": bytes(200 << 20)}, "its database was changed or cut off"),
    ({"keys": b"short"}, "does not open the keys"),
])  # fmt: skip
def test_a_hostile_file_is_refused(made, tmp_path, on_sqlite, entries, words):
    file = changed(made, tmp_path / "hostile", entries)
    with pytest.raises(BackupRefused, match=words):
        read(file, tmp_path / "copy")
    copied = (tmp_path / "copy").stat().st_size if (tmp_path / "copy").exists() else 0
    assert copied <= len(DATABASE), "a bomb is not unpacked"
    assert {path.name for path in tmp_path.iterdir()} <= {"hostile", "copy"}


@pytest.mark.parametrize(("manifest", "words"), [
    ({"migrations": ["servers.9999_future"], "version": "77.1.0"}, "Durascope '77.1.0' made this backup"),
    ({"format": 2, "version": "77.1.0"}, "in a newer format. Install that version"),
    ({"vendor": "postgresql"}, "The backup is of postgresql, this installation uses sqlite"),
    ({"made_at": "2030-01-01"}, "Somebody changed this backup"),
    ({"migrations": []}, "Somebody changed this backup"),
    ({"entries": []}, "its manifest cannot be read"),
    ({"entries": {"database": [float("inf"), "x"]}}, "its manifest cannot be read"),
    ({"entries": {"database": [-1, "x"]}}, "its manifest cannot be read"),
    ({"entries": {"database": "xx"}}, "its manifest cannot be read"),
    ({"made_at": "\ud800"}, "its manifest cannot be read"),
    ({"version": "1\x00"}, "its manifest cannot be read"),
    ({"version": ["1"]}, "its manifest cannot be read"),
    ({"format": 2, "version": "\ud800"}, "in a newer format"),
    ({"migrations": {"a": 1}, "vendor": None}, "its manifest cannot be read"),
])  # fmt: skip
def test_a_manifest_that_does_not_fit_is_refused(made, tmp_path, on_sqlite, manifest, words):
    with pytest.raises(BackupRefused, match=words):
        read(changed(made, tmp_path / "hostile", {}, **manifest), tmp_path / "copy")


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_backup_that_is_packed_in_another_way_is_refused(made, tmp_path, method):
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(tmp_path / "other", "w", method) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with pytest.raises(BackupRefused, match="packed in another way"), archive.opened(tmp_path / "other"):
        pass


def test_more_than_the_disk_holds_is_refused_before_a_byte_is_written(made, tmp_path, on_sqlite):
    with archive.opened(made) as opened:
        known = {name: [one.size, one.sha256] for name, one in opened.manifest.entries.items()}
    known["database"][0] = 1 << 60
    with pytest.raises(BackupRefused, match="Make room"):
        read(changed(made, tmp_path / "hostile", {}, entries=known), tmp_path / "copy", None)
    assert not (tmp_path / "copy").exists()


def test_each_shorter_file_is_refused(made, tmp_path, on_sqlite):
    whole = made.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(BackupRefused, match="no whole backup"):
            read(tmp_path / "cut", tmp_path / "copy")


def test_a_path_that_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, words in ((tmp_path, "is no file"), (tmp_path / "pipe", "is no file"), (tmp_path / "x", "No such file")):
        with pytest.raises(BackupRefused, match=words):
            read(path, tmp_path / "copy")


@pytest.mark.django_db
def test_a_database_with_any_name_is_copied(tmp_path, monkeypatch):
    live = tmp_path / "a#b?c%41"
    with closing(sqlite3.connect(live)) as database:
        database.execute("CREATE TABLE django_migrations (id, app, name)")
        database.execute("INSERT INTO django_migrations VALUES (1, 'servers', '0001_tables')")
        database.commit()
    monkeypatch.setattr(sqlite, "_file", lambda: live)
    sqlite.dump(tmp_path / "copy")
    assert sqlite.migrations(tmp_path / "copy") == {"servers.0001_tables"}
    assert {path.name for path in tmp_path.iterdir()} == {live.name, "copy"}


@pytest.mark.django_db
def test_an_empty_copy_is_no_backup(tmp_path, monkeypatch):
    engine = SimpleNamespace(dump=lambda to: to.touch(), migrations=sqlite.migrations)
    monkeypatch.setattr(actions, "engine", lambda: engine)
    with pytest.raises(BackupRefused, match=r"The copy of the database lacks 'account\."):
        actions.backup(tmp_path / "backup", None)
    monkeypatch.setattr(actions.newer_database, "applied_migrations", list)
    with pytest.raises(BackupRefused, match="lacks all tables"):
        actions.backup(tmp_path / "backup", None)
    assert not list(tmp_path.iterdir())


@pytest.mark.django_db
def test_a_database_that_lacks_what_its_manifest_names_is_not_restored(tmp_path, monkeypatch):
    monkeypatch.setattr(actions.newer_database, "applied_migrations", list)
    manifest = BackupManifest(VERSION, "2026-11-24", "sqlite", ("servers.0001_tables",), {})
    with pytest.raises(BackupRefused, match=r"lacks 'servers\.0001_tables'"):
        actions._settle(tmp_path / "backup", manifest)


def test_an_existing_file_is_never_replaced(made):
    before = made.read_bytes()
    with archive.opened(made) as opened, pytest.raises(BackupRefused, match="is there already"):
        archive.write(made, opened.manifest, b"", {})
    assert made.read_bytes() == before and not list(made.parent.glob(".*"))


def test_a_second_backup_to_the_same_name_leaves_the_running_one_alone(made, tmp_path, monkeypatch):
    """The second one begins while the first one is written, and is ready first."""
    file, sources = tmp_path / "backup", {"database": made}
    with archive.opened(made) as opened:
        manifest = opened.manifest
    write = zipfile.ZipFile.write

    def written(*words):
        monkeypatch.setattr(zipfile.ZipFile, "write", write)
        archive.write(file, manifest, b"", sources)
        write(*words)

    monkeypatch.setattr(zipfile.ZipFile, "write", written)
    with pytest.raises(BackupRefused, match="is there already"):
        archive.write(file, manifest, b"", sources)
    assert zipfile.ZipFile(file).testzip() is None and [path.name for path in tmp_path.iterdir()] == ["backup"]


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_leaves_no_half_written_file(small_disk, tmp_path):
    (tmp_path / "source").write_bytes(os.urandom(1 << 20))
    manifest = BackupManifest(VERSION, "2026-11-24", "sqlite", (), {})
    with pytest.raises(OSError, match="No space left"):
        archive.write(small_disk / "backup", manifest, b"", {"database": tmp_path / "source"})
    assert not list(small_disk.iterdir())


def test_the_passphrase_comes_from_a_file_that_nobody_else_can_read(made, tmp_path, on_sqlite):
    file = tmp_path / "passphrase"
    file.write_text(f"{PASSPHRASE}\n")
    with pytest.raises(BackupRefused, match="chmod 600"):
        passphrase.read(file, twice=False)
    file.chmod(0o600)
    assert passphrase.read(file, twice=False) == PASSPHRASE
    file.write_text("short")
    with pytest.raises(BackupRefused, match="less than 12 characters"):
        passphrase.read(file, twice=True)
    with pytest.raises(BackupRefused, match="does not open the keys"):
        read(made, tmp_path / "copy", "another passphrase")


def test_keys_of_the_environment_are_never_replaced(made, tmp_path, on_sqlite, monkeypatch):
    monkeypatch.setenv(vault.ENVIRONMENT, Fernet.generate_key().decode())
    with pytest.raises(BackupRefused, match="are not those in DURASCOPE_PASSWORD_KEYS"):
        read(made, tmp_path / "copy")
    monkeypatch.setenv(vault.ENVIRONMENT, f"{Fernet.generate_key().decode()} {KEY}")
    assert read(made, tmp_path / "copy")[0] == [KEY]


def test_a_restore_that_fails_at_its_last_step_leaves_the_old_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    old = vault.keys()
    with pytest.raises(OSError, match="the last step"), actions._stored([KEY]):
        assert vault.keys() == [*old, KEY], "what is sealed meanwhile stays open"
        raise OSError("the last step")
    assert vault.keys() == old
    with actions._stored([KEY]):
        pass
    assert vault.keys() == [KEY, *old]


def test_asking_whether_an_installation_is_empty_changes_nothing(monkeypatch):
    """Old tables that a killed restore left are data, too."""
    changes = []
    monkeypatch.setattr(postgresql, "_execute", lambda *statements: changes.extend(statements))
    monkeypatch.setattr(postgresql, "_one", lambda *_: 1)
    tables = SimpleNamespace(introspection=SimpleNamespace(table_names=list))
    monkeypatch.setattr(postgresql, "connection", tables)
    assert not postgresql.is_empty() and changes == []
    monkeypatch.setattr(postgresql, "_one", lambda *_: 0)
    assert postgresql.is_empty() and changes == []


class Session:
    """Of a database: what it was told."""

    def __init__(self) -> None:
        self.told = []

    def execute(self, statements):
        self.told.append(statements)

    @contextmanager
    def copy(self, statement):
        self.told.append([statement])
        yield SimpleNamespace(write=self.told[-1].append)


def test_what_pg_restore_says_is_executed_and_lines_for_psql_are_not():
    """A long row may hold what looks like the end of the rows."""
    long = b"x" * (script.PIECE_BYTES - 1) + END_LIKE
    lines = b"\\restrict key\n-- tables\nCREATE TABLE a ();\nCOPY a (b) FROM stdin;\n1\n" + long
    session = Session()
    script.execute(io.BytesIO(lines + b"\\.\n\nALTER TABLE a;\n\\! touch file\n"), session)
    before, [copy, *rows], after = session.told
    assert (before, copy) == ("-- tables\nCREATE TABLE a ();\n", "COPY a (b) FROM stdin;\n")
    assert (b"".join(rows), after) == (b"1\n" + long, "\nALTER TABLE a;\n")


def test_statements_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(script, "MOST_BYTES", 1000)
    with pytest.raises(BackupRefused):
        script.execute(io.BytesIO(b"SELECT 1\n" * 200), Session())


def test_nobody_comes_to_the_old_file_while_a_restored_one_takes_its_place(tmp_path, monkeypatch):
    """Whoever has it open then is refused, and does not go on with it."""
    live, draft, late = tmp_path / "live", tmp_path / "draft", []
    for file in (live, draft):
        with closing(sqlite3.connect(file)) as made:
            made.execute("CREATE TABLE a (b)")
    link = os.link

    def meanwhile(*names):
        late.append(sqlite3.connect(live, timeout=0))
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            late[0].execute("SELECT * FROM a")
        link(*names)

    monkeypatch.setattr(sqlite.os, "link", meanwhile)
    monkeypatch.setattr(sqlite, "connection", SimpleNamespace(settings_dict={"NAME": str(live)}, close=lambda: None))
    with sqlite.restored(draft):
        pass
    with closing(late[0]), pytest.raises(sqlite3.OperationalError, match="readonly"):
        late[0].execute("PRAGMA journal_mode=WAL")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can work as another user")
def test_programs_that_root_starts_for_another_user_cannot_become_root_again():
    os.setegid(65534)
    os.seteuid(65534)
    try:
        told = postgresql._run("cat", "/proc/self/status")
    finally:
        os.seteuid(0)
        os.setegid(0)
    found = [line.split()[1:] for line in told.splitlines() if line.startswith(("Uid:", "Gid:"))]
    assert found == [["65534"] * 4] * 2
