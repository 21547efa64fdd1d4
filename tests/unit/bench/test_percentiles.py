import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bench.load_requests import captured
from workers.bench import histogram
from workers.bench.output import SysbenchOutput

STEP = histogram.HALF_STEP**2


def buckets_of(latencies_ms: list[float]) -> histogram.Buckets:
    """What sysbench prints for these latencies: the logarithm rounded to its steps."""
    counts: dict[float, int] = {}
    for latency in latencies_ms:
        middle = 0.001 * STEP ** math.floor(math.log(latency / 0.001) / math.log(STEP) + 0.5)
        counts[middle] = counts.get(middle, 0) + 1
    return histogram.read(f"{middle:12.3f} |{'*':40} {count}" for middle, count in counts.items())


def test_every_transaction_of_a_real_histogram_is_read():
    output = SysbenchOutput()
    for line in captured("good").splitlines():
        output.take(line)
    assert sum(count for _, count in output.histogram) == output.total.transactions
    edges = [edge for edge, _ in output.histogram]
    assert edges == sorted(edges)


def test_a_percentile_lies_near_the_true_one_and_never_above_the_maximum():
    latencies = [1 + 99 * position / 9999 for position in range(10_000)]
    found = histogram.percentiles(buckets_of(latencies), max(latencies))
    assert found["p50"] == pytest.approx(50.5, rel=0.01)
    assert found["p99.9"] == pytest.approx(99.9, rel=0.01)
    assert list(found) == ["p50", "p95", "p99", "p99.9"]


def test_a_percentile_is_at_most_the_maximum_where_the_bucket_reaches_above_that():
    buckets = buckets_of([10.0])
    assert buckets[0][0] > 10.0
    assert histogram.percentiles(buckets, 10.0)["p99.9"] <= 10.0


def test_a_percentile_is_interpolated_inside_its_bucket():
    """One bucket reaches from a step below its upper edge to that edge."""
    found = histogram.percentiles(((STEP * 8.0, 100),), 100.0)
    assert found["p50"] == pytest.approx((8.0 + STEP * 8.0) / 2)
    assert found["p99"] == pytest.approx(8.0 + (STEP * 8.0 - 8.0) * 0.99)


def test_no_transactions_have_no_percentiles():
    assert histogram.percentiles((), 0) == {}
    assert histogram.percentiles(((1.0, 0),), 0) == {}


def test_buckets_that_print_alike_are_merged():
    line = f"{0.035:12.3f} |{'*':40} 3"
    assert [count for _, count in histogram.read([line, line])] == [6]


@given(st.lists(st.floats(0.05, 90_000), min_size=1, max_size=200))
def test_percentiles_rise_and_stay_between_the_extremes(latencies):
    found = list(histogram.percentiles(buckets_of(latencies), max(latencies)).values())
    assert found == sorted(found)
    assert min(latencies) / STEP**1.5 <= found[0] and found[-1] <= max(latencies)


@given(st.text(max_size=80))
def test_no_line_makes_it_fail(line):
    histogram.read([line])
