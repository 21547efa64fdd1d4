"""Figures per commit of made-up runs: from one source, of all runs, with nothing guessed."""

from dataclasses import replace

import pytest

from dashboard.findings import per_commit
from dashboard.findings.point import FileHistogram, RunFigure, RunFigures, SourcedFigure


def run(transactions=100, counts="commits", **figures):
    read = tuple(RunFigure(name, value, "trace", "n") for name, value in figures.items())
    return RunFigures(transactions, counts, read)


def test_sysbench_counts_the_commits_where_no_source_does():
    assert per_commit.commits([run(100), run(50)]) == SourcedFigure(150, "sysbench")
    assert per_commit.commits([run(commits=90), run(commits=60)]) == SourcedFigure(150, "trace", "n")


def test_updates_are_no_commits():
    assert per_commit.commits([run(), run(counts="updates")]) is None


def test_buckets_of_a_histogram_ascend_by_their_edge():
    slow = FileHistogram("s", calls=2, total_ms=3.0, max_ms=2.0, buckets={"1024": 1, "64": 1}, files="redo")
    fast = replace(slow, max_ms=5.0, buckets={"256": 2})
    found = per_commit.fsync_latency([RunFigures(2, "commits", (), (one,)) for one in (slow, fast)])["redo"]
    assert list(found.buckets.items()) == [("64", 1), ("256", 2), ("1024", 1)]
    assert (found.calls, found.total_ms, found.max_ms) == (4, 6.0, 5.0)


@pytest.mark.parametrize(("value", "known"), [(50, 0.5), (None, None)])
def test_a_figure_that_no_source_read_is_left_out(value, known):
    found = per_commit.fsyncs_per_commit([run(redo_fsyncs=value)])
    assert [one.value for one in found.values()] == ([known] if known else [])
