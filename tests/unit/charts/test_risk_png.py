"""Speed against risk as a picture for messengers: where points and labels stand."""

import re
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from math import hypot
from pathlib import Path

import pytest
from PIL import Image, ImageColor

from dashboard.charts.chart import Axis, Chart, ChartTable
from dashboard.charts.risk import RiskDot, RiskSeries
from dashboard.charts.risk_png import (
    PLOT,
    RADIUS,
    RING,
    SERIES,
    SIZE,
    SOFT,
    ZERO_SHARE,
    distance,
    labels,
    places,
    risk_png,
    scales_of,
    size_of,
)

TOKENS = Path(__file__).parents[3] / "static/css/tokens.css"
PLACES = [  # median loss, commits per second: settings come in clusters
    (0, 3500), (281, 3600), (8878, 8000), (8694, 22600), (0, 3800), (310, 3300), (8200, 7600), (9000, 21500),
]  # fmt: skip


def chart(*found):
    dots = [
        RiskDot(loss, tps, tps * 0.9, tps * 1.1, "lost commits in 3 of 3 power losses", loss * 0.6, loss * 1.5)
        for loss, tps in found
    ]
    series = tuple(RiskSeries(f"{nth}/{nth}, MyRocks", nth, (dot,)) for nth, dot in enumerate(dots))
    return Chart("risk", "Speed against risk", "risk", Axis("lost"), Axis("commits/s"), ChartTable(()), series)


def overlap(one, other):
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


@pytest.mark.parametrize("count", range(2, 9))
def test_no_label_covers_a_point_a_bar_or_another_label(count):
    known = places(chart(*PLACES[:count]))
    sizes = map(size_of, known)
    boxes = [(x, y, x + wide, y + high) for (x, y), (wide, high) in zip(labels(known), sizes, strict=True)]
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
    assert not [one for one in boxes for each in known for mark in each.boxes if overlap(one, mark)]
    assert all(PLOT[0] <= left and right < SIZE[0] for left, _, right, _ in boxes)
    for box, one in zip(boxes, known, strict=True):  # points on each other cannot be told apart
        apart = [other for other in known if hypot(one.x - other.x, one.y - other.y) > RADIUS]
        assert all(distance(box, one) < distance(box, other) for other in apart), one.name


def test_very_different_speeds_are_told_apart_on_a_log_axis():
    one = chart((0, 170), (9, 320), (99, 19000))
    slow, faster, fast = places(replace(one, y=replace(one.y, scale="log")))
    assert slow.y - faster.y > RADIUS and faster.y > fast.y and PLOT[3] - slow.y > RADIUS


@pytest.mark.parametrize(("slow", "fast"), [(3500, 22600), (100, 900000)])
def test_a_log_axis_has_ticks_and_its_line_at_the_bottom(slow, fast):
    one = chart((0, slow), (9, fast))
    one = replace(one, y=replace(one.y, scale="log"))
    with Image.open(BytesIO(risk_png(one))) as picture:
        brightest = max(max(picture.getpixel((x, PLOT[3]))) for x in range(PLOT[0] + 2, PLOT[2] - 2, 50))
    assert brightest <= max(ImageColor.getrgb(SOFT)), "the axis has no line"
    assert 3 <= len(scales_of(one).speeds) <= 6


def test_a_loss_of_one_commit_is_not_at_the_band():
    held, least = places(chart((0, 100), (1, 100)))
    assert least.least - RADIUS > held.x + RADIUS and least.x - RADIUS > PLOT[0] + ZERO_SHARE * (PLOT[2] - PLOT[0])


def test_no_loss_is_in_the_band_and_more_loss_is_further_to_the_right():
    xs = [one.x for one in places(chart((0, 100), (1, 100), (50, 100), (4000, 100)))]
    assert xs == sorted(xs) and len(set(xs)) == 4


def test_a_faster_setting_stands_higher():
    slow, fast = places(chart((0, 100), (0, 900)))
    assert fast.y < slow.y and PLOT[1] <= fast.high < fast.low


def test_colours_of_the_picture_are_those_of_the_light_page():
    assert tuple(re.findall(r"--series-\d: light-dark\((#\w+),", TOKENS.read_text())) == SERIES


def test_a_chart_without_any_commit_is_drawn():
    assert risk_png(chart((0, 0))).startswith(b"\x89PNG")


def test_letters_that_the_font_lacks_are_replaced():
    named = chart((0, 5))
    assert places(replace(named, series=(replace(named.series[0], name="caf\u00e9 \u6f22"),)))[0].name == "cafe ?"


@pytest.mark.parametrize(
    ("replica", "told"),
    [("diverge", ", replicas diverge silently"), ("stopped", ", replicas stop with an error"), ("agree", ""), ("", ""),
     ("unknown", ", whether replicas agree is unclear"), ("not tried", ", no replica was tried")],
)  # fmt: skip
def test_the_meaning_of_a_shape_is_also_written_in_words(replica, told):
    one = chart((0, 5))
    (place,) = places(replace(one, series=(replace(one.series[0], replica=replica),)))
    assert place.mark == "lost commits in 3 of 3 power losses" + told


@pytest.mark.parametrize(
    ("replica", "middle", "left", "right"),
    [
        ("agree", True, True, True),
        ("", True, True, True),
        ("stopped", False, False, False),
        ("diverge", True, False, False),  # the cross
        ("unknown", False, True, False),
        ("not tried", False, True, False),
    ],
)
def test_marks_of_the_picture_are_those_of_the_page(replica, middle, left, right):
    """What static/js/charts/risk-marks.js draws: filled, hollow, hollow with a cross, half."""
    one = chart((50, 100))
    dot = replace(one.series[0].dots[0], x_lo=50, x_hi=50, lo=100, hi=100)
    one = replace(one, series=(replace(one.series[0], replica=replica, dots=(dot,)),))
    (place,) = places(one)
    with Image.open(BytesIO(risk_png(one))) as picture:
        assert [is_inked(picture, place.x + away, place.y) for away in (0.5, -8, 8)] == [middle, left, right]


def test_the_present_setting_is_ringed_and_named():
    one = chart((50, 100), (4000, 900))
    marked = replace(one, series=(replace(one.series[0], mine=True), one.series[1]))
    ringed, other = places(marked)
    assert ringed.name.endswith("(present)") and not other.name.endswith("(present)")
    away = (RADIUS + RING - 2) * 0.71  # on the ring, between the bars
    with Image.open(BytesIO(risk_png(marked))) as picture:
        assert [is_inked(picture, each.x - away, each.y - away) for each in (ringed, other)] == [True, False]


def is_inked(picture, x, y):
    """Not the ground, nor its grid."""
    return sum(picture.getpixel((round(x), round(y)))) < 600
