"""Fourteen faults in a running installation: it recovers from each, and every check of that can fail."""

import json
import os
import subprocess
import sys

from dashboard.installation.home import PROJECT


def test_fourteen_faults_break_nothing():
    argv = [sys.executable, "-m", "tests.bench.chaos", "--faults", "14", "--short"]
    argv += ["--postgresql"] if os.environ.get("DATABASE_URL") else []
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True)
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert told["broken"] == [], done.stderr
    assert told["controls_unseen"] == [], done.stderr
    assert (told["faults"], done.returncode) == (14, 0), done.stderr
