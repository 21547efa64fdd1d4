"""A step of the checklist: what it runs, and the figures that it finds in the output."""

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
Command = Sequence[str]


@dataclass(frozen=True)
class Found:
    """`figures`: lines for the report; `problem`: why the release may not be made, "" if it may."""

    figures: list[str]
    problem: str = ""


@dataclass(frozen=True)
class Step:
    """`says`: what it checks. `run(quick, log)` appends all output to the file `log`."""

    says: str
    run: Callable[[bool, Path], Found]
    has_quick: bool = True  # a shorter form, which only tries it
    reads_documents: bool = False  # a changed document is a changed program for it
    runs_tests: bool = False  # so is a changed test
    always: bool = False  # it takes no time: it runs at each call, also if it is done


def printed(command: Command, log: Path, allowed: Sequence[int] = (0,), tree: Path = PROJECT) -> str:
    """Runs it in this project, or in another tree, and returns what it printed, which is also in the log. Raises
    Failed."""
    with log.open("a") as file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        begins = file.tell()
        status = subprocess.run(
            command, cwd=tree, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode
    output = log.read_bytes()[begins:].decode(errors="replace")
    if status not in allowed:
        raise Failed(f"{' '.join(command)} ended with status {status}. Its output is in {log}.")
    return output


class Failed(Exception):
    """A step could not be run to its end."""


def python(*arguments: str) -> Command:
    return (sys.executable, *arguments)


def lines(pattern: str, output: str) -> list[str]:
    """Whole lines that match. Raises Failed if none does: a step without a figure shows nothing."""
    found = [line.strip() for line in output.splitlines() if re.search(pattern, line)]
    if not found:
        raise Failed(f"The output has no figure: no line has {pattern!r}.")
    return found


def uncommitted(*but: str) -> list[str]:
    """Files with changes that are in no commit, without those of these paths."""
    return git("status", "--porcelain", "--", ".", *without(but)).splitlines()


def without(paths: Sequence[str]) -> list[str]:
    """For git: all but these. A star stays within its folder."""
    return [f":(exclude,glob){path}" if "*" in path else f":!{path}" for path in paths]


def git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()
