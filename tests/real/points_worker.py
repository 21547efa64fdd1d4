"""Not a test: the worker that test_points_death.py kills, with the seconds of its load. Prints each step."""

import sys
from pathlib import Path

from tests.real.trials import setup
from workers.crash.run import run_trial

asked = setup(Path(sys.argv[1]), "every-crash-point", points=500, load_s=float(sys.argv[2]))
run_trial(asked, lambda step: print(step, flush=True), lambda: False)
