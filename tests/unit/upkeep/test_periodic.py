"""A worker's duties: the first as soon as it is there, and one that fails is not the last."""

import logging

import pytest

from workers.upkeep.periodic import Duties

pytestmark = pytest.mark.django_db(transaction=True)  # a thread of duties closes its connection at the end


def go(duty, duties: Duties, monkeypatch) -> None:
    monkeypatch.setattr("workers.upkeep.periodic.EVERY_S", 0)
    duties._go(duty)


def test_the_first_round_waits_for_nothing(monkeypatch):
    duties, waited = Duties(), []
    wait = duties._stop.wait
    monkeypatch.setattr(duties._stop, "wait", lambda s: waited.append(s) or wait(s))
    go(lambda: duties.stop() or waited.append("duty"), duties, monkeypatch)
    assert waited[0] == "duty"


def test_a_round_that_fails_is_logged_and_the_next_one_comes(monkeypatch, caplog):
    duties, made = Duties(), []

    def duty():
        made.append(len(made))
        if len(made) == 3:
            duties.stop()
        raise ValueError("out of luck")

    with caplog.at_level(logging.ERROR):
        go(duty, duties, monkeypatch)
    assert made == [0, 1, 2] and caplog.text.count("ValueError: out of luck") == 3


def test_no_duty_begins_after_the_end(monkeypatch):
    duties, made = Duties(), []
    duties.stop()
    go(lambda: made.append(1), duties, monkeypatch)
    assert not made
