"""A builds folder of the test's own, and programs that stand in for the ones of this machine."""

from collections.abc import Callable
from pathlib import Path

import pytest

MYSQLD = "#!/bin/sh\necho 'mysqld  Ver {version} for Linux on x86_64 (MySQL Community Server - GPL)'\n"


@pytest.fixture
def tmp_path(open_path: Path) -> Path:
    """The user who runs sandboxes asks the builds that lie here."""
    return open_path


@pytest.fixture
def store_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DURASCOPE_BUILDS", str(tmp_path / "builds"))
    return tmp_path / "builds"


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def server_folder(tmp_path: Path) -> Callable[..., Path]:
    """`server_folder("5.7.30")`: a folder with a program in bin/mysqld that says so."""

    def make(version: str = "5.7.30", name: str = "server") -> Path:
        program = tmp_path / name / "bin/mysqld"
        program.parent.mkdir(parents=True)
        program.write_text(MYSQLD.format(version=version))
        program.chmod(0o755)
        return tmp_path / name

    return make
