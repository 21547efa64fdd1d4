"""The sentence on top, in each of its honest variants. Pure: made-up analyses, no database."""

import pytest

from dashboard.results.finding import Progress, finding
from dashboard.results.shown import Shown

ALL = Progress(cells=12, measured=12, is_over=True)


def ratio(value, lo, hi, decision="differs"):
    return {"value": value, "lo": lo, "hi": hi, "p": 0.01, "decision": decision}


def point(variant, threads=8, against=None, tps=1000.0, **more):
    return {
        "server_id": 1, "variant": variant, "workload": "w", "threads": threads, "tps": tps, "lo": 950.0, "hi": 1050.0,
        "repeats": 3, "settled": True, "stalls": {"count": 0, "seconds": 0, "longest_s": 0}, "fsyncs": {},
        "group": None, "ratio": against, **more,
    }  # fmt: skip


def shown(*points, servers=1):
    plan = {
        "variants": [{"name": "1/1"}, {"name": "2/0"}, {"name": "0/0"}],
        "targets": [{"server_id": n + 1} for n in range(servers)],
        "workloads": [{"label": "w"}],
    }
    names = {n + 1: f"db{n + 1}" for n in range(servers)}
    return Shown(plan, {"baseline": "1/1", "points": list(points)}, "w", None, names, str, None, [])


def said(*points, progress=ALL, servers=1):
    return finding(shown(*points, servers=servers), progress)


def test_it_names_the_largest_difference_with_its_interval():
    found = said(
        point("1/1"), point("2/0", against=ratio(2.0, 1.9, 2.1)), point("0/0", against=ratio(6.12, 5.71, 6.63))
    )
    assert found.sentence == "At 8 threads 0/0 is 6.1 times as fast as 1/1 (5.7 to 6.6)."
    assert found.more == ()


def test_it_names_the_faster_one_first():
    found = said(point("1/1", 1), point("0/0", 1, ratio(0.8, 0.75, 0.85)))
    assert found.sentence == "At 1 thread 1/1 is 1.25 times as fast as 0/0 (1.18 to 1.33)."


def test_it_names_the_server_where_there_are_several():
    assert " on db1 (" in said(point("1/1"), point("0/0", against=ratio(6.1, 5.7, 6.6)), servers=2).sentence


def test_it_tells_where_the_difference_comes_from_only_as_far_as_sources_do():
    counted = {"redo": {"value": 0.435}, "binlog": {"value": 0.449}, "data": {"value": 0.01}}
    group = {"value": 2.23}
    base = point("1/1", fsyncs=counted, group=group)
    both = said(base, point("0/0", against=ratio(6, 5, 7), fsyncs={"redo": {"value": 0.0002}}))
    assert both.more == (
        "Per commit 1/1 makes 0.43 redo and 0.45 binlog fsyncs and 0/0 makes 0.00020 redo fsyncs.",
        "A binlog group holds 2.2 commits in 1/1.",
    )
    assert said(base, point("0/0", against=ratio(6, 5, 7))).more == ("A binlog group holds 2.2 commits in 1/1.",)


def test_it_warns_of_stalls_and_of_a_short_warm_up():
    stalled = point("0/0", against=ratio(6, 5, 7), stalls={"count": 2, "seconds": 3, "longest_s": 2}, settled=False)
    assert said(point("1/1"), stalled).more == (
        "0/0 stood still for 3 s in all.",
        "0/0 had not settled: a longer warm-up would help.",
    )


def test_it_says_that_nothing_differs_and_how_much_could():
    same = [point("0/0", n, ratio(1.01, 0.95, 1.06, "no difference shown")) for n in (1, 8, 32)]
    found = said(point("1/1"), *same)
    assert found.sentence == "No difference from 1/1 was found at 1, 8 or 32 threads."
    assert found.more == ("The 95 % intervals of the ratios reach from 0.950 to 1.06.",)


@pytest.mark.parametrize(("lo", "hi"), [(None, None), (1.1, 3.0)])
def test_it_does_not_decide_what_cannot_be_decided(lo, hi):
    found = said(point("1/1"), point("0/0", against=ratio(2.0, lo, hi, "not decidable")))
    assert found.sentence.startswith("Not decidable: the runs are too few or too short to tell whether 0/0 differs")
    assert ("Measure longer" in found.more[0]) == (lo is None)


def test_it_states_a_single_variant():
    found = said(point("1/1", tps=1234.5))
    assert found.sentence == "1/1 makes 1,230 commits per second at 8 threads (950 to 1,050)."


def test_it_says_when_the_baseline_is_missing():
    assert "1/1 was not measured" in said(point("0/0")).more[0]


def test_it_says_how_much_was_measured():
    found = said(point("1/1"), progress=Progress(12, 7, True, "The server went away."))
    assert found.more == ("7 of 12 cells were measured.",)


@pytest.mark.parametrize(
    ("progress", "sentence", "more"),
    [
        (Progress(12, 0, False), "Nothing has been measured yet.", ()),
        (Progress(12, 0, True, "No connection."), "Nothing was measured.", ("No connection.",)),
    ],
)
def test_it_says_that_there_is_nothing(progress, sentence, more):
    found = said(progress=progress)
    assert (found.sentence, found.more) == (sentence, more)
