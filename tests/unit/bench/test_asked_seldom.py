"""What ends a load is asked twice a second, not at each of its seconds and statements."""

import pytest

from workers.bench.load import ASK_EVERY_S, AskedSeldom


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize("answer", [False, None])
def test_the_question_is_asked_again_after_a_while(answer):
    clock, asked = Clock(), []
    seldom = AskedSeldom(lambda: asked.append(clock.now) or answer, clock)
    for _ in range(3):
        assert seldom() is answer
    assert len(asked) == 1
    clock.now += ASK_EVERY_S + 0.01
    seldom()
    assert len(asked) == 2


def test_an_answer_that_is_true_stays():
    clock, answers = Clock(), [False, True]
    seldom = AskedSeldom(lambda: answers.pop(0), clock)
    assert seldom() is False and seldom.answer is False
    clock.now += 1
    assert seldom() is True
    clock.now += 1
    assert seldom() is True and answers == []
