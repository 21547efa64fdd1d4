"""A signal that ends the program is not lost."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from dashboard.local import stack
from dashboard.local.stack import Stack, interrupt_on_end


class Checked(Exception):
    """The stack was looked at once more."""


class Watched(Stack):
    def check(self):
        raise Checked


@pytest.fixture
def watched():
    """As if nothing ignored a signal: under nohup the tests themselves do."""
    before = {
        number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    interrupt_on_end()
    yield Watched(Path("/nowhere"), "", print)
    stack._ending.clear()
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_that_something_dropped_still_ends_the_program(watched, number):
    with suppress(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    with pytest.raises(KeyboardInterrupt):
        watched.watch()


def test_without_a_signal_it_goes_on(watched):
    with pytest.raises(Checked):
        watched.watch()


def test_a_signal_of_an_earlier_run_is_forgotten(watched):
    with suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
    interrupt_on_end()
    with pytest.raises(Checked):
        watched.watch()
