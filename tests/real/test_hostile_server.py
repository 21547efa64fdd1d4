"""A hostile server: whatever it answers, each use ends within its limit, in a sentence, and in little memory."""

import re
from contextlib import closing

import pytest

from tests.real.hostile import asked
from tests.real.hostile.liar import Liar
from tests.real.hostile.scenarios import ENOUGH_S, SCENARIOS
from workers.host.apart import ApartLimits, ForkServer

MOST_BYTES = 150 << 20
LATEST_S = 300.0  # what hangs all the same is ended by then
MOST_CHARS = 40_000  # of all sentences of one use
LIMITS = ApartLimits(LATEST_S, memory_bytes=1 << 30)


@pytest.fixture(scope="module")
def children():
    with closing(ForkServer(("tests.real.hostile.asked",))) as made:
        yield made


@pytest.fixture
def heard(children, sandbox):
    """`heard(use, lies)`: what the product says of this server, and what it took."""

    def ask(use, lies, seconds):
        with closing(Liar(sandbox.target, lies)) as liar:
            return children.run(LIMITS, asked.heard, use, liar.target, seconds)

    return ask


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_lie_ends_in_a_sentence_and_in_little_memory(heard, name):
    scenario = SCENARIOS[name]
    found = heard(scenario.use, scenario.lies, scenario.seconds)
    assert re.search(scenario.says, found.says), found.says[:2000]
    assert found.took_bytes < MOST_BYTES
    assert len(found.says) < MOST_CHARS and "\x1b" not in found.says and "\0" not in found.says


@pytest.mark.parametrize("use", asked.USES)
def test_the_truth_is_told_by_every_use(heard, use):
    """The negative control: the same liar without lies."""
    said = heard(use, {}, ENOUGH_S).says
    assert not re.search("sent (more|what)|given up|instead of|in time", said), said


def test_every_use_has_scenarios():
    used = [one.use for one in SCENARIOS.values()]
    assert len(SCENARIOS) >= 60 and {used.count(use) for use in asked.USES} >= {6} and set(used) == set(asked.USES)
