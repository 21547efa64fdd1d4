"""Which test files start first when files run side by side: those that take longest, so that no processor is idle while
one long file ends. tests/seconds.json says how long each took; `pytest --write-seconds` writes it anew.

Unit tests compute, the others mostly wait for servers and disks. So each of the two kinds is spread over the whole run:
at half of the time of the one, half of the other has started.

Unit tests that are not in the list are short: they start last. Another file that is not in the list may be long: it
starts first. The order inside a file stays."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
KNOWN = PROJECT / "tests/seconds.json"
SIDE_BY_SIDE = "PYTEST_XDIST_WORKER"
UNKNOWN_S = 600


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-seconds", action="store_true", help="Write tests/seconds.json from this run of all tests."
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--write-seconds") and SIDE_BY_SIDE not in os.environ:
        config.pluginmanager.register(Stopwatch(), "stopwatch")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if SIDE_BY_SIDE in os.environ:
        items[:] = longest_first(items, known_seconds())


def known_seconds() -> dict[str, float]:
    return json.loads(KNOWN.read_text()) if KNOWN.exists() else {}


def longest_first(items: list[pytest.Item], seconds: dict[str, float]) -> list[pytest.Item]:
    def expected(file: str) -> float:
        return seconds.get(file, 0 if is_unit(file) else UNKNOWN_S)

    begins = {}  # file -> the share of the time of its kind before it, its kind
    files = sorted({file_of(item.nodeid): None for item in items}, key=expected, reverse=True)
    for unit in (False, True):
        alike = [file for file in files if is_unit(file) == unit]
        total, before = sum(map(expected, alike)), 0.0
        for file in alike:
            begins[file] = before / total if total else 1.0, unit
            before += expected(file)
    return sorted(items, key=lambda item: begins[file_of(item.nodeid)])


def is_unit(file: str) -> bool:
    return file.startswith("tests/unit/")


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


class Stopwatch:
    """Adds up what the tests of each file took, with their fixtures."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        took = {name: round(seconds, 1) for name, seconds in sorted(self.seconds.items())}
        KNOWN.write_text(json.dumps(took, indent=1) + "\n")
