"""When settings flush the logs, in words."""

from itertools import product

import pytest

from dashboard.findings.flushing import gloss, is_durable


def level(flush, sync, **more):
    return {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync, **more}


@pytest.mark.parametrize(
    ("flush", "sync", "says"),
    [
        ("1", "1", "both logs flushed at each commit"),
        ("2", "1", "redo log written at each commit, flushed once a second; binary log flushed at each commit"),
        (
            "2",
            "0",
            "redo log written at each commit, flushed once a second; binary log flushed by the operating system",
        ),
        ("0", "0", "redo log written and flushed once a second; binary log flushed by the operating system"),
        ("1", "100", "redo log flushed at each commit; binary log flushed every 100 groups of commits"),
    ],
)
def test_the_settings_tell_when_both_logs_are_flushed(flush, sync, says):
    assert gloss(level(flush, sync)) == says
    assert is_durable(level(flush, sync)) == ((flush, sync) == ("1", "1"))


def test_each_level_has_words_of_its_own():
    levels = list(product("012", ("0", "1", "1000")))
    assert len({gloss(level(*one)) for one in levels}) == len(levels)


def test_another_time_between_flushes_is_told():
    assert "flushed every 10 s" in gloss(level("2", "1", innodb_flush_log_at_timeout="10"))


@pytest.mark.parametrize("settings", [{}, {"sync_binlog": "1"}, level("3", "1")])
def test_settings_that_do_not_say_it_have_no_gloss(settings):
    assert gloss(settings) == "" and not is_durable(settings)
