"""What a reader sees of a server's history."""

import csv
import io
from dataclasses import asdict

import pytest

from dashboard.history import entries, update
from dashboard.records.history import track_keys
from dashboard.records.history.models import Change, Track
from tests.confirmed import used
from tests.unit.history import nights
from tests.unit.history.nights import DAY, FIRST, NEW
from tests.unit.results import factory
from tests.unit.schedules import made

pytestmark = pytest.mark.django_db


@pytest.fixture
def server():
    return factory.server(name="db7")


@pytest.fixture
def reader(client):
    client.force_login(made.somebody(role="viewer"))
    return used(client)


@pytest.fixture
def changed(server):
    """Thirty nights and then ten on another version, for two variants: one of them slower."""
    nights.history(server, 1000 * nights.noise(30))
    nights.history(server, 3000 * nights.noise(30, seed=8), variant="2/0")
    nights.history(server, 800 * nights.noise(10, seed=4), start=30, environment=NEW)
    nights.history(server, 3000 * nights.noise(10, seed=5), start=30, environment=NEW, variant="2/0")
    update.keep(FIRST + 41 * DAY, pytest.fail, round_s=60)
    return server


def page(reader, server, query=""):
    answer = reader.get(f"/history/servers/{server.pk}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_server_without_nights_says_what_to_do(reader, server):
    assert "No history yet" in page(reader, server)


def test_the_page_names_measurements_that_are_not_in_the_history_yet(reader, server):
    """Where no worker runs beside it, nobody notes what the command line measured."""
    experiment = nights.experiment(server)
    assert "Nothing was measured on this server yet." in page(reader, server), "it measured no cell of it"
    cell = {"variant": "1/1", "workload": "w", "threads": 1, "position": 0, "repeat": 0, "block": 0}
    experiment.cells.create(server=server, state="done", **cell)
    assert "are not in the history yet" in page(reader, server)
    entries.mark(experiment, "nothing can be read of it")
    assert "Nothing was measured on this server yet." in page(reader, server)


def test_a_single_night_says_that_there_is_nothing_to_compare(reader, server):
    nights.history(server, [1000.0])
    assert "nothing to compare with yet" in page(reader, server)


def test_calm_nights_are_said_to_be_calm(reader, server):
    nights.history(server, 1000 * nights.noise(30))
    update.keep(FIRST + 31 * DAY, pytest.fail, round_s=60)
    text = page(reader, server)
    assert "No change was found in 30 measurements." in text
    assert "<h2>Changes</h2>" not in text
    assert "too few" not in text


def test_where_none_could_be_found_it_is_not_said_that_there_is_none(reader, server):
    nights.history(server, [1000.0] * 4 + [10.0] * 5)
    update.keep(FIRST + 10 * DAY, pytest.fail, round_s=60)
    text = page(reader, server)
    assert "9 measurements: too few to tell a change from noise; about 10 are needed." in text
    assert "No change was found" not in text


def test_with_one_night_more_it_is_found(reader, server):
    nights.history(server, [1000.0] * 5 + [10.0] * 5)
    update.keep(FIRST + 11 * DAY, pytest.fail, round_s=60)
    assert "Throughput of 1/1 fell by 99" in page(reader, server)


def test_many_nights_of_one_line_do_not_speak_for_a_line_of_few(reader, server):
    nights.history(server, 1000 * nights.noise(30))
    nights.history(server, [3000.0] * 3, variant="2/0")
    update.keep(FIRST + 31 * DAY, pytest.fail, round_s=60)
    text = page(reader, server)
    assert "No change was found in 30 measurements. Some figures have fewer than 10: too few to tell" in text


def test_a_change_stands_on_top_with_what_differed_beside_it(reader, changed):
    text = page(reader, changed)
    assert "Throughput of 1/1 fell by" in text
    assert "server version: 10.11.6-MariaDB → 10.11.8-MariaDB" in text
    assert "innodb_io_capacity: 200 → 400" in text
    assert "in the past" in text


def test_the_chart_marks_it_under_the_number_of_the_page(reader, changed):
    payload = reader.get(f"/history/servers/{changed.pk}/throughput.json").json()
    first = Change.objects.get().first
    [place] = payload["marks"][0]["of"]
    assert payload["kind"] == "nights"
    assert payload["marks"] == [{"x": first.at.timestamp() * 1000, "label": "1", "of": [place], "sure": True}]
    assert payload["series"][place]["name"] == "1/1"
    assert [p["x"] for p in payload["series"][place]["points"] if p.get("mark") == "change 1"] == [
        payload["marks"][0]["x"]
    ]
    assert [len(one["points"]) for one in payload["series"]] == [40, 40]


def test_the_table_under_the_chart_holds_the_levels_between_changes(reader, changed):
    text = page(reader, changed)
    assert "change 1, in the past" in text
    assert ">2026-01-31<" in text


def test_every_night_is_in_the_file(reader, changed):
    answer = reader.get(f"/history/servers/{changed.pk}/throughput.csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert len(rows) == 80
    assert rows[0]["measured at"] == "2026-01-01T02:30:00+00:00"
    assert sum(bool(row["change"]) for row in rows) == 1
    assert {row["settings"] for row in rows} == {"sync_binlog=1"}


def test_an_unconfirmed_change_is_listed_and_not_drawn(reader, changed):
    Change.objects.update(state=Change.State.NOT_CONFIRMED)
    assert "not confirmed" in page(reader, changed)
    assert "marks" not in reader.get(f"/history/servers/{changed.pk}/throughput.json").json()


def test_a_suspicion_says_why_it_waits(reader, changed):
    Change.objects.update(state=Change.State.SUSPECTED, problem="Its schedule is paused.")
    text = page(reader, changed)
    assert "A change is suspected and not confirmed yet." in text
    assert "Its schedule is paused." in text
    assert reader.get(f"/history/servers/{changed.pk}/throughput.json").json()["marks"][0]["sure"] is False


def test_a_figure_that_no_night_has_is_left_out(reader, server):
    """After a crash of a replica no writes are refused."""
    key = track_keys.crash_track(nights.plan(server), server.pk, "1/1", "replica-kill")
    failover = Track.objects.create(**asdict(key))
    for day in range(2):
        nights.entry(failover, nights.experiment(server, nights.FIRST + day * nights.DAY), None, lost_engine=day)
    text = page(reader, server)
    assert "Commits missing" in text and "Write outage" not in text and "Lost from the engine" not in text


def test_the_condition_is_chosen_in_the_address_and_nonsense_is_ignored(reader, server):
    nights.history(server, [1000.0, 1001.0])
    nights.history(server, [9000.0, 9001.0], threads=64)
    other = nights.track(server).condition
    shown = reader.get(f"/history/servers/{server.pk}/throughput.json?load={other}&nights=30").json()
    assert [p["y"] for p in shown["series"][0]["points"]] == [1000.0, 1001.0]
    for nonsense in (
        "?load=' OR 1=1",
        "?load=" + "0" * 16,
        "?nights=-1",
        "?nights=999999999999999999999",
        "?crash=%00",
    ):
        assert "update by key, 64 threads" in page(reader, server, nonsense)


def test_each_setting_shows_its_newest_measurements_however_rare_it_is(reader, server):
    """One is measured every night, the other every week."""
    nights.history(server, range(1, 71))
    rare = nights.track(server, "2/0")
    weekly = [nights.experiment(server, nights.FIRST + 7 * n * nights.DAY) for n in range(40)]
    for n, one in enumerate(weekly, start=1):
        nights.entry(rare, one, float(n))
    drawn = reader.get(f"/history/servers/{server.pk}/throughput.json?nights=30").json()["series"]
    assert {one["name"]: [p["y"] for p in one["points"]] for one in drawn} == {
        "1/1": [*range(41, 71)], "2/0": [*range(11, 41)]
    }  # fmt: skip


def test_a_name_that_stood_for_other_settings_is_told_apart(reader, server):
    nights.history(server, [1000.0, 1001.0])
    twin = nights.track(server)
    twin.pk, twin.settings, twin.means = None, "f" * 16, "sync_binlog=0"
    twin.save()
    nights.entry(twin, nights.experiment(server), 5000.0)
    names = [one["name"] for one in reader.get(f"/history/servers/{server.pk}/throughput.json").json()["series"]]
    assert names == ["1/1 (sync_binlog=1)", "1/1 (sync_binlog=0)"]


@pytest.mark.parametrize("address", ["nonsense.json", "throughput.exe"])
def test_an_unknown_figure_or_file_form_is_a_404(reader, server, address):
    assert reader.get(f"/history/servers/{server.pk}/{address}").status_code == 404


def test_an_experiment_leads_to_its_history(reader, server):
    [entry] = nights.history(server, [1000.0])
    address = f"/history/servers/{server.pk}/?load={entry.track.condition}"
    assert reader.get(f"/history/of/{entry.experiment_id}/")["Location"] == address


def test_an_experiment_without_entries_says_so(reader, server):
    experiment = nights.experiment(server)
    answer = reader.get(f"/history/of/{experiment.pk}/", follow=True)
    assert "not in the history yet" in answer.content.decode()


def test_an_experiment_whose_plan_names_no_server_leads_to_its_result(reader, server):
    experiment = nights.experiment(server)
    type(experiment).objects.filter(pk=experiment.pk).update(plan={})
    assert reader.get(f"/history/of/{experiment.pk}/")["Location"] == f"/results/{experiment.pk}/"


def test_the_server_and_the_result_lead_to_it(reader, server):
    experiment = factory.experiment(servers=[server])
    assert f"/history/servers/{server.pk}/" in reader.get(f"/servers/{server.pk}/").content.decode()
    assert f"/history/of/{experiment.pk}/" in reader.get(f"/results/{experiment.pk}/").content.decode()


def test_a_page_of_many_nights_asks_few_questions(reader, changed, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        page(reader, changed)
