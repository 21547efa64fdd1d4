"""A worker's rounds: the first as soon as it is there, and one that fails is not the last."""

import logging

import pytest

from workers.upkeep.periodic import Rounds

pytestmark = pytest.mark.django_db(transaction=True)  # a thread of rounds closes its connection at the end


def go(duty, rounds: Rounds, monkeypatch) -> None:
    monkeypatch.setattr("workers.upkeep.periodic.EVERY_S", 0)
    rounds._go(duty)


def test_the_first_round_waits_for_nothing(monkeypatch):
    rounds, waited = Rounds(), []
    wait = rounds._stop.wait
    monkeypatch.setattr(rounds._stop, "wait", lambda s: waited.append(s) or wait(s))
    go(lambda: rounds.stop() or waited.append("duty"), rounds, monkeypatch)
    assert waited[0] == "duty"


def test_a_round_that_fails_is_told_and_followed_by_the_next(monkeypatch, caplog):
    rounds, made = Rounds(), []

    def duty():
        made.append(len(made))
        if len(made) == 3:
            rounds.stop()
        raise ValueError("out of luck")

    with caplog.at_level(logging.ERROR):
        go(duty, rounds, monkeypatch)
    assert made == [0, 1, 2] and caplog.text.count("ValueError: out of luck") == 3


def test_none_begins_after_the_end(monkeypatch):
    rounds, made = Rounds(), []
    rounds.stop()
    go(lambda: made.append(1), rounds, monkeypatch)
    assert not made
