import os
import stat
import subprocess
import sys
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


def test_an_empty_home_is_the_usual_one(tmp_path, monkeypatch):
    """An empty path would be the current folder: keys would lie in the clone."""
    monkeypatch.setattr(home, "PROJECT", tmp_path / "clone")
    monkeypatch.setenv("DURASCOPE_HOME", "")
    monkeypatch.setenv("DURASCOPE_SQLITE", "")
    assert home.database() == tmp_path / "clone/.durascope/durascope.sqlite3"


EMPTY = ("DURASCOPE_SQLITE", "DURASCOPE_SANDBOXES", "DURASCOPE_RECIPES", "DURASCOPE_REDIS", "DATABASE_URL")
ASK = f"""
import os
from django.conf import settings
from dashboard.installation.home import redis_url
print(settings.SANDBOX_ROOT, settings.RECIPES, settings.DATABASES["default"]["NAME"], redis_url())
print([name for name in {EMPTY} if name in os.environ])
"""


def test_an_empty_variable_is_no_variable(tmp_path):
    def told(**more):
        known = {name: value for name, value in os.environ.items() if name not in EMPTY}
        known |= {"DURASCOPE_HOME": str(tmp_path / "home"), "DJANGO_SETTINGS_MODULE": "dashboard.settings", **more}
        argv = [sys.executable, "-c", ASK]
        env = known | {"PYTHONPATH": str(home.PROJECT)}
        return subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout

    assert told(**dict.fromkeys(EMPTY, "")) == told()
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
