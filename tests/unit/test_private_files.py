import os
import stat
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from dashboard.installation import home, vault


def test_the_database_file_is_its_owners_only(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_SQLITE", str(tmp_path / "elsewhere.sqlite3"))
    assert stat.S_IMODE(home.database().stat().st_mode) == 0o600


def test_an_existing_database_keeps_its_mode_and_content(tmp_path, monkeypatch):
    path = tmp_path / "old.sqlite3"
    path.write_bytes(b"content")
    path.chmod(0o640)
    monkeypatch.setenv("DURASCOPE_SQLITE", str(path))
    assert stat.S_IMODE(home.database().stat().st_mode) == 0o640
    assert path.read_bytes() == b"content"


def test_a_home_and_its_secrets_are_their_owners_only(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path / "home"))
    home.secret("some_key", lambda: "x")
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home" / "some_key").stat().st_mode) == 0o600


def test_threads_that_start_together_use_one_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    drafted, link = Barrier(2), os.link

    def together(*names):
        drafted.wait(10)
        link(*names)

    monkeypatch.setattr(os, "link", together)
    with ThreadPoolExecutor() as threads:
        first, second = threads.map(lambda _: home.secret("some_key", lambda: os.urandom(8).hex()), range(2))
    assert first == second == (tmp_path / "some_key").read_text()
    vault.store(["a", "b"])
    assert vault.keys() == ["a", "b"] and {path.name for path in tmp_path.iterdir()} == {"some_key", vault.NAME}
    assert stat.S_IMODE((tmp_path / vault.NAME).stat().st_mode) == 0o600
