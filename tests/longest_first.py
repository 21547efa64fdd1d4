"""Which test files start first when files run side by side: those that take longest, so that no processor is idle while
one long file ends. tests/seconds.json says how long each took; `pytest --write-seconds` writes it anew.

Unit tests that are not in the list are short: they start last. Another file that is not in the list may be long: it
starts first. The order inside a file stays."""

import json
import os
from collections import Counter
from math import inf
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
KNOWN = PROJECT / "tests/seconds.json"
SIDE_BY_SIDE = "PYTEST_XDIST_WORKER"


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
    def expected(item: pytest.Item) -> float:
        file = file_of(item.nodeid)
        return seconds.get(file, 0 if file.startswith("tests/unit/") else inf)

    return sorted(items, key=expected, reverse=True)


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
