"""From a change that seems to be to one that is told: found, measured again, decided."""

from datetime import timedelta

import pytest

from dashboard.history import again, changes, update
from dashboard.installation import vault
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.models import Change, Entry, Track
from dashboard.records.notifications.events import EVENTS
from dashboard.records.notifications.models import Channel, Delivery
from dashboard.records.schedules.models import Night, Schedule
from tests.unit.history import nights
from tests.unit.history.nights import DAY, FIRST, NEW, OLD
from tests.unit.results import factory
from tests.unit.schedules import made

pytestmark = pytest.mark.django_db
CALM = 1000 * nights.noise(30)
NOW = FIRST + 40 * DAY
State = Change.State


@pytest.fixture(autouse=True)
def channel():
    return Channel.objects.create(
        name="all", kind="email", events=list(EVENTS), address_sealed=vault.seal("a@example.org"), shown="a@example.org"
    )


@pytest.fixture
def server():
    return factory.server(name="db7")


def keep(now=NOW, **how):
    """A round; the experiments that workers were notified of."""
    notified = []
    assert update.keep(now, notified.append, **{"round_s": 60, **how})
    return notified


def watched(server, **how):
    """Thirty calm nights that were looked at: what comes now is news."""
    found = nights.history(server, CALM, **how)
    keep()
    assert not Change.objects.exists()
    return found


def scheduled(entries, server, **fields):
    """The entry's experiment was a night of a schedule."""
    user = made.somebody()
    schedule = made.schedule(server, user, plan=entries[-1].experiment.plan, **fields)
    return Night.objects.create(schedule=schedule, due_at=FIRST, state="started", experiment=entries[-1].experiment)


def fell(server, start=30, tps=(800.0, 790.0)):
    return nights.history(server, tps, start=start, environment=NEW)


def told():
    return list(Delivery.objects.order_by("pk"))


def test_calm_nights_are_no_news(server):
    watched(server)
    nights.history(server, 1000 * nights.noise(6, seed=9), start=30)
    assert keep() == []
    assert not Change.objects.exists()
    assert told() == []


def test_a_first_change_is_suspected_and_not_notified(server):
    watched(server)
    first, newest = fell(server)
    keep()
    change = Change.objects.get()
    assert (change.state, change.figure, change.first, change.found_with) == ("suspected", "throughput", first, newest)
    assert change.before == pytest.approx(1000, rel=0.05)
    assert change.after == pytest.approx(795)
    assert change.p <= 0.01
    assert told() == []


def test_a_change_is_measured_again_as_a_night_of_its_schedule_with_its_rights(server):
    watched(server)
    night = scheduled(fell(server), server)
    notified = keep()
    change = Change.objects.get()
    assert change.problem == ""
    assert notified == [change.rerun_id]
    second = Night.objects.get(experiment=change.rerun)
    assert (second.schedule, second.due_at, second.must_end_at) == (night.schedule, NOW, night.must_end_at)
    assert change.rerun.created_by == night.schedule.runs_as
    night.experiment.refresh_from_db()
    assert change.rerun.plan["variants"] == night.experiment.plan["variants"]
    assert keep() == []  # once


def end_of(rerun, tps):
    """The re-run is over and left an entry."""
    times = {"started_at": NOW, "ended_at": NOW + timedelta(minutes=10)}
    Experiment.objects.filter(pk=rerun.pk).update(state="done", **times)
    rerun.refresh_from_db()
    return nights.entry(Track.objects.get(), rerun, tps, NEW)


def test_a_confirmed_change_is_notified_once_with_the_differences(server):
    watched(server)
    scheduled(fell(server), server)
    keep()
    change = Change.objects.get()
    entry = end_of(change.rerun, 795.0)
    keep()
    keep()
    change.refresh_from_db()
    assert (change.state, change.decided_by, change.decided_at) == (State.CONFIRMED, entry, NOW)
    [message] = told()
    assert message.event == "change_point"
    assert message.title == "db7: Throughput of 1/1 fell by 20 %"
    assert "Measured again: 795/s." in message.text
    assert "server version: 10.11.6-MariaDB → 10.11.8-MariaDB" in message.text
    assert "kernel: 6.1.0 → 6.8.0" in message.text
    assert "innodb_io_capacity: 200 → 400" in message.text
    assert message.path == f"/history/servers/{server.pk}/?load={change.track.condition}"
    assert message.facts["changes"][0]["figure"] == "throughput"


def test_an_unconfirmed_change_is_never_notified(server):
    watched(server)
    scheduled(fell(server), server)
    keep()
    change = Change.objects.get()
    end_of(change.rerun, 1003.0)
    keep()
    change.refresh_from_db()
    assert change.state == State.NOT_CONFIRMED
    assert told() == []


def test_an_unconfirmed_change_is_measured_again_after_twice_as_many_nights(server):
    watched(server)
    fell(server)
    keep()
    nights.history(server, [1003.0], start=32)
    keep()
    assert Change.objects.get().state == State.NOT_CONFIRMED
    nights.history(server, [800.0, 790.0], start=33)
    keep()
    assert Change.objects.get().state == State.NOT_CONFIRMED  # five nights, of three then
    nights.history(server, [805.0, 795.0, 800.0], start=35)
    keep()
    assert Change.objects.exclude(state=State.NOT_CONFIRMED).get().state == State.SUSPECTED


def test_without_a_schedule_the_next_measurement_decides(server):
    watched(server)
    fell(server)
    assert keep() == []
    change = Change.objects.get()
    assert (change.rerun, change.problem) == (None, again.UNSCHEDULED)
    nights.history(server, [800.0], start=32, environment=NEW)
    keep()
    assert Change.objects.get().state == State.CONFIRMED
    assert len(told()) == 1


def pause(night):
    Schedule.objects.update(paused_at=NOW)


def end_the_window(night):
    Night.objects.filter(pk=night.pk).update(must_end_at=NOW + timedelta(seconds=1))


def label(night):
    night.experiment.refresh_from_db()
    server_id = night.experiment.plan["targets"][0]["server_id"]
    type(Track.objects.first().server).objects.filter(pk=server_id).update(label="production")


@pytest.mark.parametrize(
    ("do", "says"), [(pause, again.PAUSED), (end_the_window, again.TOO_LATE), (label, "labelled production")]
)
def test_no_second_measurement_starts_if_the_schedule_may_not_run(server, do, says):
    watched(server)
    do(scheduled(fell(server), server))
    before = Experiment.objects.count()
    assert keep() == []
    assert Experiment.objects.count() == before
    change = Change.objects.get()
    assert says in change.problem
    assert change.problem.endswith(again.NEXT)
    assert change.state == State.SUSPECTED


def test_a_night_that_is_under_way_is_waited_for(server):
    watched(server)
    night = scheduled(fell(server), server)
    other = nights.experiment(server, NOW)
    Experiment.objects.filter(pk=other.pk).update(state="running")
    Night.objects.create(schedule=night.schedule, due_at=NOW - DAY, state="started", experiment=other)
    assert keep() == []
    assert Change.objects.get().problem == ""
    Experiment.objects.filter(pk=other.pk).update(state="cancelled", ended_at=None)
    assert len(keep()) == 1


def test_a_second_measurement_is_not_itself_measured_again(server):
    watched(server)
    scheduled(fell(server), server)
    keep()
    rerun = Change.objects.get().rerun
    entry = end_of(rerun, 795.0)
    keep()
    Change.objects.create(
        track=entry.track, figure="p99", first=entry, found_with=entry, state="suspected", before=1, after=2, p=0.01,
        nights_after=2, found_at=NOW,
    )  # fmt: skip
    assert keep() == []
    assert Change.objects.get(figure="p99").problem == again.TWICE


def test_old_nights_that_are_noted_late_are_no_news(server):
    """After an update, or an import: what changed long ago is marked, and nobody is told or measured again."""
    nights.history(server, CALM)
    scheduled(nights.history(server, [800.0 + n for n in range(10)], start=30, environment=NEW), server)
    assert keep() == []
    assert Change.objects.get().state == State.PAST
    assert told() == []


def test_after_a_change_its_level_is_what_counts(server):
    """The next change is searched from it on: going back is one more, and found."""
    nights.history(server, CALM)
    nights.history(server, 800 * nights.noise(20, seed=4), start=30)
    keep()
    assert Change.objects.get().state == State.PAST
    nights.history(server, [1010.0, 990.0], start=50)
    keep()
    newest = Change.objects.first()
    assert (newest.state, round(newest.after)) == (State.SUSPECTED, 1000)
    assert newest.before == pytest.approx(800, rel=0.05)


def test_fsyncs_that_others_count_are_another_figure(server):
    track = nights.track(server)
    for n, tps in enumerate(CALM):
        counted = {"fsyncs": 1.0 if n < 20 else 2.0, "fsyncs_from": "redo: status" if n < 20 else "redo: trace"}
        nights.entry(track, nights.experiment(server, FIRST + n * DAY), tps, **counted)
    keep()
    assert not Change.objects.exists()


def test_several_figures_of_a_server_are_one_message(server):
    watched(server)
    watched(server, variant="2/0")
    for variant in ("1/1", "2/0"):
        nights.history(server, [800.0, 790.0], start=30, variant=variant)
    keep()
    for variant in ("1/1", "2/0"):
        nights.history(server, [795.0], start=32, variant=variant)
    keep()
    [message] = told()
    assert message.title == "db7: Throughput of 1/1 fell by 20 % and 1 more"
    assert len(message.facts["changes"]) == 2


def test_the_environment_that_did_not_change_is_said_so(server):
    watched(server)
    nights.history(server, [800.0, 790.0, 795.0], start=30, environment=OLD)
    keep()
    nights.history(server, [800.0], start=33, environment=OLD)
    keep()
    assert "Differences in the environment: none recorded." in told()[0].text


@pytest.mark.parametrize("threads", [(8,), (1, 8, 16)])
def test_a_search_asks_as_often_for_many_tracks_as_for_one(server, threads, django_assert_num_queries):
    for number in threads:
        nights.history(server, [1000.0] * 3, threads=number)
    tracks = list(Track.objects.all())
    with django_assert_num_queries(6 + 2):  # and a savepoint of the test's transaction
        changes.look(tracks, NOW)
    assert len(tracks) == len(threads) and not Track.objects.filter(unlooked=True).exists()


def test_a_track_whose_entry_was_rewritten_meanwhile_is_searched_again(server, monkeypatch):
    newest = nights.history(server, [1000.0] * 3)[-1]
    search = changes._search

    def rewritten(*known):
        Entry.objects.filter(pk=newest.pk).update(tps=900.0)
        search(*known)

    monkeypatch.setattr(changes, "_search", rewritten)
    changes.look(list(Track.objects.all()), NOW)
    assert Track.objects.get().unlooked
    changes.look(list(Track.objects.all()), NOW)
    assert not Track.objects.get().unlooked
