"""Results of steps, kept in .release/VERSION until the release is made. A result counts while nothing
that it measured changed since: for most steps documents and tests may."""

import json
import os
import subprocess
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from release.step import PROJECT, Failed, Step, git, uncommitted, without

RELEASES = ["docs/releases"]  # written by each call
DOCUMENTS = ["docs", "*.md"]  # *.md of the root
TESTS = ["tests/**/test_*.py"]  # nothing imports them


@dataclass(frozen=True)
class Result:
    passed: bool
    figures: list[str]
    problem: str
    commit: str
    at: str
    took_s: float
    load: float  # average of the machine over a minute, the higher of before and after
    quick: bool
    of_commit: bool = False  # what it measured was that of the commit from beginning to end
    may_change: list[str] = field(default_factory=list)  # paths that it does not measure

    @property
    def counts(self) -> bool:
        """Whether it was measured at its commit, and nothing that it measured changed since."""
        try:
            return self.of_commit and not git(
                "diff", "--name-only", self.commit, "HEAD", "--", ".", *without(self.may_change)
            )
        except subprocess.CalledProcessError:
            return False


def folder(version: str) -> Path:
    made = PROJECT / ".release" / version
    made.mkdir(parents=True, exist_ok=True)
    return made


def read(place: Path, name: str) -> Result | None:
    file = place / f"{name}.json"
    return Result(**json.loads(file.read_text())) if file.is_file() else None


def run(place: Path, name: str, step: Step, quick: bool) -> Result:
    """The result of an earlier run is removed first: if this one is interrupted, the step is not done."""
    log, file = place / f"{name}.log", place / f"{name}.json"
    file.unlink(missing_ok=True)
    log.write_text("")
    may_change = (RELEASES if step.reads_documents else DOCUMENTS) + ([] if step.runs_tests else TESTS)
    began, load = time.monotonic(), os.getloadavg()[0]
    commit, clean = git("rev-parse", "HEAD"), not uncommitted(*may_change)
    try:
        found = step.run(quick, log)
        figures, problem = found.figures, found.problem
    except Failed as failed:
        figures, problem = [], str(failed)
    result = Result(
        not problem, figures, problem, commit, time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        round(time.monotonic() - began, 1), round(max(load, os.getloadavg()[0]), 1), quick and step.has_quick,
        clean and not uncommitted(*may_change) and git("rev-parse", "HEAD") == commit, may_change,
    )  # fmt: skip
    file.write_text(json.dumps(asdict(result), indent=1))
    return result
