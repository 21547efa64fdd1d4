"""manage.py makeadmin."""

import io
import os
import subprocess
import sys

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from dashboard.records.audit.models import Event

pytestmark = pytest.mark.django_db
GOOD = "correct horse battery"


def say(monkeypatch, text):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_makeadmin_prints_a_generated_password_that_works(capsys):
    call_command("makeadmin", "ada")
    password = capsys.readouterr().out.rsplit(" ", 1)[1].strip()
    assert len(password) >= 16
    assert authenticate(username="ada", password=password).is_superuser
    assert Event.objects.get().did == "made administrator"


def test_makeadmin_takes_a_password_from_stdin_and_does_not_print_it(monkeypatch, capsys):
    say(monkeypatch, GOOD + "\n")
    call_command("makeadmin", "ada", "--stdin")
    assert GOOD not in capsys.readouterr().out
    assert authenticate(username="ada", password=GOOD)


def test_makeadmin_asks_for_the_password_at_the_terminal(monkeypatch):
    monkeypatch.setattr("getpass.getpass", lambda: GOOD)
    call_command("makeadmin", "ada", "--ask")
    assert authenticate(username="ada", password=GOOD)


@pytest.mark.parametrize(("name", "stdin"), [("ada", "short\n"), ("ada", "\n"), ("a b\0c", GOOD), ("x" * 151, GOOD)])
def test_makeadmin_refuses_a_bad_name_or_password(monkeypatch, name, stdin):
    say(monkeypatch, stdin)
    with pytest.raises(CommandError, match=r"Nothing was changed"):
        call_command("makeadmin", name, "--stdin")
    assert not User.objects.exists()


def test_makeadmin_changes_an_existing_account_only_with_reset(monkeypatch, admin):
    with pytest.raises(CommandError, match="--reset"):
        call_command("makeadmin", "admin")
    assert authenticate(username="admin", password="a long test password")
    say(monkeypatch, GOOD)
    call_command("makeadmin", "admin", "--reset", "--stdin")
    assert authenticate(username="admin", password=GOOD)


def test_makeadmin_cannot_reset_an_account_that_does_not_exist():
    with pytest.raises(CommandError, match="no account named"):
        call_command("makeadmin", "nobody", "--reset")


def test_makeadmin_exits_with_2_for_wrong_arguments(settings):
    command = [sys.executable, "manage.py", "makeadmin"]
    done = subprocess.run(command, cwd=settings.PROJECT, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage:" in done.stderr
