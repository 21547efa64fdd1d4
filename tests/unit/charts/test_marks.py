"""Where marks stand: axes with a column for zero, a mark for each trial, moments as a saw."""

from dashboard.charts.marks.saw import MOST_PANELS, saw
from dashboard.charts.marks.scales import FIRST, LAST, ZERO, ZERO_WIDTH, Linear, WithZero
from dashboard.charts.marks.table_chart import MOST_MARKS, table_chart
from dashboard.findings.crash.rate import rate
from dashboard.findings.result.comparison import (
    ComparedSetting,
    Comparison,
    CrashMark,
    Moment,
    RecordedLoad,
    SettingSpeed,
)


def test_a_linear_axis_begins_at_zero_and_has_round_ticks():
    axis = Linear(29_943)
    assert [tick.value for tick in axis.ticks] == [0, 10_000, 20_000] and axis.ticks[0].at == 0
    assert axis.at(29_943) == LAST and axis.at(14_971.5) == LAST / 2


def test_zero_has_a_column_of_its_own_on_a_logarithmic_axis():
    axis = WithZero.over([0, 5_600, 36_500])
    assert axis.at(0) == ZERO < FIRST <= axis.at(1_000) < axis.at(5_600) < axis.at(36_500) <= LAST
    assert [tick.value for tick in axis.ticks] == [0, 1_000, 10_000]


def test_equal_factors_are_equal_steps():
    axis = WithZero.over([10, 10_000])
    steps = {round(axis.at(10 ** (n + 1)) - axis.at(10**n), 0) for n in range(1, 4)}
    assert len(steps) == 1


def test_where_nothing_was_lost_there_is_only_zero():
    axis = WithZero.over([0, 0])
    assert [tick.value for tick in axis.ticks] == [0] and axis.at(7) == ZERO


def setting(name="2/0", crashes=(), loads=(), speeds=()):
    return ComparedSetting(
        name=name, variant=name, server_id=1, place=0, flush="2", sync="0", is_present=False, speeds=tuple(speeds),
        crashes=tuple(crashes), lost=rate(len(crashes), len(crashes)), unclear=0, loads=tuple(loads),
    )  # fmt: skip


def compared(*rows):
    return Comparison("power-loss", "InnoDB", "commits", (8,), 8, rows)


def drawn(*rows):
    return table_chart(compared(*rows), lambda pk: f"/trials/{pk}/", lambda row: f"/trials/?{row.name}")


def test_each_trial_has_a_mark_for_each_log_that_opens_it():
    [row] = drawn(setting(crashes=[CrashMark(7, "lost", engine=100, binlog=0), CrashMark(8, "unclear")])).rows
    [first, second] = row.marks
    assert first.url == "/trials/7/" and [(one.log, one.lost) for one in first.logs] == [("engine", 100), ("binlog", 0)]
    assert first.logs[1].x == ZERO < first.logs[0].x and second.logs == () and first.lane != second.lane


def test_marks_of_two_logs_at_the_same_place_stand_side_by_side():
    [row] = drawn(setting(crashes=[CrashMark(7, "kept", engine=0, binlog=0)])).rows
    engine, binlog = row.marks[0].logs
    assert engine.x == ZERO < binlog.x < ZERO_WIDTH


def test_a_trial_that_did_not_end_has_no_mark():
    [row] = drawn(setting(crashes=[CrashMark(7, "open")])).rows
    assert row.marks == () and row.bins == ()


def test_many_trials_are_counted_by_place_and_none_is_left_out():
    crashes = [CrashMark(n, "lost", engine=n, binlog=0) for n in range(1, MOST_MARKS + 2)]
    [row] = drawn(setting(crashes=crashes)).rows
    assert row.marks == () and sum(one.count for one in row.bins if one.log == "engine") == MOST_MARKS + 1
    assert max(one.share for one in row.bins) == 1
    [few] = drawn(setting(crashes=crashes[:MOST_MARKS])).rows
    assert len(few.marks) == MOST_MARKS and few.bins == ()


def test_the_bar_and_its_interval_are_on_the_axis_of_all_settings():
    slow = setting("1/1", speeds=[SettingSpeed(8, 1000, 900, 1100, 3)])
    fast = setting("0/0", speeds=[SettingSpeed(8, 3000, None, None, 1)])
    first, second = drawn(slow, fast).rows
    assert first.bars[0].width == LAST / 3 and second.bars[0].width == LAST
    assert first.bars[0].lo < first.bars[0].width < first.bars[0].hi and second.bars[0].lo is None


def moments(*losses):
    return tuple(Moment(at, "lost" if lost else "kept", int(lost * 100), lost, 0, 0.0) for at, lost in losses)


def test_the_saw_has_the_moment_across_and_the_seconds_lost_upwards():
    row = setting(loads=[RecordedLoad(7, 3, 2, 9, moments((0.5, 0.0), (1.0, 0.5), (2.0, 1.0)))])
    found = saw(compared(row), lambda pk: f"/trials/{pk}/")
    [load] = found.panels[0].loads
    engine = [one for one in load.dots if one.log == "engine"]
    assert [one.lost for one in engine] == [False, True, True] and load.url == "/trials/7/"
    assert engine[0].x < engine[1].x < engine[2].x and engine[0].y == 100 > engine[1].y > engine[2].y
    assert (found.panels[0].lost_most, found.panels[0].is_whole) == (1.0, False)
    assert (found.loads_drawn, found.moments_drawn) == (1, 3)


def test_a_cut_that_loses_everything_since_the_load_began_is_told_apart():
    whole, half = (setting(loads=[RecordedLoad(7, 1, 1, 1, moments((2.0, lost)))]) for lost in (1.97, 1.0))
    assert [one.is_whole for one in saw(compared(whole, half), str).panels] == [True, False]


def test_dots_of_the_engine_lie_on_those_of_the_binary_log():
    row = setting(loads=[RecordedLoad(7, 1, 1, 1, moments((1.0, 0.5)))])
    [load] = saw(compared(row), str).panels[0].loads
    assert [one.log for one in load.dots] == ["binlog", "engine"]


def test_without_moments_there_is_no_saw_and_many_settings_are_counted():
    assert saw(compared(setting(loads=[RecordedLoad(7, 3, 0, 9)])), str) is None
    one = setting(loads=[RecordedLoad(7, 1, 1, 1, moments((1.0, 0.5)))])
    found = saw(compared(*[one] * (MOST_PANELS + 2)), str)
    assert len(found.panels) == MOST_PANELS and found.more == 2
