"""The option files of tests/bench/option_files, read by the system's MariaDB and by our reader: no disagreement."""

from pathlib import Path

import pytest

from tests.bench.option_files.asked import Answer
from tests.bench.option_files.compared import disagreements, ours, theirs
from tests.bench.option_files.made import made
from workers.sandbox import builds
from workers.sandbox.builds import Build

FILES, AT_ONCE = 300, 50
FAULTS = {  # what a reader may get wrong: a change of the file's text before it is read
    "[client-server] is not read": lambda text: text.replace(b"[client-server", b"[client"),
    "a later line does not win": lambda text: b"\n".join(reversed(text.split(b"\n"))),
    "skip- is passed over": lambda text: text.replace(b"\nskip", b"\n#"),
    "a short name is not read": lambda text: text.replace(b"innodb_flush_log_at_trx_com", b"loose_x"),
    "a number is not cut": lambda text: text.replace(b"4294967296", b"5").replace(b"1M", b"5"),
}


@pytest.fixture(scope="module")
def build() -> Build:
    return builds.find("system-mariadb")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path


def asked(build: Build, scratch: Path, seed: int) -> tuple[Answer, bool, bytes, Path]:
    file = made(seed, build.flavour, build.version).write(scratch, "my.cnf")
    return *theirs(build, file, scratch), file.read_bytes(), file


@pytest.mark.parametrize("first", range(0, FILES, AT_ONCE))
def test_our_reader_reads_what_the_server_reads(build, scratch, first):
    wrong, noticed, settings = [], dict.fromkeys(FAULTS, 0), 0
    for seed in range(first, first + AT_ONCE):
        wanted, was_started, content, file = asked(build, scratch, seed)
        found = ours(content, build, file)
        settings += len(found.values)
        wrong += [(seed, one) for one in disagreements(build, wanted, found, content, was_started=was_started)]
        for name, fault in FAULTS.items():
            worse = ours(fault(content), build, file)
            noticed[name] += any(disagreements(build, wanted, worse, content, was_started=was_started))
    assert wrong == [] and settings > 3 * AT_ONCE
    assert sum(noticed.values()) >= len(FAULTS), noticed


def test_each_planted_fault_is_noticed(build, scratch):
    """The negative control: files of these seeds hold what each faulty reader gets wrong."""
    unseen = set(FAULTS)
    for seed in range(FILES):
        if not unseen:
            return
        wanted, was_started, content, file = asked(build, scratch, seed)
        unseen -= {
            name
            for name in unseen
            if any(
                disagreements(build, wanted, ours(FAULTS[name](content), build, file), content, was_started=was_started)
            )
        }
    raise AssertionError(f"No file showed: {', '.join(sorted(unseen))}")
