"""The limit of pytest-timeout, for each of the three parts of a test: setup, call and teardown. A test at its limit
fails alone.

pytest-timeout has one timer for the whole test. Between the parts, where reports are made, its exception ends the run
with an INTERNALERROR; and after a failure there is no limit for the teardown.

Code in C that holds Python's lock hears no signal. One minute later the process ends: pytest-xdist then counts the test
as failed and goes on in another process, with the next test."""

import faulthandler
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key as STDERR  # not the captured one
from pytest_timeout import Settings, timeout_sigalrm
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SETTINGS = pytest.StashKey[Settings]()
GRACE_S = float(os.environ.get("GRACE_OF_LIMIT_S", "60"))
Part = Generator[None, object, object]


def pytest_timeout_set_timer(item: pytest.Item, settings: Settings) -> bool:
    """Instead of the timer of pytest-timeout."""
    item.stash[SETTINGS] = settings
    return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Part:
    with limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Part:
    with limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Part:
    with limited(item):
        return (yield)


@contextmanager
def limited(item: pytest.Item) -> Iterator[None]:
    if not (settings := item.stash.get(SETTINGS, None)):
        yield
        return

    def begin() -> None:
        signal.setitimer(signal.ITIMER_REAL, settings.timeout)
        faulthandler.dump_traceback_later(settings.timeout + GRACE_S, exit=True, file=item.config.stash[STDERR])

    def fail(_number: int, _frame: FrameType | None) -> None:
        begin()  # code that catches everything catches this too
        timeout_sigalrm(item, settings)

    before = signal.signal(signal.SIGALRM, fail)
    begin()
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class EachTestOnce(LoadFileScheduling):
    """pytest-xdist gives a test that ended its process to the next process too, until it gives up the run."""

    def remove_node(self, node: WorkerController) -> str | None:
        for tests in self.assigned_work[node].values():
            for test in (test for test, is_done in tests.items() if not is_done):
                tests[test] = True
                super().remove_node(node)  # gives the tests after it to the others
                return test
        return super().remove_node(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling | None:
    return EachTestOnce(config, log) if config.getvalue("dist") == "loadfile" else None
