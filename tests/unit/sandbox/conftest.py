"""Fixtures of the sandbox tests: a hostile build, and folders to be attacked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.sandbox.attacker import HOSTILE, SECRET
from workers.sandbox import builds, process
from workers.sandbox.builds import Build, install
from workers.sandbox.users import User, unprivileged_user


@pytest.fixture
def user() -> User:
    return unprivileged_user()


@pytest.fixture
def vault(open_path: Path) -> Path:
    """A folder of the worker's with one file, which nobody else may enter."""
    folder = open_path / "vault"
    folder.mkdir(mode=0o700)
    (folder / "secret").write_text(SECRET)
    (folder / "secret").chmod(0o600)
    return folder


@pytest.fixture
def untouched(vault: Path) -> Callable[[], bool]:
    """Whether the vault is as it was."""
    before = (vault / "secret").stat()

    def is_untouched() -> bool:
        now = (vault / "secret").stat()
        same = (now.st_uid, now.st_mode, now.st_mtime_ns) == (before.st_uid, before.st_mode, before.st_mtime_ns)
        return (
            same and (vault / "secret").read_text() == SECRET and [path.name for path in vault.iterdir()] == ["secret"]
        )

    return is_untouched


@pytest.fixture
def hostile(open_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Build]:
    """`hostile(server=..., version=..., bootstrap=...)`: a build that runs this shell when it is started so."""
    monkeypatch.setenv("DURASCOPE_BUILDS", str(open_path / "builds"))

    def make(number: str = "5.7.30", version: str = ":", bootstrap: str = ":", server: str = ":") -> Build:
        program = open_path / "theirs/bin/mysqld"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(HOSTILE.format(number=number, version=version, bootstrap=bootstrap, server=server))
        program.chmod(0o755)
        if not (open_path / "builds/theirs").exists():
            install.add("theirs", lambda line: None, basedir=open_path / "theirs")
        return builds.find("theirs")

    return make


@pytest.fixture
def as_user(user: User) -> Callable[[str, Path], None]:
    """Run shell as the sandboxes' user, outside of any fence."""

    def run(script: str, folder: Path) -> None:
        process.run(["sh", "-c", script], user, cwd=folder, limit_s=20)

    return run


@pytest.fixture
def theirs(open_path: Path, user: User) -> Path:
    """A folder of the sandboxes' user in one of ours, as a datadir is."""
    return user.folder(open_path / "data")
