"""How many published bugs are found again: python -m tests.bench.recall [RECIPE ...] [--size quick]

Runs recipes known-bugs-... in an installation of its own, which is removed afterwards. A claim with `above` expects the
bug; a claim with only `below` is the control, which must not show it. Exit status 1: a control showed the bug.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.chaos import place
from workers.bench.recipes import load

PROJECT = Path(__file__).resolve().parents[2]
SANDBOX = "recall"
MAKE_IT = f"""
from dashboard.records.servers.models import Server
Server.objects.create(name={SANDBOX!r}, kind="sandbox", build="system-mariadb", label="test")
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recall")
    parser.add_argument("recipes", nargs="*", default=["known-bugs-server"])
    parser.add_argument("--size", default="quick")
    asked = parser.parse_args()
    expected, controls = [], []
    with place.made(with_postgresql=False) as here:
        _manage(here, "migrate", "--verbosity", "0")
        _manage(here, "shell", "--command", MAKE_IT)
        for recipe in asked.recipes:
            for id, is_control, outcome in _outcomes(here, recipe, asked.size):
                print(f"{recipe}: {id}, {'control' if is_control else 'bug'}: {outcome}", flush=True)
                (controls if is_control else expected).append((id, outcome))
    reports = {id for id, _ in expected}
    found = {id for id, outcome in expected if outcome == "held"}
    missed = ", ".join(sorted(reports - found)) or "none"
    print(f"{len(found)} of {len(reports)} published bugs reproduced; not reproduced: {missed}")
    clean = sum(outcome == "held" for _, outcome in controls)
    print(f"{clean} of {len(controls)} controls without the bug")
    return int(any(outcome == "not held" for _, outcome in controls))


def _outcomes(here: place.Place, recipe: str, size: str) -> Iterator[tuple[str, bool, str]]:
    answer = _manage(here, "experiment", "run", recipe, "--server", SANDBOX, "--size", size, "--json", allowed=(0, 1))
    told = json.loads(answer)["claims"]["outcomes"]
    for claim, outcome in zip(load(recipe).claims, told, strict=True):
        yield claim.id, claim.bounds.above is None, outcome["outcome"]


def _manage(here: place.Place, *arguments: str, allowed: tuple[int, ...] = (0,)) -> str:
    with tempfile.TemporaryFile("w+") as output:
        argv = [sys.executable, "manage.py", *arguments]
        status = subprocess.run(argv, cwd=PROJECT, env=dict(here.environment()), stdout=output, check=False).returncode
        if status not in allowed:
            sys.exit(f"manage.py {' '.join(arguments)} ended with status {status}.")
        output.seek(0)
        return output.read()


if __name__ == "__main__":
    sys.exit(main())
