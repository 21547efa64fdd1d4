"""The guardrail of running threads counts the clients of others, however many threads the load has."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace

import pytest

from workers.errors import DurascopeError, ServerError
from workers.guardrails.gauges import Line, OtherThreads
from workers.servers import ask, look
from workers.servers.connection import connect

OURS, OTHERS = 60, 3
RUNNING = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"


def sleep(link) -> None:
    """Until it is killed, or the link is closed by the other thread, which PyMySQL tells as an AttributeError."""
    with suppress(DurascopeError, AttributeError):
        ask.rows(link, "SELECT SLEEP(30)")


def now_and_then(gauge: OtherThreads) -> Iterator[float]:
    for _ in range(20):
        yield gauge.read().value
        time.sleep(0.05)


def test_threads_of_the_load_are_not_counted_and_those_of_others_are(sandbox):
    with ExitStack() as opened:
        admin = opened.enter_context(connect(sandbox.target))
        ask.rows(admin, "CREATE DATABASE durascope_threads")
        opened.callback(ask.rows, admin, "DROP DATABASE durascope_threads")
        gauge = OtherThreads(Line(sandbox.target), look.read(admin), 50)
        opened.callback(gauge.close)
        before = gauge.read().value
        for number in range(OURS + OTHERS):
            link = opened.enter_context(closing(connect(sandbox.target)))
            ask.rows(link, "USE durascope_threads" if number < OURS else "DO 0")
            threading.Thread(target=sleep, args=[link], daemon=True).start()
            opened.callback(ask.rows, admin, f"KILL QUERY {link.thread_id()}")
        while ask.value(admin, RUNNING) != OURS + OTHERS:
            time.sleep(0.05)
        # A thread that ends counts as running for a moment: the server tells one more then.
        assert (before, min(now_and_then(gauge))) == (0, OTHERS)


def test_an_account_that_sees_only_itself_is_told_what_it_lacks(sandbox):
    with connect(sandbox.target) as admin:
        ask.rows(admin, "CREATE USER 'blind'@'%' IDENTIFIED BY 'x'")
        try:
            line = Line(replace(sandbox.target, user="blind", password="x", socket=""))
            with pytest.raises(ServerError) as refused:
                OtherThreads(line, look.read(admin), 50).read()
        finally:
            ask.rows(admin, "DROP USER 'blind'@'%'")
    assert refused.value.fix == "GRANT PROCESS ON *.* TO 'blind'@'%';"
