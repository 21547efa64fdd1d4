"""An owner's command is told nothing of the worker's secrets."""

import os

import pytest

from workers.crash.owners_command import OwnersCommand
from workers.errors import SandboxError


def environment_of(command: str) -> str:
    with pytest.raises(SandboxError) as failed:
        OwnersCommand(10).run(("/bin/sh", "-c", f"{command}; exit 1"), "crash")
    return str(failed.value)


def test_nothing_of_the_workers_environment_arrives(monkeypatch):
    for name in ("DURASCOPE_SECRET_KEY", "DURASCOPE_PASSWORD_KEYS", "DATABASE_URL", "MYSQL_PWD", "AWS_SECRET"):
        monkeypatch.setenv(name, "sekrit")
    said = environment_of("env")
    assert "ended with status 1" in said and "PATH=" in said
    assert "sekrit" not in said and "DURASCOPE" not in said and "DATABASE_URL" not in said


def test_ssh_finds_what_it_needs(monkeypatch):
    monkeypatch.setenv("SSH_AUTH_SOCK", "/tmp/agent")
    monkeypatch.setenv("HOME", "/home/worker")
    said = environment_of('echo "<$SSH_AUTH_SOCK $HOME $LC_ALL>"')
    assert "</tmp/agent /home/worker C>" in said
    monkeypatch.delenv("SSH_AUTH_SOCK")
    assert os.environ["PATH"] and "SSH_AUTH_SOCK" not in environment_of("env")
