"""Sources that contradict each other are told, sources that only count a little differently are not."""

import pytest

from workers.analysis.contradiction import FASTER, LONGER, SEEN, FlushReports, contradictions, of_commit

TRACE, STATUS = "trace:fsync", "status:Innodb_os_log_fsyncs"


def counted(trace, status, **more):
    return contradictions("redo log", FlushReports({TRACE: trace, STATUS: status}, 1000, **more))


def test_flushes_that_the_server_counts_and_nobody_saw():
    assert counted(0, 1200) == [f"{TRACE} saw 0 flushes of the redo log per commit, {STATUS} counted 1.2."]


def test_flushes_that_were_seen_and_the_server_does_not_count():
    assert counted(1200, 0) == [f"{STATUS} saw 0 flushes of the redo log per commit, {TRACE} counted 1.2."]


@pytest.mark.parametrize(
    ("trace", "status"),
    [
        (1000, 1000),
        (1000, 1900),  # the server's own index, and another moment
        (0, SEEN - 1),  # a setting that hardly flushes
        (0, 0),
        (40, 80),
    ],
)
def test_a_small_difference_between_sources_is_no_contradiction(trace, status):
    assert counted(trace, status) == []


@pytest.mark.parametrize(("trace", "status", "told"), [(0, SEEN, 1), (500, 1000, 1), (501, 1000, 0)])
def test_where_a_contradiction_begins(trace, status, told):
    assert len(counted(trace, status)) == told


def test_a_single_source_gives_no_contradiction():
    assert contradictions("binlog", FlushReports({TRACE: 0}, 1000)) == []
    assert contradictions("binlog", FlushReports({TRACE: 0, STATUS: 900}, 0)) == []


def test_flushes_that_cannot_have_reached_the_device():
    said = contradictions("binlog", FlushReports({}, 1000, mean_ms=0.0012, device_ms=0.25))
    assert said == [
        "A flush of the binlog returned after 0.0012 ms; the fastest flush of the probe on this device took 0.25 ms."
    ]


@pytest.mark.parametrize(("mean_ms", "device_ms"), [(0.026, 0.25), (None, 0.25), (0.001, None)])
def test_flushes_that_may_have_reached_it(mean_ms, device_ms):
    assert contradictions("binlog", FlushReports({}, 1000, mean_ms, device_ms)) == []
    assert contradictions("binlog", FlushReports({}, 1000, 0.25 / FASTER, 0.25)) and FASTER == 10


@pytest.mark.parametrize(("device_ms", "told"), [(LONGER * 3.2, True), (LONGER * 3.2 - 0.1, False), (None, False)])
def test_a_commit_that_waits_for_a_flush_takes_no_less_time(device_ms, told):
    assert bool(of_commit(3.2, device_ms)) == told
    assert of_commit(3.2, 6.4) == (
        "A commit waits for a flush of the disk. In the probe a flush took 6.4 ms, but a whole commit took 3.2 ms."
    )
