"""The sentence on top, in each of its honest variants. Pure: made-up analyses, no database."""

from dataclasses import replace

import pytest

from dashboard.results.finding import Progress, finding
from dashboard.results.headline import headline
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


def shown(*points, servers=1, **more):
    """A plan of 1/1 against 0/0 at 8 threads; the analysis of the points against 1/1."""
    plan = {
        "variants": [{"name": "1/1"}, {"name": "2/0"}, {"name": "0/0"}],
        "targets": [{"server_id": n + 1} for n in range(servers)],
        "workloads": [{"label": "w"}],
        "threads": [1, 8],
        **more,
    }
    main = headline(plan)
    planned = [
        {name: one[name] for name in ("server_id", "workload", "ratio")}
        for one in points
        if (one["variant"], one["threads"]) == (main.variant, main.threads)
    ]
    names = {n + 1: f"db{n + 1}" for n in range(servers)}
    analysis = {"baseline": "1/1", "points": list(points), "headline": planned}
    return Shown(plan, analysis, "w", None, names, str, None, [])


def said(*points, progress=ALL, servers=1, **more):
    return finding(shown(*points, servers=servers, **more), progress)


def test_it_compares_the_plans_pair_with_its_interval():
    found = said(point("1/1"), point("0/0", against=ratio(6.12, 5.71, 6.63)))
    assert found.sentence == "At 8 threads 0/0 is 6.1 times as fast as 1/1 (5.7 to 6.6)."
    assert found.more == ()


def test_a_larger_difference_of_another_pair_is_no_headline():
    """2/0 is three times as fast at one thread; the pair of the plan shows no difference."""
    same = ratio(1.01, 0.95, 1.06, "no difference shown")
    others = (point("1/1", 1), point("2/0", 1, ratio(3.1, 2.9, 3.3)), point("2/0", 8, ratio(3.1, 2.9, 3.3)))
    found = said(point("1/1"), point("0/0", against=same), *others, point("0/0", 1, ratio(9, 8, 10)))
    assert found.sentence == "At 8 threads no difference between 0/0 and 1/1 was found."
    assert found.more == ("The throughput of 0/0 is 0.950 to 1.06 times that of 1/1 (95 % CI).",)


def test_the_plan_says_which_pair_and_at_how_many_threads():
    points = (point("1/1", 1), point("2/0", 1, ratio(3.1, 2.9, 3.3)), point("0/0", 1, ratio(9, 8, 10)))
    found = said(*points, main_variant="2/0", main_threads=1)
    assert found.sentence == "At 1 thread 2/0 is 3.1 times as fast as 1/1 (2.9 to 3.3)."


def test_another_baseline_that_a_reader_chose_changes_no_headline():
    view = shown(point("1/1"), point("0/0", against=ratio(6.12, 5.71, 6.63)))
    chosen = replace(view, analysis={**view.analysis, "baseline": "0/0"})
    assert finding(chosen, ALL) == finding(view, ALL)


def test_it_names_the_faster_one_first():
    found = said(point("1/1"), point("0/0", against=ratio(0.8, 0.75, 0.85)))
    assert found.sentence == "At 8 threads 1/1 is 1.25 times as fast as 0/0 (1.18 to 1.33)."


def test_each_server_has_its_sentence_the_first_one_on_top():
    far = ratio(9.1, 8.0, 10.0)
    here = (point("1/1"), point("0/0", against=ratio(1.0, 0.9, 1.1, "no difference shown")))
    there = (point("1/1", server_id=2), point("0/0", against=far, server_id=2))
    found = said(*here, *there, servers=2)
    assert found.sentence.startswith("At 8 threads on db1 no difference")
    assert "At 8 threads on db2 0/0 is 9.1 times as fast as 1/1 (8.0 to 10)." in found.more


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


def test_it_does_not_decide_what_cannot_be_decided():
    found = said(point("1/1"), point("0/0", against=ratio(2.0, 1.1, 3.0, "not decidable")))
    assert found.sentence == "At 8 threads it is not decidable whether 0/0 differs from 1/1."
    assert found.more[1] == "More repeats narrow the interval."


def few(repeats, decision):
    one = {"lo": None, "hi": None, "repeats": repeats}
    return said(point("1/1", **one), point("0/0", 8, ratio(6, None, None, decision), 6000.0, **one))


def test_of_one_repeat_it_tells_the_figures_and_judges_nothing():
    found = few(1, "measured once")
    assert found.sentence == "At 8 threads 0/0 made 6,000 commits per second in 1 repeat, 1/1 1,000 in 1 repeat."
    assert found.more == ("Measure at least 3 repeats to compare them.",)


def test_two_repeats_are_too_few_to_judge():
    found = few(2, "too few to judge")
    assert found.sentence == "At 8 threads too few repeats were measured to judge whether 0/0 differs from 1/1."
    assert found.more[0] == "0/0 made 6,000 commits per second in 2 repeats, 1/1 1,000 in 2 repeats."


def test_it_states_a_single_variant():
    found = said(point("1/1", tps=1234.5), point("1/1", 1, tps=9999), variants=[{"name": "1/1"}])
    assert found.sentence == "At 8 threads 1/1 makes 1,230 commits per second (950 to 1,050)."
    assert found.more == ()


def test_it_says_which_of_the_pair_is_missing():
    assert said(point("0/0")).more == ("There is no comparison: 1/1 was not measured there.",)
    assert said(point("1/1", 1)).sentence == "At 8 threads 0/0 or 1/1 was not measured."
    running = said(point("1/1", 1), progress=Progress(12, 1, False)).sentence
    assert running == "At 8 threads 0/0 or 1/1 is not measured yet."


def test_it_has_no_ratio_to_nothing():
    assert said(point("1/1", tps=0.0), point("0/0")).sentence == "At 8 threads 0/0 or 1/1 made no commits at all."


def test_it_says_how_much_was_measured():
    found = said(point("1/1"), progress=Progress(12, 7, True, "The server went away."))
    assert found.more[-1] == "7 of 12 cells were measured."


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
