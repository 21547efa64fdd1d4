"""What a crash trial takes beside its load: python tests/bench/trial.py [--trials 5]

Goals of issue 3 for MariaDB on 2 cores: 2 s for a kill, 3 s for a power loss.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real.trials import crash

CASES = (("process-kill", 1, 1), ("process-kill", 0, 0), ("power-loss", 1, 1), ("power-loss", 0, 0))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=5)
    trials = parser.parse_args().trials
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        Path(folder).chmod(0o755)
        for kind in ("process-kill", "power-loss"):
            crash(Path(folder), kind)  # makes the images
        for case in CASES:
            report(Path(folder), case, trials)


def report(root: Path, case: tuple[str, int, int], trials: int) -> None:
    beside, steps = [], {}
    for seed in range(trials):
        began = time.monotonic()
        result = crash(root, *case, seed=seed, load_s=2.0)
        took = time.monotonic() - began
        beside.append(took - sum(step.took_s for step in result.steps if step.name == "load"))
        for step in result.steps:
            steps.setdefault(step.name, []).append(step.took_s)
    parts = ", ".join(f"{name} {statistics.median(took):.2f}" for name, took in steps.items() if name != "load")
    print(
        f"{case[0]:13} {case[1]},{case[2]}: {statistics.median(beside):.2f} s beside the load "
        f"({min(beside):.2f} to {max(beside):.2f}; {parts})",
        flush=True,
    )


if __name__ == "__main__":
    main()
