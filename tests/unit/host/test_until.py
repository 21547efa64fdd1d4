"""Waiting ends when it is so, when the time is up, or when something else says that it is of no use."""

import pytest

from workers.host.until import until


def test_the_answer_is_handed_on():
    answers = ["", "", "a replica"]
    assert until(lambda: answers.pop(0), 60, 0.0) == "a replica"
    assert answers == []


def test_it_is_asked_once_when_there_is_no_time():
    asked = []
    assert until(lambda: asked.append(1), 0, 60) is None
    assert asked == [1]


def test_what_is_called_meanwhile_may_end_the_waiting():
    def ended():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        until(lambda: False, 60, 60, ended)
    assert until(lambda: True, 60, 60, ended), "nobody had to wait"
