"""Throughput by round trip: which variants are one line, and what the model says."""

import pytest

from dashboard.charts.round_trips import round_trips
from dashboard.findings.lines import VariantLine, places
from tests.unit.bench.plans import plan
from tests.unit.findings.points import point
from workers.bench.plan import Variant

SETTINGS = {"sync_binlog": "1"}
NEAR = Variant("near", SETTINGS, topology="semi-sync+rtt=0ms")
FAR = Variant("far", SETTINGS, topology="semi-sync+rtt=20ms")
OTHERS = (
    Variant("alone", SETTINGS), Variant("Galera", SETTINGS, topology="galera+rtt=20ms"),
    Variant("relaxed", {"sync_binlog": "0"}, topology="semi-sync+rtt=20ms"),
)  # fmt: skip


def chart(*variants, threads=1):
    chosen = plan(variants=variants)
    shown = places(chosen, {1: "box"}, several=False, clean=str)
    rates = {"near": 100.0}
    points = [point(variant=one.name, threads=1, tps=rates.get(one.name, 40.0)) for one in variants]
    drawn = [VariantLine(**vars(place), points=(one,), models=None) for place, one in zip(shown, points, strict=True)]
    return round_trips(drawn, chosen, threads, "commits")


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
