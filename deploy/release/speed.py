"""Speed of this state and of the release before it, by the same benches, in turn on the same machine."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from release.step import PROJECT, Found, lines, printed, python
from release.version import last_tag

BENCHES = {  # file of tests/bench: (options, options with --quick, pattern of its figures)
    "checks": ((), (), r"acknowledged: .* s"),
    "witness": (("--seconds", "3"), ("--seconds", "0.5"), r"16 clients: "),
    "trial": (("--trials", "5"), ("--trials", "1"), r"beside the load"),
    "binlog": (("--rounds", "5"), ("--transactions", "2000", "--rounds", "1"), r"times ours|ours, without"),
    "in_browser": ((), ("--times", "1"), r"^(home|list|result|server|new) "),
    "overhead": (("--pairs", "6"), ("--pairs", "2", "--seconds", "1", "--threads", "8"), r"\d\.\d{3}"),
}
# Pattern of the figure of a line: (at least, at most). Worse than this is no release. The goals are in
# docs/contributing/speed.md. Of an overhead the upper end of the interval counts: only what is surely slower stops.
LIMITS = {
    r"^witness, now: 0/0   16 clients: +(\d+) commits/s": (15_000, None),
    r"^trial, now: process-kill .*: (\d+\.\d+) s beside": (None, 2.0),
    r"^trial, now: power-loss .*: (\d+\.\d+) s beside": (None, 3.0),
    r"^binlog, now: mariadb-binlog +\d.* (\d+\.\d+) times ours": (1.0, None),
    r"^overhead, now: fsync .*95 %: \d\.\d+ to (\d+\.\d+)": (0.99, None),
    r"^overhead, now: CPU .*95 %: \d\.\d+ to (\d+\.\d+)": (0.97, None),
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
                command = python("-m", f"tests.bench.{name}", *(quick_options if quick else options))
                output = printed(command, log, tree=tree)
                figures += [f"{name}, {state}: {line}" for line in lines(pattern, output)]
    finally:
        if with_tree:
            subprocess.run(("git", "worktree", "remove", "--force", with_tree), cwd=PROJECT, check=False)
            shutil.rmtree(with_tree, ignore_errors=True)
    return Found(figures, "" if quick else why_too_slow(figures))


def why_too_slow(figures: Sequence[str]) -> str:
    """A limit without a figure counts as missed: a bench that says nothing must not pass."""
    missed = []
    for pattern, (least, most) in LIMITS.items():
        found = [(line, float(match[1])) for line in figures if (match := re.search(pattern, line))]
        missed += [line for line, value in found if (least and value < least) or (most and value > most)]
        missed += [] if found else [f"no figure for {pattern}"]
    return f"Slower than a release may be: {'; '.join(missed)}." if missed else ""
