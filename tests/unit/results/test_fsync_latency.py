"""The table of fsync latencies: buckets are coarse, and what is known of the largest call counts too."""

from dashboard.results.charts.fsync_latency import row


def test_it_never_shows_a_percentile_above_the_largest_call():
    one = {"calls": 5, "total_ms": 7.1, "max_ms": 3.79, "source": "trace:fsync", "buckets": {"512": 4, "4096": 1}}
    assert row("1/1", "redo", one) == ("1/1", "redo", 5, 7.1 / 5, 0.512, 3.79, 3.79, "trace:fsync")
