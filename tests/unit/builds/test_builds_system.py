"""The system's servers are found on the PATH and asked for their version."""

from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import system

MARIADB = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
MYSQL = "/usr/sbin/mysqld  Ver 8.0.33 for Linux on x86_64 (MySQL Community Server - GPL)"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without servers; returns a function that installs a program which prints a text."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(system, "FOLDERS", ())
    monkeypatch.setenv("DURASCOPE_BUILDS", str(tmp_path / "builds"))

    def install(name: str, prints: str = "") -> Path:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{prints}'\n")
        program.chmod(0o755)
        return program

    return install


def test_the_systems_mariadb_is_found(machine):
    binary = machine("mariadbd", MARIADB)
    build = builds.find("system-mariadb")
    assert (build.flavour, build.version, build.mysqld) == ("mariadb", (10, 11, 19), binary)
    assert build.version_text == "10.11.19"
    assert build.command() == [str(binary)]


def test_the_systems_mysql_is_found(machine):
    machine("mysqld", MYSQL)
    build = builds.find("system-mysql")
    assert (build.flavour, build.version) == ("mysql", (8, 0, 33))


def test_mysql_is_not_taken_for_mariadb(machine):
    machine("mysqld", MYSQL)
    with pytest.raises(SandboxError, match=r"apt-get install .* mariadb-server-core"):
        builds.find("system-mariadb")


def test_a_missing_library_is_named(machine):
    program = machine("mysqld")
    said = "mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file"
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 127\n")
    with pytest.raises(SandboxError, match=r"needs the library libaio\.so\.1.*libaio1"):
        builds.find("system-mysql")


def test_a_program_that_prints_no_version_is_refused(machine):
    machine("mysqld", "Illegal instruction")
    with pytest.raises(SandboxError, match="did not print its version"):
        builds.find("system-mysql")


def test_an_unknown_build_is_answered_with_the_known_ones():
    with pytest.raises(SandboxError, match="system-mariadb"):
        builds.find("oracle")


def test_a_build_that_is_not_installed_is_answered_with_the_command_to_install(machine):
    with pytest.raises(SandboxError, match=r"build install mysql-5\.6\.14"):
        builds.find("mysql-5.6.14")
