"""The table of fsync latencies: buckets are coarse, and what is known of the largest call counts too."""

from itertools import permutations
from types import SimpleNamespace

import pytest

from dashboard.charts.fsyncs import fsync_latency, latency_row
from dashboard.findings.point import FsyncHistogram
from tests.unit.findings.points import point

FIVE = FsyncHistogram(source="trace:fsync", calls=5, total_ms=7.1, max_ms=3.79, buckets={"512": 4, "4096": 1})


def test_no_percentile_lies_above_the_largest_call():
    assert latency_row("1/1", "redo", FIVE) == ("1/1", "redo log", 5, 7.1 / 5, 0.512, 3.79, 3.79, "trace:fsync")


@pytest.mark.parametrize("stored", [*permutations(("redo", "binlog", "data", "other"))])
def test_files_stand_in_one_order_however_a_database_stored_them(stored):
    """PostgreSQL orders the keys of JSON by their length."""
    line = SimpleNamespace(name="1/1", colour=0, dash=False, points=[point(fsync_latency=dict.fromkeys(stored, FIVE))])
    chart = fsync_latency([line], 8)
    assert [series.name for series in chart.series] == ["1/1 redo log", "1/1 binary log"]
    assert [files for _, files, *_ in chart.table.rows] == ["redo log", "binary log", "data", "other"]
