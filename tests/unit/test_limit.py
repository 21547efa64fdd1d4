"""A test at its limit fails alone: pytest of a few tests, some of which hang, as `scripts/test` runs them."""

import os
import re
import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT

BEGINS = """
import time
import pytest

hangs = pytest.mark.timeout(4)  # the others have no limit: this machine may be busy

def sleep():
    time.sleep(3600)
"""
PARTS = """
@pytest.fixture
def begins(): sleep()

@pytest.fixture
def ends():
    yield
    sleep()

class SlowToReport(Exception):
    def __str__(self):
        time.sleep(5)
        return "slow to report"

@hangs
def test_setup(begins): pass
@hangs
def test_failed_before_its_teardown(ends): assert False
@hangs
def test_report(): raise SlowToReport
"""
DEAF = """
@hangs
def test_catches_all():
    try:
        sleep()
    except BaseException:
        sleep()
@hangs
def test_hears_no_signal(): sum(range(10**15))
def test_after_all_of_them(): pass
"""
EXPECTED = {
    "ERROR test_setup", "FAILED test_failed_before_its_teardown", "ERROR test_failed_before_its_teardown",
    "FAILED test_report", "FAILED test_catches_all", "FAILED test_hears_no_signal", "PASSED test_after_all_of_them",
}  # fmt: skip


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hanging")
    (folder / "test_parts.py").write_text(BEGINS + PARTS)
    (folder / "test_deaf.py").write_text(BEGINS + DEAF)
    (folder / "pytest.ini").write_text("[pytest]\n")
    # Without the other plugins, which would take seconds to load.
    plugins = [word for name in ("xdist", "pytest_timeout", "tests.limit") for word in ("-p", name)]
    options = ["-n", "2", "--dist", "loadfile", "-rA", "-p", "no:cacheprovider", *plugins]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(PROJECT), "GRACE_OF_LIMIT_S": "4"}
    argv = [sys.executable, "-m", "pytest", *options]
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_test_at_its_limit_fails_alone(ended):
    told = set(re.findall(r"^(?:FAILED|ERROR|PASSED) test_\w+.py::\w+", ended.stdout, re.MULTILINE))
    assert {re.sub(r"test_\w+.py::", "", line) for line in told} == EXPECTED, ended.stdout + ended.stderr
    assert ended.returncode == 1 and "INTERNALERROR" not in ended.stdout


def test_the_run_says_where_code_stood_that_heard_no_signal(ended):
    assert re.search(r'test_deaf.py", line \d+ in test_hears_no_signal', ended.stderr), ended.stderr
