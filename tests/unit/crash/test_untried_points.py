"""The list of crash points that were not tried, as one text."""

import json
import random
import zlib
from base64 import b64encode
from dataclasses import replace

import pytest

from workers.crash.points import untried
from workers.crash.points.untried import UntriedPoint, packed, unpacked


def points(count):
    drawn = random.Random(1)
    return [
        UntriedPoint(
            moment=drawn.randrange(9000),
            at_s=round(2 * drawn.random(), 6),
            keeps=drawn.choice(("durable", "written", "torn", "data durable, logs written")),
            way="between two writes",
            redo=drawn.randrange(10**7),
            binlog=drawn.randrange(10**6),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_a_list_comes_back_in_its_order(count):
    some = points(count)
    assert unpacked(packed(some)) == some


def test_a_list_is_much_shorter_than_its_points_in_json():
    some = points(5000)
    assert len(packed(some)) < 20 * len(some)


def test_a_list_that_would_fill_the_memory_is_refused(monkeypatch):
    text = packed(points(100))
    monkeypatch.setattr(untried, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="too large"):
        unpacked(text)


def test_a_value_of_another_type_is_refused():
    wrong = packed([UntriedPoint(moment="1", at_s=0.1, keeps="torn", way="at random", redo=0, binlog=0)])
    with pytest.raises(ValueError, match="moment is '1'"):
        unpacked(wrong)


def test_an_empty_list_is_an_empty_text_and_seconds_are_rounded():
    assert packed([]) == ""
    (found,) = unpacked(packed([replace(points(1)[0], at_s=0.12345678)]))
    assert found.at_s == 0.123457


def test_a_text_with_other_characters_or_with_columns_of_unequal_lengths_is_refused():
    with pytest.raises(ValueError):
        unpacked("!" + packed(points(1)))
    table = {name: [0.5 if kind is float else kind(7)] for name, kind in untried.COLUMNS.items()} | {"moment": [1, 2]}
    with pytest.raises(ValueError):
        unpacked(b64encode(zlib.compress(json.dumps(table).encode())).decode())
