"""An owner's command is told nothing of the worker's secrets."""

import os
import time
import tracemalloc

import pytest

from workers.crash.owners_command import OwnersCommand
from workers.errors import SandboxError


def environment_of(command: str) -> str:
    with pytest.raises(SandboxError) as failed:
        OwnersCommand(10).run(("/bin/sh", "-c", f"{command}; exit 1"), "crash")
    return str(failed.value)


def test_the_command_does_not_get_the_environment_of_the_worker(monkeypatch):
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


def test_a_command_that_ends_well_says_nothing():
    assert OwnersCommand(10).run(("true",), "start") is None


def test_of_a_failed_command_the_program_and_its_last_words_are_told():
    said = environment_of("printf '%0600d' 7")
    assert said.startswith("The crash command /bin/sh ended with status 1: 0")
    assert said.count("0") == 499


def test_of_much_output_only_the_end_is_read():
    tracemalloc.start()
    try:
        said = environment_of("head -c 20000000 /dev/zero; printf '%0500d' 7")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert said.endswith(f": {'0' * 499}7 Check the server by hand: it may be down.")


def test_a_program_that_is_not_there_is_told():
    with pytest.raises(SandboxError, match="there is no program durascope-no-such-program"):
        OwnersCommand(10).run(("durascope-no-such-program", "now"), "start")


def test_a_command_that_takes_too_long_ends_with_all_that_it_has_started():
    began = time.monotonic()
    with pytest.raises(SandboxError, match=r"The crash command /bin/sh did not end within 0.1 s"):
        OwnersCommand(0.1).run(("/bin/sh", "-c", "sleep 5; true"), "crash")
    assert time.monotonic() - began < 3


def test_where_no_command_runs_there_is_none_to_kill():
    command = OwnersCommand(10)
    command.kill()
    command.run(("true",), "start")
    command.kill()
