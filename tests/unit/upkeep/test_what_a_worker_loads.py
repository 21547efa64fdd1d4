"""A worker and beat are there a second after they were started: they load neither pages nor what is rarely needed."""

import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT

LOAD = "import sys; from workers.celery import app; app.loader.init_worker(); {also}print(*sys.modules)"
HEAVY = {"dashboard.urls", "ninja", "pydantic", "scipy.stats", "scipy.optimize"}


def loaded(also: str = "") -> set[str]:
    argv = [sys.executable, "-c", LOAD.format(also=also)]
    return set(subprocess.run(argv, cwd=PROJECT, check=True, capture_output=True, text=True).stdout.split())


def test_it_loads_its_tasks_and_nothing_heavy():
    found = loaded()
    assert "workers.tasks" in found
    assert not found & HEAVY


@pytest.mark.parametrize("heavy", ["dashboard.urls", "scipy.stats"])
def test_what_is_heavy_would_be_seen(heavy):
    assert heavy in loaded(also=f"import {heavy}; ")
