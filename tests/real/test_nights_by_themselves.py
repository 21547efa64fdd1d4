"""Nights with nobody at the keyboard: a real Redis, a real worker and real beats see the clock that the test sets. No
round is called by hand."""

from contextlib import ExitStack
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from dashboard.records.experiments.models import Cell, Experiment, Run
from dashboard.records.fleet.models import Worker
from dashboard.records.history.models import Entry
from dashboard.records.notifications import actions as notifications
from dashboard.records.schedules import actions
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.servers.models import Server
from tests.real.clock import Clock, clock_at
from tests.real.lab import Logs, lab, one_cell, pass_to
from tests.real.mailbox import Mailbox, mailbox
from tests.real.parts import until
from tests.unit.schedules import made

pytestmark = pytest.mark.django_db(transaction=True)
EVENING = datetime(2026, 6, 10, 20, 0, tzinfo=UTC)
DUE = datetime(2026, 6, 11, 2, 30, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(**{name: 1}) for name in ("seconds", "minutes", "hours", "days"))


@pytest.fixture(scope="module")
def clock(django_db_setup):
    """It only goes on: each test has nights of its own."""
    with clock_at(EVENING) as clock:
        yield clock


class Machine:
    """Where everything runs. The tests share it, because each process needs a second to start."""

    def __init__(self, clock: Clock, folder: Path, sandbox_root: Path, box: Mailbox) -> None:
        self._clock, self._folder, self._sandbox_root, self.mail = clock, folder, sandbox_root, box
        self._held, self._logs = ExitStack(), None

    def on(self, now: datetime, beats: int = 1) -> Logs:
        """Started two minutes before: a beat that starts sends its first tasks a minute later."""
        if self._logs is None:
            self._clock.set(now - 2 * MINUTE)
            made = lab(self._clock, self._folder, self._sandbox_root, beats, **self.mail.environment)
            self._logs = self._held.enter_context(made)
        until(Worker.objects.filter(listens=True, ended_at=None).exists)  # the test before emptied the table
        pass_to(self._clock, now, self._logs)
        return self._logs

    def off(self) -> None:
        self._held.close()
        self._logs = None


@pytest.fixture(scope="module")
def machine(clock, tmp_path_factory, sandbox_root):
    with mailbox() as box:
        made = Machine(clock, tmp_path_factory.mktemp("machine"), sandbox_root, box)
        yield made
        made.off()


@pytest.fixture
def mail(transactional_db, machine):
    """Whoever wants to know of nights."""
    notifications.add(None, "email", "dbas", "dba@example.org", ["night_missed", "night_failed"])
    machine.mail.came.clear()
    return machine.mail


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


def test_with_two_beats_a_night_starts_once_is_measured_and_enters_the_history(clock, machine):
    logs = machine.on(EVENING, beats=2)
    one = schedule(made.sandbox(), clock)
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


def test_the_end_of_the_window_cancels_the_running_experiment(clock, machine, sandbox_root, mail):
    due_at = DUE + DAY
    logs = machine.on(due_at - HOUR)
    schedule(made.sandbox(), clock, measure_s=600, ends_by=time(3, 30))
    before = live(sandbox_root)  # sandboxes of the tests themselves
    pass_to(clock, due_at + 5 * SECOND, logs)
    until(lambda: Experiment.objects.filter(activity__contains="measuring").exists())
    pass_to(clock, due_at + 30 * MINUTE, logs)
    assert not Experiment.objects.filter(cancel_asked=True).exists()
    pass_to(clock, due_at + HOUR + 5 * SECOND, logs)
    until(lambda: Experiment.objects.filter(state="cancelled").exists())
    pass_to(clock, clock.now + 2 * MINUTE, logs)
    until(lambda: mail.came)
    night = Night.objects.get()
    assert "not finished when its window ended, Fri 12 Jun 2026, 03:30 UTC" in night.reason and night.closed_at
    assert Cell.objects.get().state == "cancelled"
    assert live(sandbox_root) == before
    [message] = mail.came
    assert "nightly, Fri 12 Jun 2026, 02:30 UTC: cancelled" in message["Subject"]
    assert f"https://lab.example.org/experiments/{night.experiment_id}/" in message.get_content()


def test_nights_without_a_worker_are_missed_and_told_but_not_of_a_paused_schedule(clock, machine, mail):
    due_at = DUE + 2 * DAY
    logs = machine.on(due_at - 2 * HOUR)
    server = silent_server()
    one = schedule(server, clock)
    asleep = made.schedule(server, one.runs_as, name="asleep", plan=one.plan, looked_at=clock.now)
    actions.pause(one.runs_as, asleep)
    pass_to(clock, due_at - HOUR, logs)
    until(lambda: looked_at(one, due_at - HOUR))
    machine.off()  # for three nights
    logs = machine.on(due_at + 2 * DAY + HOUR)
    until(lambda: mail.came)
    pass_to(clock, clock.now + 2 * MINUTE, logs)
    assert nights(one) == [(due_at + day * DAY, "missed") for day in range(3)]
    assert nights(asleep) == []
    [message] = mail.came
    assert "nightly: 3 runs were missed" in message["Subject"] and "was down" in message.get_content()


LEFT_OUT = datetime(2027, 3, 28, 1, 0, tzinfo=UTC)  # 02:30 in Berlin, which that day does not have
TWICE = datetime(2027, 10, 31, 0, 30, tzinfo=UTC)  # the first of two


def test_when_clocks_change_a_night_starts_once(clock, machine):
    logs = machine.on(LEFT_OUT - 3 * HOUR)
    server, person = silent_server(), made.somebody()
    for due_at in (LEFT_OUT, TWICE):
        pass_to(clock, due_at - 2 * HOUR, logs)
        one = schedule(server, clock, user=person, zone="Europe/Berlin", name=f"due {due_at:%F}")
        for moment in (due_at - HOUR, due_at + 5 * SECOND, due_at + HOUR + 5 * SECOND, due_at + 12 * HOUR):
            pass_to(clock, moment, logs)
            until(lambda of=one, now=moment: looked_at(of, now))
            assert nights(one) == ([(due_at, "skipped")] if moment > due_at else [])
