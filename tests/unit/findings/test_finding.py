"""The sentence on top, in each of its honest variants. Pure: made-up analyses, no database."""

import re
from dataclasses import replace

from dashboard.findings.analysis import HeadlineRatio
from dashboard.findings.conclusion import of_load
from dashboard.findings.finding import CellProgress
from dashboard.findings.headline import headline
from dashboard.findings.point import SourcedFigure, Stalls, ThroughputRatio
from dashboard.findings.shown import ResultChoice, ResultView
from tests.unit.findings import points
from tests.unit.results import factory
from workers.bench.plan import PlanTarget, Variant

ALL = CellProgress(cells=12, measured=12, is_over=True)


def ratio(value, lo, hi, decision="differs"):
    return ThroughputRatio(value, lo, hi, 0.01, decision)


def point(variant, threads=8, against=None, **more):
    return points.point(**{"variant": variant, "threads": threads, "lo": 950.0, "hi": 1050.0, "ratio": against, **more})


def shown(*measured, servers=1, **more):
    """A plan of 1/1 against 0/0 at 8 threads; the analysis of the points against 1/1."""
    names = {n + 1: f"db{n + 1}" for n in range(servers)}
    targets = tuple(PlanTarget(pk, name) for pk, name in names.items())
    plan = replace(factory.plan([], workloads=("w",)), targets=targets, **more)
    main = headline(plan)
    planned = [
        HeadlineRatio(one.server_id, one.workload, one.ratio)
        for one in measured
        if (one.variant, one.threads) == (main.variant, main.threads)
    ]
    return ResultView(plan, points.analysis(measured, planned), ResultChoice("w"), names)


def said(*measured, progress=ALL, servers=1, **more):
    return of_load(shown(*measured, servers=servers, **more), progress)


def in_order(text, *parts):
    """The decision and the figures, in their order, whatever the words around them."""
    return bool(re.search(".*".join(map(re.escape, parts)), text))


def test_the_finding_compares_the_pair_of_the_plan_with_its_interval(words):
    found = said(point("1/1"), point("0/0", against=ratio(6.12, 5.71, 6.63)))
    assert in_order(found.sentence, "8 threads", "0/0", "6.1", "1/1", "5.7", "6.6")
    assert found.more == ()
    words(found.sentence)


def test_a_larger_difference_of_another_pair_is_no_headline(words):
    """2/0 is three times as fast at one thread; the pair of the plan shows no difference."""
    same = ratio(1.01, 0.95, 1.06, "no difference shown")
    others = (point("1/1", 1), point("2/0", 1, ratio(3.1, 2.9, 3.3)), point("2/0", 8, ratio(3.1, 2.9, 3.3)))
    found = said(point("1/1"), point("0/0", against=same), *others, point("0/0", 1, ratio(9, 8, 10)))
    assert in_order(found.sentence, "8 threads", "0/0", "1/1", "equally fast") and "2/0" not in found.sentence
    assert in_order(*found.more, "0/0", "0.950", "1.06", "1/1")
    words([found.sentence, *found.more])


def test_the_plan_says_which_pair_and_at_how_many_threads():
    measured = (point("1/1", 1), point("2/0", 1, ratio(3.1, 2.9, 3.3)), point("0/0", 1, ratio(9, 8, 10)))
    found = said(*measured, main_variant="2/0", main_threads=1)
    assert in_order(found.sentence, "1 thread ", "2/0", "3.1", "1/1", "2.9", "3.3")


def test_another_baseline_that_a_reader_chose_changes_no_headline():
    view = shown(point("1/1"), point("0/0", against=ratio(6.12, 5.71, 6.63)))
    chosen = replace(view, analysis=replace(view.analysis, baseline="0/0"))
    assert of_load(chosen, ALL) == of_load(view, ALL)


def test_the_faster_variant_is_named_first():
    found = said(point("1/1"), point("0/0", against=ratio(0.8, 0.75, 0.85)))
    assert in_order(found.sentence, "8 threads", "1/1", "1.25", "0/0", "1.18", "1.33")


def test_each_server_has_its_sentence_the_first_one_on_top():
    far = ratio(9.1, 8.0, 10.0)
    here = (point("1/1"), point("0/0", against=ratio(1.0, 0.9, 1.1, "no difference shown")))
    there = (point("1/1", server_id=2), point("0/0", against=far, server_id=2))
    found = said(*here, *there, servers=2)
    assert in_order(found.sentence, "8 threads", "db1", "equally fast")
    assert any(in_order(one, "8 threads", "db2", "0/0", "9.1", "1/1", "8.0", "10") for one in found.more)


def test_the_cause_of_a_difference_is_told_only_as_far_as_the_sources_do(words):
    counted = {"redo": SourcedFigure(0.435, "s"), "binlog": SourcedFigure(0.449, "s"), "data": SourcedFigure(0.01, "s")}
    group = SourcedFigure(2.23, "s")
    base = point("1/1", fsyncs=counted, group=group)
    both = said(base, point("0/0", against=ratio(6, 5, 7), fsyncs={"redo": SourcedFigure(0.0002, "s")}))
    fsyncs, groups = both.more
    assert in_order(fsyncs, "0.43 redo log", "0.45 binary log", "1/1", "0.00020 redo log", "0/0")
    assert in_order(groups, "2.2", "1/1")
    assert said(base, point("0/0", against=ratio(6, 5, 7))).more == (groups,)
    words(both.more)


def test_waits_for_a_replica_are_told(words):
    waits = SourcedFigure(2.9, "status:Rpl_semi_sync_master_tx_wait_time")
    (one,) = said(point("1/1", replica_wait_ms=waits), point("0/0", against=ratio(6, 5, 7))).more
    assert in_order(one, "8 threads", "a wait for the answer of a replica takes 2.90 ms", "1/1") and "0/0" not in one
    words([one])


def test_stalls_and_a_short_warm_up_are_warned_of(words):
    stalled = point("0/0", against=ratio(6, 5, 7), stalls=Stalls(2, 3, 2), settled=False)
    stalls, warm_up = said(point("1/1"), stalled).more
    assert in_order(stalls, "0/0", "3 s") and "0/0" in warm_up
    words([stalls, warm_up])


def test_a_difference_that_cannot_be_decided_is_not_told(words):
    found = said(point("1/1"), point("0/0", against=ratio(2.0, 1.1, 3.0, "not decidable")))
    assert in_order(found.sentence, "8 threads", "vary too much", "0/0", "1/1") and "repeats" not in found.sentence
    words([found.sentence, found.more[1]])


def few(repeats, decision):
    one = {"lo": None, "hi": None, "repeats": repeats}
    return said(point("1/1", **one), point("0/0", 8, ratio(6, None, None, decision), tps=6000.0, **one))


def test_of_one_repeat_it_tells_the_figures_and_judges_nothing(words):
    found = few(1, "measured once")
    assert in_order(found.sentence, "8 threads", "0/0", "6,000", "1 repeat", "1/1", "1,000", "1 repeat")
    assert "3 repeats" in found.more[0] and len(found.more) == 1
    words([found.sentence, *found.more])


def test_two_repeats_are_too_few_to_judge(words):
    found = few(2, "too few to judge")
    assert in_order(found.sentence, "8 threads", "too few repeats", "0/0", "1/1")
    assert in_order(found.more[0], "0/0", "6,000", "2 repeats", "1/1", "1,000", "2 repeats")
    words([found.sentence, found.more[0]])


def test_a_single_variant_is_told_with_its_throughput(words):
    found = said(point("1/1", tps=1234.5), point("1/1", 1, tps=9999), variants=(Variant("1/1", {}),))
    assert in_order(found.sentence, "8 threads", "1/1", "1,230", "950", "1,050")
    assert found.more == ()
    words(found.sentence)


def test_the_missing_variant_of_the_pair_is_named(words):
    (one,) = said(point("0/0")).more
    assert "1/1" in one
    running = said(point("1/1", 1), progress=CellProgress(12, 1, False)).sentence
    words([one, said(point("1/1", 1)).sentence, running])


def test_no_ratio_is_told_to_zero_commits(words):
    words(said(point("1/1", tps=0.0), point("0/0")).sentence)


def test_an_unfinished_experiment_tells_how_much_was_measured():
    found = said(point("1/1"), progress=CellProgress(12, 7, True, "The server went away."))
    assert "7 of 12 measurements" in found.more[-1]


def test_an_experiment_without_measurements_says_so(words):
    waiting, failed = (
        said(progress=CellProgress(12, 0, False)),
        said(progress=CellProgress(12, 0, True, "No connection.")),
    )
    assert (waiting.more, failed.more) == ((), ("No connection.",))
    words([waiting.sentence, failed.sentence])
