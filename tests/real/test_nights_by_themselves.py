"""Nights with nobody at the keyboard: a real Redis, a real worker and real beats see the clock that the test sets. No
round is called by hand."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from dashboard.records.experiments.models import Cell, Experiment, Run
from dashboard.records.history.models import Entry
from dashboard.records.notifications import actions as notifications
from dashboard.records.schedules import actions
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.servers.models import Server
from tests.real.clock import Clock, clock_at
from tests.real.lab import lab, one_cell, pass_to
from tests.real.mailbox import mailbox
from tests.real.parts import until
from tests.unit.schedules import made

pytestmark = pytest.mark.django_db(transaction=True)
EVENING = datetime(2026, 6, 10, 20, 0, tzinfo=UTC)
DUE = datetime(2026, 6, 11, 2, 30, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(**{name: 1}) for name in ("seconds", "minutes", "hours", "days"))


@pytest.fixture
def clock(transactional_db):
    with clock_at(EVENING) as clock:
        yield clock


@pytest.fixture
def mail():
    """Whoever wants to know of nights."""
    notifications.add(None, "email", "dbas", "dba@example.org", ["night_missed", "night_failed"])
    with mailbox() as box:
        yield box


def live(sandbox_root: Path) -> set[str]:
    return {folder.name for folder in (sandbox_root / "live").glob("*")}


def looked_at(schedule: Schedule, moment: datetime) -> bool:
    """Whether a worker has made a round since."""
    return Schedule.objects.get(pk=schedule.pk).looked_at >= moment


def schedule(server: Server, clock: Clock, **fields) -> Schedule:
    plan = one_cell(server, fields.pop("measure_s", 1))
    return made.schedule(server, plan=plan.as_dict(), looked_at=clock.now, **fields)


def silent_server() -> Server:
    """Nothing listens there: its nights are skipped, and cost nothing."""
    return Server.objects.create(name="silent", kind="attached", host="127.0.0.1", port=1, user="u")


def nights(of: Schedule) -> list[tuple[datetime, str]]:
    return list(of.nights.order_by("due_at").values_list("due_at", "state"))


def test_with_two_beats_a_night_starts_once_is_measured_and_enters_the_history(clock, tmp_path, sandbox_root):
    one = schedule(made.sandbox(), clock)
    with lab(clock, tmp_path, sandbox_root, beats=2) as logs:
        pass_to(clock, DUE - HOUR, logs)
        until(lambda: looked_at(one, DUE - HOUR))
        assert not Night.objects.exists()
        pass_to(clock, DUE + 5 * SECOND, logs)
        until(lambda: Experiment.objects.filter(state="done").exists())
        pass_to(clock, clock.now + 5 * MINUTE, logs)
        until(Entry.objects.exists)
        pass_to(clock, clock.now + MINUTE, logs)
    experiment = Experiment.objects.get()
    night = Night.objects.get()
    assert (night.due_at, night.state, night.experiment_id) == (DUE, "started", experiment.pk)
    assert experiment.name == "nightly, 2026-06-11 02:30"
    run = Run.objects.get()
    assert run.transactions > 0 and DUE < run.started_at < DUE + 10 * MINUTE
    entry = Entry.objects.get()
    assert (entry.experiment_id, entry.tps) == (experiment.pk, pytest.approx(run.tps, rel=0.5))


def test_the_end_of_the_window_cancels_the_running_experiment(clock, tmp_path, sandbox_root, mail):
    schedule(made.sandbox(), clock, measure_s=600, ends_by=time(3, 30))
    before = live(sandbox_root)  # sandboxes of the tests themselves
    with lab(clock, tmp_path, sandbox_root, **mail.environment) as logs:
        pass_to(clock, DUE + 5 * SECOND, logs)
        until(lambda: Experiment.objects.filter(activity__contains="measuring").exists())
        pass_to(clock, DUE + 30 * MINUTE, logs)
        assert not Experiment.objects.filter(cancel_asked=True).exists()
        pass_to(clock, DUE + HOUR + 5 * SECOND, logs)
        until(lambda: Experiment.objects.filter(state="cancelled").exists())
        pass_to(clock, clock.now + 2 * MINUTE, logs)
        until(lambda: mail.came)
    night = Night.objects.get()
    assert "not finished when its window ended, Thu 11 Jun 2026, 03:30 UTC" in night.reason and night.closed_at
    assert Cell.objects.get().state == "cancelled"
    assert live(sandbox_root) == before
    [message] = mail.came
    assert "nightly, Thu 11 Jun 2026, 02:30 UTC: cancelled" in message["Subject"]
    assert f"https://lab.example.org/experiments/{night.experiment_id}/" in message.get_content()


def test_nights_without_a_worker_are_missed_and_told_but_not_of_a_paused_schedule(clock, tmp_path, sandbox_root, mail):
    server = silent_server()
    one = schedule(server, clock)
    asleep = made.schedule(server, one.runs_as, name="asleep", plan=one.plan, looked_at=clock.now)
    actions.pause(one.runs_as, asleep)
    with lab(clock, tmp_path, sandbox_root, **mail.environment) as logs:
        pass_to(clock, EVENING + HOUR, logs)
        until(lambda: looked_at(one, EVENING + HOUR))
    clock.set(DUE + 2 * DAY + HOUR)  # the machine was off for three nights
    with lab(clock, tmp_path, sandbox_root, **mail.environment) as logs:
        until(lambda: mail.came)
        pass_to(clock, clock.now + 2 * MINUTE, logs)
    assert nights(one) == [(DUE + day * DAY, "missed") for day in range(3)]
    assert nights(asleep) == []
    [message] = mail.came
    assert "nightly: 3 runs were missed" in message["Subject"] and "was down" in message.get_content()


LEFT_OUT = datetime(2027, 3, 28, 1, 0, tzinfo=UTC)  # 02:30 in Berlin, which that day does not have
TWICE = datetime(2027, 10, 31, 0, 30, tzinfo=UTC)  # the first of two


def test_when_clocks_change_a_night_starts_once(clock, tmp_path, sandbox_root):
    clock.set(LEFT_OUT - 3 * HOUR)
    server, person = silent_server(), made.somebody()
    with lab(clock, tmp_path, sandbox_root) as logs:
        for due_at in (LEFT_OUT, TWICE):
            pass_to(clock, due_at - 2 * HOUR, logs)
            one = schedule(server, clock, user=person, zone="Europe/Berlin", name=f"due {due_at:%F}")
            for moment in (due_at - HOUR, due_at + 5 * SECOND, due_at + HOUR + 5 * SECOND, due_at + 12 * HOUR):
                pass_to(clock, moment, logs)
                until(lambda of=one, now=moment: looked_at(of, now))
                assert nights(one) == ([(due_at, "skipped")] if moment > due_at else [])
