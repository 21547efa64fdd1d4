"""Our reader against the servers: `python -m tests.bench.option_files.compared [BUILD ...] [--files N] [--first N]`.

Each file is read by both. It prints a line for each build, and each file on which they disagree, as short as it can be.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.bench.option_files.asked import Answer, helped, started
from tests.bench.option_files.made import MadeFile, made
from workers.errors import PlanError, SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import Build
from workers.servers.deciding import NOT_TOLD
from workers.servers.pasted.file_facts import file_facts
from workers.servers.pasted.files_here import FilesHere, is_passed_over
from workers.servers.pasted.named_version import NamedVersion

BUILDS = ("system-mariadb", "mariadb-11.8", "mysql-5.6.14", "mysql-8.0.33", "mysql-9.7")
KEYS = (
    "log_bin", "sync_binlog", "innodb_flush_log_at_trx_commit", "innodb_flush_log_at_timeout", "innodb_flush_method",
    "innodb_doublewrite", "innodb_force_recovery", "innodb_support_xa", "binlog_format",
)  # fmt: skip
WORDS_SINCE = {
    "mysql": (8, 0, 0),
    "mariadb": (10, 3, 7),
}  # before, innodb_flush_method was any text until InnoDB started
COMPUTED_SINCE = (8, 4, 0)  # the default of innodb_flush_method
STARTED_ALSO = 40  # every so many files is started, too
ALL_ONES = str(2**32 - 1)
Ours = Callable[[bytes, Build, Path], Answer]


@dataclass
class Tally:
    """`unknown`: settings that our reader leaves open. `seeds`: of files on which the two disagree."""

    files: int = 0
    settings: int = 0
    unknown: int = 0
    refused: int = 0
    started: int = 0
    disagreed: dict[int, list[str]] = field(default_factory=dict)

    def line(self, build: Build, minutes: float) -> str:
        return (
            f"{build.title}: {self.files:,} files, {self.settings:,} settings compared, {self.unknown:,} left open, "
            f"{self.refused:,} files refused by both, {self.started:,} starts, "
            f"{len(self.disagreed):,} files with a disagreement, {minutes:.1f} min"
        )


def ours(content: bytes, build: Build, file: Path) -> Answer:
    """Values that our reader leaves open are missing."""
    named = NamedVersion(build.flavour, build.version, build.version_text)
    text = "" if is_passed_over(file) else content.decode(errors="surrogateescape")
    try:
        found = file_facts(text, named, follow=FilesHere().follow)
    except PlanError as refused:
        return Answer(str(refused))
    return Answer(found.refused, {name: one for name, one in found.facts.variables.items() if one != NOT_TOLD})


def theirs(build: Build, file: Path, scratch: Path, *, always_start: bool = False) -> tuple[Answer, bool]:
    """And whether it was started."""
    told = helped(build, file, scratch)
    if not always_start and (told.refuses or not _is_silent(build, told.values, file.read_bytes())):
        return replace(told, values={**told.values, "log_bin": "ON" if "log_bin" in told.values else "OFF"}), False
    return started(build, file, scratch), True


def _is_silent(build: Build, values: Mapping[str, str], content: bytes) -> bool:
    """Whether help does not tell what a start would: newer versions of MariaDB write twice in another way then."""
    method = build.version < WORDS_SINCE[build.flavour] and "innodb_flush_method" in values
    method |= _computes(build) and b"ethod" in content and values.get("innodb_flush_method") == "fsync"
    method |= build.flavour == "mariadb" and values.get("innodb_flush_method") == "O_DIRECT_NO_FSYNC"
    return values.get("log_bin") == "0" or method or values.get("innodb_force_recovery", "0") >= "6"


def disagreements(build: Build, wanted: Answer, found: Answer, content: bytes, *, was_started: bool) -> Iterator[str]:
    """One line for each."""
    if bool(wanted.refuses) != bool(found.refuses):
        yield f"refused: server {wanted.refuses or 'starts'!r}, ours {found.refuses or 'starts'!r}"
    if wanted.refuses or found.refuses:
        return
    for key in compared(build, wanted, content, was_started=was_started):
        theirs, here = _normal(wanted.values.get(key, "")), found.values.get(key)
        if here is not None and _normal(here) != theirs:
            yield f"{key}: server {theirs!r}, ours {here!r}"


def _computes(build: Build) -> bool:
    return build.flavour == "mysql" and build.version >= COMPUTED_SINCE


def compared(build: Build, wanted: Answer, content: bytes, *, was_started: bool) -> list[str]:
    computed = _computes(build) and not was_started and b"ethod" not in content
    keys = [key for key in KEYS if key in wanted.values or key in ("log_bin", "innodb_flush_method")]
    return [key for key in keys if key != "innodb_flush_method" or not computed]


def _normal(value: str) -> str:
    return {"TRUE": "ON", "FALSE": "OFF", "-1": ALL_ONES}.get(value.upper(), value)


class Comparison:
    """Of one build with a reader."""

    def __init__(self, build: Build, scratch: Path, read: Ours = ours) -> None:
        self.build, self.scratch, self.read = build, scratch, read
        self.tally = Tally()

    def file(self, seed: int) -> None:
        one = made(seed, self.build.flavour, self.build.version)
        found = self._asked(one, seed % STARTED_ALSO == 0, self.tally)
        if found:
            self.tally.disagreed[seed] = found
            print(f"  seed {seed}: {'; '.join(found)}", flush=True)

    def _asked(self, one: MadeFile, always_start: bool, tally: Tally) -> list[str]:
        file = one.write(self.scratch, f"{self.build.key}.cnf")
        content = file.read_bytes()
        wanted, was_started = theirs(self.build, file, self.scratch, always_start=always_start)
        found = self.read(content, self.build, file)
        keys = [] if wanted.refuses else compared(self.build, wanted, content, was_started=was_started)
        tally.files += 1
        tally.started += was_started
        tally.refused += bool(wanted.refuses and found.refuses)
        tally.unknown += sum(key not in found.values for key in keys) if not found.refuses else 0
        tally.settings += sum(key in found.values for key in keys)
        return list(disagreements(self.build, wanted, found, content, was_started=was_started))

    def shortest(self, seed: int) -> MadeFile:
        """The file of this seed without the lines that do not matter."""
        best = made(seed, self.build.flavour, self.build.version)
        at = len(best.lines) - 1
        while at >= 0:
            shorter = replace(best, lines=best.lines[:at] + best.lines[at + 1 :])
            if self._asked(shorter, False, Tally()):
                best = shorter
            at -= 1
        return best


def main(keys: Sequence[str], files: int, first: int) -> int:
    status = 0
    for build in [builds.find(key) for key in keys]:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="ds-option-files-") as folder:
            comparison = Comparison(build, Path(folder))
            for seed in range(first, first + files):
                comparison.file(seed)
                if seed % 100 == 99:
                    minutes = (time.monotonic() - begin) / 60
                    print(f"  {comparison.tally.line(comparison.build, minutes)}", file=sys.stderr, flush=True)
            minutes = (time.monotonic() - begin) / 60
            print(comparison.tally.line(comparison.build, minutes), flush=True)
            for seed in comparison.tally.disagreed:
                status = 1
                short = comparison.shortest(seed)
                print(f"  seed {seed}, shortened: {short.lines} {dict(short.beside)}", flush=True)
    return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("builds", nargs="*", metavar="BUILD", default=BUILDS)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    asked = parser.parse_args()
    try:
        sys.exit(main(asked.builds or BUILDS, asked.files, asked.first))
    except SandboxError as absent:
        print(absent, file=sys.stderr)
        sys.exit(2)
