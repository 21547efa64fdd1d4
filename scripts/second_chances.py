"""Counts the tests that failed in a build and passed when they ran again. .ci/run calls it once in each build.

    python scripts/second_chances.py FAILED...      pytest's lists of failed tests; a file that is missing lists none

Real tests measure on machines that others share, so each failed test runs once more. A test that needs this twice
within ten builds is named, and the status is 1. The record is a file in the user's cache folder; on a new machine it is
empty."""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

BUILDS = 10


def record_file() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "durascope" / "second_chances.json"


def add_build(record: dict, failed: Iterable[str]) -> tuple[dict, list[str]]:
    """The record with this build in it, and the tests that also failed in one of the nine builds before."""
    build = record.get("builds", 0) + 1
    known = {test: last for test, last in record.get("failed", {}).items() if build - last < BUILDS}
    now = sorted(set(failed))
    return {"builds": build, "failed": known | dict.fromkeys(now, build)}, [test for test in now if test in known]


def read(path: Path) -> dict:
    """A file that is missing, or was cut off, is an empty record."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def main(failed_files: Iterable[Path], kept: Path) -> int:
    record, again = add_build(read(kept), (test for file in failed_files for test in read(file)))
    kept.parent.mkdir(parents=True, exist_ok=True)
    unfinished = kept.with_suffix(".new")
    unfinished.write_text(json.dumps(record, indent=1) + "\n")
    unfinished.replace(kept)
    for test in again:
        print(f"{test} failed for the second time within {BUILDS} builds. Fix the test or the product.")
    return 1 if again else 0


if __name__ == "__main__":
    sys.exit(main(map(Path, sys.argv[1:]), record_file()))
