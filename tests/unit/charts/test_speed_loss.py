"""Speed against loss: where its marks and labels stand, and what is not drawn."""

from itertools import combinations

import pytest

from dashboard.charts.marks.scales import ZERO
from dashboard.charts.marks.speed_loss import MOST_LABELS, MOST_MARKS, covered, label_box, mark_boxes, speed_loss
from dashboard.findings.crash.rate import Rate
from dashboard.findings.result.comparison import ComparedSetting, Comparison, CrashMark, SettingSpeed

PLACES = [  # lost commits, commits per second: settings come in clusters
    (0, 3500), (281, 3600), (8878, 8000), (8694, 22600), (0, 7800), (310, 6300), (8200, 15600), (900, 21500),
]  # fmt: skip


def setting(nth, tps, crashes, *, sure=False):
    speed = SettingSpeed(8, tps, tps * 0.95, tps * 1.05, 3)
    lost = sum(one.outcome == "lost" for one in crashes)
    rate = Rate(lost, len(crashes), 0.0, 0.01 if sure else 0.7)
    return ComparedSetting(f"{nth}/1", f"{nth}/1", 1, nth, "1", "1", False, (speed,), tuple(crashes), rate, 0)


def crash(lost, outcome=None):
    return CrashMark(1, outcome or ("lost" if lost else "kept"), engine=lost, binlog=0, acknowledged=20000)


def compared(*rows):
    return Comparison("power-loss", "InnoDB", "commits", (8,), 8, rows)


def clustered(count):
    return compared(*(setting(nth, tps, [crash(lost)]) for nth, (lost, tps) in enumerate(PLACES[:count])))


def test_nothing_lost_has_a_column_of_its_own_and_faster_stands_higher():
    kept, lost = speed_loss(compared(setting(1, 5000, [crash(0)]), setting(2, 9000, [crash(300), crash(900)]))).marks
    assert kept.x == ZERO < lost.trials[0] < lost.x < lost.trials[-1]
    assert lost.y < kept.y and lost.hi < lost.y < lost.lo
    assert (lost.lost, lost.look) == (600, "lost")


@pytest.mark.parametrize(("sure", "look"), [(False, "few"), (True, "kept")])
def test_too_few_crashes_look_otherwise_than_enough(sure, look):
    (one,) = speed_loss(compared(setting(1, 5000, [crash(0)], sure=sure))).marks
    assert one.look == look


def test_a_crash_of_which_nothing_is_known_never_stands_at_zero():
    unclear, silent = CrashMark(1, "unclear"), CrashMark(2, "kept")
    assert speed_loss(compared(setting(1, 5000, [unclear, silent]))) is None
    (one,) = speed_loss(compared(setting(1, 5000, [unclear, crash(0)], sure=True))).marks
    assert (one.x, one.look) == (ZERO, "unclear"), "never as kept"


def test_without_a_speed_or_a_crash_there_is_no_plot():
    no_speed = ComparedSetting("1/1", "1/1", 1, 0, "1", "1", False, (), (crash(0),), Rate(0, 1, 0, 0.9), 0)
    assert speed_loss(compared(no_speed)) is None
    assert speed_loss(compared(setting(1, 5000, []))) is None


@pytest.mark.parametrize("count", range(2, 9))
def test_no_label_covers_a_dot_a_bar_or_another_label(count):
    marks = speed_loss(clustered(count)).marks
    labels = [label_box(one, one.label, one.beside) for one in marks]
    assert not [pair for pair in combinations(labels, 2) if covered(*pair)]
    assert not [one for one in labels for each in marks for box in mark_boxes(each) if covered(one, box)]


def test_the_plot_is_bounded():
    many = compared(*(setting(nth, 1000 + nth, [crash(nth)]) for nth in range(100)))
    drawn = speed_loss(many)
    assert (len(drawn.marks), drawn.more) == (MOST_MARKS, 100 - MOST_MARKS)
    assert sum(bool(one.label) for one in drawn.marks) == MOST_LABELS


def test_of_many_crashes_only_both_ends_are_drawn():
    (one,) = speed_loss(compared(setting(1, 5000, [crash(10 * nth) for nth in range(1, 200)]))).marks
    assert len(one.trials) == 2 and one.trials[0] < one.x < one.trials[1]
