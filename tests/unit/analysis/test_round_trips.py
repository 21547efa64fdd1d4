"""The model of a round trip: rate = clients / (clients / rate without one + what a commit waits for others)."""

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.analysis.made_up import MadeUp, at
from tests.unit.analysis.noise import point
from workers.analysis.predicates.bounds import Bounds
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.round_trips import RoundTrips
from workers.analysis.round_trip import predicted_per_s, trips_of, waited_ms

DELAYED = ((at("near", 16), 1.0), (at("far", 16), 20.0))
MODEL = RoundTrips(at("none", 16), DELAYED)


def test_the_time_of_one_client_is_its_commit_plus_the_round_trip():
    """Measured in the laboratory: 8.6 ms without a round trip."""
    assert 1000 / predicted_per_s(1000 / 8.6, 1, 20) == pytest.approx(28.6)


def test_many_clients_hide_a_short_round_trip():
    assert predicted_per_s(1839, 64, 1) / 1839 == pytest.approx(0.97, abs=0.005)
    assert predicted_per_s(500, 16, 0) == pytest.approx(500)


TENFOLD = [
    (123, 20, [(10, 127), (50, 90.7), (200, 39.6)]),
    (2102, 0, [(10, 725), (50, 220), (200, 52.6)]),
]  # 16 semi-synchronous clients, docs/research/topology.md: rate at 0 ms, flush in ms, measured rates


@pytest.mark.parametrize(("without", "flush_ms", "rates"), TENFOLD)
def test_many_clients_wait_by_group_for_up_to_one_and_a_half_round_trips(without, flush_ms, rates):
    over = [rate / predicted_per_s(without, 16, waited_ms(rtt, 1.5, flush_ms)) for rtt, rate in rates]
    assert all(0.8 < one < 1.2 for one in over)
    of_one_trip = [rate / predicted_per_s(without, 16, waited_ms(rtt, 1, 0)) for rtt, rate in rates]
    assert of_one_trip[-1] < 0.83, "one round trip is not what they wait for"


def test_one_or_two_clients_never_wait_for_each_other():
    assert [trips_of(clients, 1, 1.5) for clients in (1, 2, 3, 64)] == [1, 1, 1.5, 1.5]


def test_a_round_trip_that_is_shorter_than_a_flush_is_waited_for_once():
    assert (waited_ms(5, 1.5, 20), waited_ms(20, 1.5, 20), waited_ms(200, 1.5, 20)) == (5, 20, 290)


def measured(near=1.0, far=1.0, without=1000.0):
    """Rates as the model predicts them, times these factors."""
    rng = np.random.default_rng(3)
    rates = {
        "none": without,
        "near": near * predicted_per_s(without, 16, 1),
        "far": far * predicted_per_s(without, 16, 20),
    }
    return MadeUp({at(name, 16): point(rng, rate, spread=rate / 100) for name, rate in rates.items()})


@pytest.mark.parametrize(
    ("far", "expected"), [(1.0, "held"), (0.9, "held"), (0.6, "not held"), (1.5, "not held"), (0.8, "not decidable")]
)
def test_the_farthest_point_decides(far, expected):
    claim = Claim("D1", "", "", MODEL, Bounds(below=0.2))
    outcome, effect = claim.judge(measured(far=far))
    assert outcome == expected and effect.value == pytest.approx(abs(far - 1), abs=0.05)
    assert claim.in_words.endswith("below 20 %")


def test_a_point_that_was_not_measured_or_stands_still_is_not_decidable():
    result = measured()
    still = MadeUp({**result.speeds, at("far", 16): {block: np.zeros(9) for block in range(3)}})
    assert MODEL.measure(still).value is None
    del result.speeds[at("far", 16)]
    assert "far, update, 16 threads: 1 of 2 repeats failed" in MODEL.measure(result).why


def test_one_repeat_gives_a_value_without_an_interval():
    result = MadeUp({key: {0: sample[0]} for key, sample in measured().speeds.items()})
    effect = MODEL.measure(result)
    assert effect.value is not None and effect.lo is None and "repeats" in effect.why


def test_a_recipe_can_write_it_again():
    assert MODEL.as_dict() == {
        "round_trips": {
            "variants": ["none", "near", "far"], "rtt_ms": [0, 1, 20], "workload": "update", "threads": 16,
        }
    }  # fmt: skip


def test_a_cluster_may_take_more_than_one_round_trip():
    one_and_a_half = replace(MODEL, per_commit=1.5)
    slower = MadeUp({at(n, 16): one for n, one in _rates_of(1.5).items()})
    assert one_and_a_half.measure(slower).value < 0.05 < MODEL.measure(slower).value
    assert one_and_a_half.as_dict()["round_trips"]["per_commit"] == 1.5 and "1.5 round trips" in one_and_a_half.in_words


def test_the_flush_of_a_group_is_a_part_of_its_turn():
    by_group = replace(MODEL, per_commit=1.5, group_flush_ms=2.0)
    rates = {"none": 1000.0, "near": predicted_per_s(1000.0, 16, 1), "far": predicted_per_s(1000.0, 16, 29)}
    rng = np.random.default_rng(5)
    slower = MadeUp({at(name, 16): point(rng, rate, spread=1.0) for name, rate in rates.items()})
    assert by_group.measure(slower).value < 0.01 < replace(MODEL, per_commit=1.5).measure(slower).value
    assert by_group.as_dict()["round_trips"]["group_flush_ms"] == 2.0
    assert "1.5 round trips, less half a flush of 2 ms" in by_group.in_words


def _rates_of(trips):
    rng, waits_ms = np.random.default_rng(4), {"none": 0, "near": trips * 1, "far": trips * 20}
    return {name: point(rng, predicted_per_s(1000.0, 16, ms), spread=1.0) for name, ms in waits_ms.items()}
