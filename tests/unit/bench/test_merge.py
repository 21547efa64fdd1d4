"""The load of several processes as one measurement."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bench.load_requests import request
from tests.unit.bench.test_percentiles import buckets_of
from workers.bench import histogram
from workers.bench.load import LoadResult, LoadSecond
from workers.bench.merge import PartLoad, added, common_tps, merge, split, started_within_s
from workers.errors import LoadError


def seconds(*tps: float, each_s: float = 1.0) -> tuple[LoadSecond, ...]:
    return tuple(LoadSecond(each_s * n, one, 2 * one, one, 0.0, 1.0) for n, one in enumerate(tps, 1))


def part(latencies_ms=(1.0,), tps=(1.0,), began_s=0.0, trip_s=0.0, **changes) -> PartLoad:
    load = LoadResult(
        ("sysbench", "run"), len(latencies_ms), 1, float(len(tps)), seconds(*tps), buckets_of(list(latencies_ms)),
        sum(latencies_ms) / len(latencies_ms), max(latencies_ms), 0, "raw\n",
    )  # fmt: skip
    return PartLoad("here:1", began_s, trip_s, replace(load, **changes))


latency = st.floats(0.04, 50_000)
latencies = st.lists(latency, min_size=1, max_size=60)
rates = st.lists(st.floats(0, 1e5), min_size=1, max_size=8)
offset = st.floats(0, 3)


@given(st.lists(latencies, min_size=1, max_size=5))
def test_merged_parts_are_as_if_one_process_had_seen_every_transaction(per_part):
    merged, whole = merge([part(one) for one in per_part]), part([ms for one in per_part for ms in one]).load
    assert merged.transactions == whole.transactions == sum(count for _, count in merged.histogram)
    assert merged.histogram == whole.histogram
    assert merged.percentiles_ms == histogram.percentiles(whole.histogram, whole.latency_max_ms)
    assert merged.latency_max_ms == whole.latency_max_ms
    assert merged.latency_avg_ms == pytest.approx(whole.latency_avg_ms)


def test_percentiles_are_not_averages_of_percentiles():
    """1000 fast transactions here, 10 slow ones there: the 95th is fast. The mean of the two is 50 times as much."""
    fast, slow = part([1.0] * 1000), part([100.0] * 10)
    averaged = sum(histogram.percentiles(one.load.histogram, 100)["p95"] for one in (fast, slow)) / 2
    assert merge([fast, slow]).percentiles_ms["p95"] == pytest.approx(1.0, rel=0.02)
    assert averaged > 50, "else this shows nothing"


@given(st.lists(st.tuples(rates, offset), min_size=1, max_size=5))
def test_no_transaction_of_a_second_gets_lost_on_the_way_to_the_second_of_all(parts):
    merged = merge([part(tps=tps, began_s=began) for tps, began in parts])
    ends = [0.0, *(second.t_s for second in merged.seconds)]
    lengths = [end - start for start, end in pairwise(ends)]
    assert all(0.5 <= length <= 1.5 for length in lengths)
    told = sum(second.tps * length for second, length in zip(merged.seconds, lengths, strict=True))
    assert told == pytest.approx(sum(sum(tps) for tps, _ in parts), rel=1e-6, abs=1e-6)
    assert all(second.p95_ms is None for second in merged.seconds)


def test_seconds_lie_where_they_were_after_the_barrier():
    merged = merge([part(tps=(10.0, 10.0, 10.0)), part(tps=(4.0, 4.0), began_s=1.0)])
    assert [second.tps for second in merged.seconds] == pytest.approx([10, 14, 14])
    shifted = merge([part(tps=(10.0, 10.0)), part(tps=(4.0, 4.0), began_s=0.25)])
    assert [second.tps for second in shifted.seconds] == pytest.approx([13, (10 + 5) / 1.25])


def test_errors_are_added_and_the_longest_time_is_the_time():
    merged = merge([part(errors=2, elapsed_s=10.0), part(errors=3, elapsed_s=10.4)])
    assert (merged.errors, merged.elapsed_s, merged.transactions) == (5, 10.4, 2)
    assert "--- part 2 of 2\nraw" in merged.output


def test_throughput_while_all_were_loading():
    early, late = part(tps=(10.0, 10.0, 10.0)), part(tps=(5.0, 5.0, 5.0), began_s=1.5)
    assert common_tps([early, late]) == pytest.approx(15)
    assert common_tps([early, replace(late, began_s=4.0)]) is None


def test_how_far_apart_they_began_is_an_upper_bound():
    assert started_within_s([part(began_s=0.02, trip_s=0.001), part(began_s=0.05, trip_s=0.003)]) == pytest.approx(
        0.033
    )


NEXT = histogram.HALF_STEP**2


@pytest.mark.parametrize("middle_ms", [1.2345678, 0.0, 0.0004, 0.001 / NEXT**2, 100_000 * NEXT])
def test_buckets_that_are_not_sysbenchs_are_refused(middle_ms):
    """Between two steps, and below and above all of them."""
    with pytest.raises(LoadError, match="which sysbench does not have"):
        added([part().load.histogram, ((middle_ms * histogram.HALF_STEP, 1),)])


def test_every_bucket_of_sysbench_is_known():
    lines = [f"{0.001 * NEXT**n:12.3f} |{'*':40} 1" for n in range(1024)]
    assert sum(count for _, count in added([histogram.read(lines)])) == 1024


def test_different_transactions_are_not_added():
    with pytest.raises(LoadError, match="different transactions"):
        merge([part(), part(rows_per_transaction=10)])


@given(st.integers(1, 1024), st.integers(1, 64))
def test_threads_are_split_as_evenly_as_can_be(threads, workers):
    workers = min(threads, workers)
    parts = split(request(threads=threads), workers)
    shares = [one.threads for one in parts]
    assert sum(shares) == threads and max(shares) - min(shares) <= 1 and min(shares) >= 1
    taken = [one.first_thread + n for one in parts for n in range(one.threads)]
    assert taken == list(range(threads)) and {one.all_threads for one in parts} == {threads}
    assert len({one.seed for one in parts}) == workers
    assert parts == split(request(threads=threads), workers), "the same for the same seed"


def test_histograms_of_parts_are_added_up():
    quick, slow = [[1.0, 90], [2.0, 10]], [[2.0, 10], [50.0, 90]]
    together = histogram.added([quick, slow])
    assert together == ((1.0, 90), (2.0, 20), (50.0, 90))
