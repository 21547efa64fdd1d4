"""Speed of this state and of the release before it, by the same benches, in turn on the same machine."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from release.step import PROJECT, Found, lines, printed, python
from release.version import last_tag

BENCHES = {  # file of tests/bench: (options, options with --quick, pattern of its figures)
    "checks": ((), (), r"acknowledged: .* s"),
    "witness": (("--seconds", "3"), ("--seconds", "0.5"), r"16 clients: "),
    "trial": (("--trials", "5"), ("--trials", "1"), r"beside the load"),
    "binlog": (("--rounds", "5"), ("--transactions", "2000", "--rounds", "1"), r"times ours|ours, without"),
    "overhead": (("--pairs", "6"), ("--pairs", "2", "--seconds", "1", "--threads", "8"), r"\d\.\d{3}"),
}


def measure_speed(quick: bool, log: Path) -> Found:
    before = last_tag()
    figures = [] if before else ["there is no earlier release to compare with"]
    with_tree = Path(tempfile.mkdtemp(prefix="ds-release-before-")) if before else None
    try:
        if with_tree:
            subprocess.run(("git", "worktree", "add", "--detach", with_tree, before), cwd=PROJECT, check=True)
        for name, (options, quick_options, pattern) in BENCHES.items():
            for state, tree in [(before, with_tree), ("now", PROJECT)] if with_tree else [("now", PROJECT)]:
                command = python(f"{tree}/tests/bench/{name}.py", *(quick_options if quick else options))
                figures += [f"{name}, {state}: {line}" for line in lines(pattern, printed(command, log))]
    finally:
        if with_tree:
            subprocess.run(("git", "worktree", "remove", "--force", with_tree), cwd=PROJECT, check=False)
            shutil.rmtree(with_tree, ignore_errors=True)
    return Found(figures)
