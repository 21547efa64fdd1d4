"""The commands *By hand* of docs/settings.md, as they stand there, make an installation."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from django.core.management import get_commands

from dashboard.installation.home import PROJECT
from tests.real.local_home import environment

PYTHON = ".venv/bin/python"


def commands() -> Iterator[list[str]]:
    """Arguments after Python."""
    text = (PROJECT / "docs" / "settings.md").read_text().partition("By hand")[2]
    for line in text.splitlines():
        if line.startswith(f"    {PYTHON}"):
            yield shlex.split(line, comments=True)[1:]


def test_the_commands_make_a_home_with_keys_tables_static_files_and_an_administrator(tmp_path):
    known = [*commands()]
    made = [one for one in known if one[:1] == ["manage.py"] and one != ["manage.py", "worker"]]
    started = [one for one in known if one not in made]
    assert [one[:3] for one in started] == [
        ["manage.py", "worker"], ["-m", "celery", "-A"], ["-m", "uvicorn", "--no-access-log"],
    ]  # fmt: skip
    assert "worker" in get_commands() and find_spec("celery") and find_spec("uvicorn")
    printed = [
        subprocess.run([sys.executable, *one], cwd=PROJECT, env=environment(tmp_path), capture_output=True, text=True)
        for one in made
    ]
    assert [one.returncode for one in printed] == [0, 0, 0], printed
    assert "Password (shown this once)" in printed[-1].stdout
    assert (tmp_path / "secret_key").is_file() and (tmp_path / "staticfiles" / "staticfiles.json").is_file()
