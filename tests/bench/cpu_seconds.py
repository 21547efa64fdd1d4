"""CPU seconds of each test file: user and system time of the test process and of every process below it. A busy machine
changes the wall time of a test far more than its CPU time.

    .venv/bin/python -m pytest -p tests.bench.cpu_seconds -n 2 --dist loadfile tests/unit

The table at the end names the most expensive files and tests. It does not hold imports and collection, nor processes
whose parent ended before them."""

import contextlib
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

LINES = 40
KEY = "cpu_s"
TICKS = os.sysconf("SC_CLK_TCK")
PARENT, OWN_AND_ENDED = 1, slice(11, 15)  # fields of /proc/PID/stat after the name: ppid; utime, stime, cutime, cstime


def cpu_s() -> float:
    """Of this process and of all its descendants, those that ended included."""
    children, ticks = defaultdict(list), {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):  # it has just ended, or is no process
            pid = int(folder.name)
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            children[int(fields[PARENT])].append(pid)
            ticks[pid] = sum(map(int, fields[OWN_AND_ENDED]))
    found = [os.getpid()]
    for pid in found:
        found += children[pid]
    return sum(ticks[pid] for pid in found) / TICKS


class Spent:
    """Adds a test's CPU seconds to the report of its teardown, which comes last."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        self.before = cpu_s()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]):
        report = yield
        if call.when == "teardown":
            report.user_properties = [*report.user_properties, (KEY, max(0.0, cpu_s() - self.before))]
        return report


class Table:
    def __init__(self) -> None:
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.tests[report.nodeid] += dict(report.user_properties).get(KEY, 0) if report.when == "teardown" else 0

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        files: Counter[str] = Counter()
        for test, seconds in self.tests.items():
            files[test.partition("::")[0]] += seconds
        for title, found in (("files", files), ("tests", self.tests)):
            terminalreporter.section(f"CPU seconds: {found.total():.0f} in {len(found)} {title}")
            for name, seconds in found.most_common(LINES):
                terminalreporter.write_line(f"{seconds:7.1f} {name}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Spent(), "spent")
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Table(), "cpu-table")
