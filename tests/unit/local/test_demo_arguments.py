"""`manage.py demo` refuses bad arguments before anything is started."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from dashboard.commands.management.commands import demo


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch):
    monkeypatch.setattr(demo, "running", lambda *_: pytest.fail("it was started"))


@pytest.mark.parametrize(("change", "reason"), [("threads=0", "Threads: 0 is not"), ("colour=red", "colour")])
def test_a_plan_that_cannot_run_ends_with_status_2_and_the_reason(capsys, change, reason):
    with pytest.raises(SystemExit) as ended:
        call_command("demo", "--once", "--set", change)
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["demo", "--set", "threads"], "KEY=VALUE"),
        (["demo", "--port", "99999"], "99999"),
        (["experiment", "run", "group-commit", "--server", "One", "--set", "threads"], "KEY=VALUE"),
    ],
)
def test_words_that_cannot_be_read_are_named(words, reason):
    with pytest.raises(CommandError, match=reason):
        call_command(*words)
