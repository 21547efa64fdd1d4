"""Builds are found on the PATH and asked for their version."""

from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds

MARIADB = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
MYSQL = "/usr/sbin/mysqld  Ver 8.0.33 for Linux on x86_64 (MySQL Community Server - GPL)"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without servers; returns a function that installs a program which prints a text."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(builds, "SYSTEM_FOLDERS", ())

    def install(name: str, prints: str = "") -> Path:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{prints}'\n")
        program.chmod(0o755)
        return program

    return install


def test_it_finds_mariadb(machine):
    binary, tool = machine("mariadbd", MARIADB), machine("mariadb-install-db")
    build = builds.find("system-mariadb")
    assert (build.flavour, build.version, build.mysqld) == ("mariadb", (10, 11, 19), binary)
    assert build.tools == {"mariadb-install-db": tool}
    assert build.version_text == "10.11.19"


def test_it_finds_mysql(machine):
    machine("mysqld", MYSQL)
    build = builds.find("system-mysql")
    assert (build.flavour, build.version) == ("mysql", (8, 0, 33))


def test_it_does_not_take_one_flavour_for_the_other(machine):
    machine("mysqld", MYSQL)
    with pytest.raises(SandboxError, match=r"apt-get install .* mariadb-server-core"):
        builds.find("system-mariadb")


def test_it_names_the_package_of_a_missing_tool(machine):
    machine("mariadbd", MARIADB)
    with pytest.raises(SandboxError, match=r"mariadb-install-db, is not|tool mariadb-install-db is not"):
        builds.find("system-mariadb")


def test_it_refuses_a_binary_that_tells_no_version(machine):
    machine("mysqld", "Illegal instruction")
    with pytest.raises(SandboxError, match="does not tell its version"):
        builds.find("system-mysql")


def test_it_lists_the_builds_it_knows():
    with pytest.raises(SandboxError, match="system-mariadb"):
        builds.find("oracle")
