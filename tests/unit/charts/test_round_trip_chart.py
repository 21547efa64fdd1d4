"""Throughput and latency by round trip: which variants are one line, and what the model says."""

from types import SimpleNamespace

import pytest

from dashboard.charts.round_trips import round_trip_latency, round_trips
from dashboard.findings.fitted import CommitTime
from dashboard.findings.lines import VariantLine, places
from tests.unit.bench.plans import plan
from tests.unit.findings.points import point
from workers.analysis.anatomy import Anatomy
from workers.bench.plan import Variant

SETTINGS = {"sync_binlog": "1"}
NEAR = Variant("near", SETTINGS, topology="semi-sync+rtt=0ms")
FAR = Variant("far", SETTINGS, topology="semi-sync+rtt=20ms")
OTHERS = (
    Variant("alone", SETTINGS), Variant("Galera", SETTINGS, topology="galera+rtt=20ms"),
    Variant("relaxed", {"sync_binlog": "0"}, topology="semi-sync+rtt=20ms"),
)  # fmt: skip


FLUSHED = SimpleNamespace(commit_times=[CommitTime(1, Anatomy(10.0, {"redo flush": 2.0, "binlog flush": 4.0}, 4.0))])
LATENCIES = {"near": {"p50": 8.0, "p99": 20.0}}


def lines_of(variants, threads, at=1):
    chosen = plan(variants=variants)
    shown = places(chosen, {1: "box"}, several=False, clean=str)
    rates = {"near": 100.0}
    points = [
        point(
            variant=one.name, threads=at, tps=rates.get(one.name, 40.0),
            latency_ms=LATENCIES.get(one.name, {"p50": 27.0, "p99": 60.0}),
        )
        for one in variants
    ]  # fmt: skip
    drawn = [
        VariantLine(**vars(place), points=(one,), models=FLUSHED) for place, one in zip(shown, points, strict=True)
    ]
    return drawn, chosen, threads


def chart(*variants, threads=1):
    return round_trips(*lines_of(variants, threads), "commits")


def test_the_model_begins_at_the_measured_rate_without_a_round_trip():
    drawn = chart(NEAR, FAR, *OTHERS)
    model, measured = drawn.series
    assert model.fit and [dot.y for dot in measured.dots] == [100.0, 40.0]
    assert (model.dots[0].y, model.dots[-1].y) == (100.0, pytest.approx(1 / (0.010 + 0.020)))
    assert [row[0] for row in drawn.table.rows] == ["near", "far"]
    assert drawn.table.rows[1][-1] == pytest.approx(40 * 0.030)


@pytest.mark.parametrize("variants", [OTHERS, (FAR, *OTHERS), (NEAR, OTHERS[0])])
def test_without_two_round_trips_and_a_point_without_nothing_is_drawn(variants):
    drawn = chart(*variants)
    assert drawn.series == () and "differ in their round trip only" in drawn.empty


def test_other_threads_are_another_chart():
    assert chart(NEAR, FAR, threads=16).series == ()


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [("async", 0.010), ("galera", 0.040), ("group-replication", 0.050), ("group-replication+single-leader", 0.030)],
)
def test_a_commit_waits_for_as_many_round_trips_as_its_topology_takes(kind, seconds):
    """Asynchronous replication for none, Galera for one and a half, a group for two, or one with a single leader."""
    near, far = (Variant(name, SETTINGS, topology=f"{kind}+rtt={rtt}ms") for name, rtt in (("near", 0), ("far", 20)))
    assert chart(near, far).series[0].dots[-1].y == pytest.approx(1 / seconds)


@pytest.mark.parametrize(("at", "waits_s"), [(2, [0.020]), (3, [0.030, 0.020])])
def test_many_semi_synchronous_clients_are_between_two_curves(at, waits_s):
    """From three on: for 1.5 round trips, and dotted for one."""
    *curves, _ = round_trips(*lines_of((NEAR, FAR), at, at), "commits").series
    assert [one.dots[-1].y for one in curves] == pytest.approx([at / (at / 100 + wait_s) for wait_s in waits_s])
    assert [one.ceiling for one in curves] == [False, True][: len(curves)]


def test_a_topology_without_a_wire_is_compared_with_none_that_has_one():
    assert chart(Variant("near", SETTINGS, topology="semi-sync"), FAR).series == ()


def test_latency_is_drawn_beside_its_two_models():
    """The latency without a round trip, or the flushes alone, and the round trip."""
    drawn = round_trip_latency(*lines_of((NEAR, FAR, *OTHERS), 1))
    p50, flushes, measured, *of_p99 = drawn.series
    assert {one.panel for one in (p50, flushes, measured)} == {"p50"} and {one.panel for one in of_p99} == {"p99"}
    assert (p50.fit, flushes.ceiling) == (True, True)
    assert [(one.dots[0].y, one.dots[-1].y) for one in (p50, flushes, measured)] == [(8, 28), (6, 26), (8, 27)]
    assert drawn.table.rows[1][1:] == (20.0, 27.0, 60.0, 28.0, 26.0, pytest.approx(27 / 28))


def test_without_timed_flushes_their_model_is_left_out():
    lines, chosen, threads = lines_of((NEAR, FAR), 1)
    bare = [VariantLine(**{**vars(one), "models": SimpleNamespace(commit_times=[])}) for one in lines]
    drawn = round_trip_latency(bare, chosen, threads)
    assert not any(one.ceiling for one in drawn.series) and drawn.table.rows[0][-2] is None
