"""A worker and beat are there a second after they were started: they load neither pages nor what is rarely needed."""

import os
import subprocess
import sys

from dashboard.installation.home import PROJECT

HEAVY = ("dashboard.urls", "ninja", "pydantic", "scipy.stats", "scipy.optimize")
LOAD = f"""
import sys
from importlib import import_module
from workers.celery import app
app.loader.init_worker()
print(*sys.modules)
for heavy in {HEAVY}:
    import_module(heavy)
print(*sys.modules)
"""


def test_a_worker_loads_its_tasks_and_no_heavy_module():
    """The second list is the control: a heavy module that is loaded stands in it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}  # it costs twice more
    done = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=PROJECT, env=env, check=True, capture_output=True, text=True
    )
    worker, with_heavy = (set(line.split()) for line in done.stdout.splitlines())
    assert "workers.tasks" in worker
    assert worker & set(HEAVY) == set() and with_heavy >= set(HEAVY)
