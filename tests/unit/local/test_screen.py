"""The demo's progress in a terminal and in a log."""

import io

import pytest

from dashboard.local import screen
from dashboard.local.screen import Screen


def now(done=0, total=24, cell=None, phase="", left_s=None, seconds=(), failed=0):
    return {
        "done": done,
        "failed": failed,
        "total": total,
        "cell": cell,
        "phase": phase,
        "left_s": left_s,
        "seconds": seconds,
    }


CELL = {"variant": "2/1", "threads": 8}


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        return 1


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(screen.os, "get_terminal_size", lambda _: screen.os.terminal_size((70, 24)))
    return Terminal()


def test_it_draws_one_line_over_and_over_in_a_terminal(terminal):
    drawn = Screen(terminal)
    drawn.progress(now(6, cell=CELL, left_s=80, seconds=[{"tps": 1234.4}]))
    drawn.progress(now(12, cell=CELL, left_s=40))
    first, second = terminal.getvalue().split(screen.CLEAR_LINE)[1:]
    assert first == "[#####...............] 6/24  2/1, 8 threads, 1234 commits/s  about 1:20 min left"[:69]
    assert second == "[##########..........] 12/24  2/1, 8 threads  about 0:40 min left"
    assert "\n" not in terminal.getvalue()


def test_a_message_replaces_the_line_that_was_drawn(terminal):
    drawn = Screen(terminal)
    drawn.say("before")
    drawn.progress(now(1, phase="making the sandbox ready"))
    drawn.say("after")
    assert terminal.getvalue().startswith("before\n")
    assert terminal.getvalue().endswith(f"{screen.CLEAR_LINE}after\n")


def test_it_prints_plain_lines_only_for_news_where_there_is_no_terminal():
    log = io.StringIO()
    printed = Screen(log)
    for left_s in (130, 129, 128):
        printed.progress(now(1, cell=CELL, left_s=left_s))
    printed.progress(now(2, phase="putting everything back"))
    assert log.getvalue() == "1/24  2/1, 8 threads  about 2:10 min left\n2/24  putting everything back\n"


def test_it_counts_threads_as_people_do():
    assert screen.where(now(cell={**CELL, "threads": 1})) == "2/1, 1 thread"


def test_failed_cells_count_as_over():
    assert screen.bar(now(done=12, failed=12)) == f"[{'#' * 20}] 24/24"


def test_an_experiment_without_cells_breaks_nothing():
    assert screen.bar(now(total=0)).endswith("0/0")
