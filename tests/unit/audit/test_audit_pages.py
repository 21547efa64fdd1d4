"""The log as a page and as files: by person, verb, object and days."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest

from dashboard.pages.audit import views
from dashboard.records.audit.models import Event, record
from dashboard.records.audit.queries import each
from tests.markup import flat

pytestmark = pytest.mark.django_db


@pytest.fixture
def events(admin):
    record(admin, "registered", "db1", kind="attached")
    record(admin, "started", "=SUM(A1)", cells=3)
    record(None, "rotated keys", "password keys")
    for event, day in zip(Event.objects.order_by("pk"), (1, 2, 3), strict=True):
        Event._base_manager.filter(pk=event.pk).update(at=datetime(2026, 1, day, 12, tzinfo=UTC))


def rows(client, form="json", **asked):
    answer = client.get(f"/audit/export.{form}", asked)
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text))) if form == "csv" else json.loads(text)


@pytest.fixture
def reader(client, admin, events):
    """Logged in without a login of its own in the log."""
    session_before = set(Event.objects.values_list("pk", flat=True))
    client.force_login(admin)
    Event._base_manager.exclude(pk__in=session_before).delete()
    return client


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({}, ["password keys", "=SUM(A1)", "db1"]),
        ({"person": "admin"}, ["=SUM(A1)", "db1"]),
        ({"person": "-"}, ["password keys"]),
        ({"verb": "registered"}, ["db1"]),
        ({"object": "DB"}, ["db1"]),
        ({"since": "2026-01-02"}, ["password keys", "=SUM(A1)"]),
        ({"until": "2026-01-02"}, ["=SUM(A1)", "db1"]),
        ({"since": "2026-01-02", "until": "2026-01-02", "person": "admin"}, ["=SUM(A1)"]),
        ({"person": "admin", "verb": "rotated keys"}, []),
    ],
)
def test_the_log_is_narrowed_by_person_verb_object_and_days(reader, asked, what):
    assert [row["what"] for row in rows(reader, **asked)] == what
    page = reader.get("/audit/", asked).content.decode()
    assert [name in page for name in ("db1<", "password keys<")] == [name in what for name in ("db1", "password keys")]


def test_a_file_holds_everything_and_no_formula(reader):
    assert [row["what"] for row in rows(reader, "csv")] == ["password keys", "'=SUM(A1)", "db1"]
    registered = rows(reader)[-1]
    assert registered == {
        "at": "2026-01-01T12:00:00+00:00", "who": "admin", "did": "registered", "what": "db1",
        "detail": {"kind": "attached"},
    }  # fmt: skip


@pytest.mark.parametrize("asked", [{"since": "yesterday"}, {"since": "2026-01-02", "until": "2026-01-01"}])
def test_a_choice_that_is_none_exports_nothing_and_says_why(reader, asked):
    assert reader.get("/audit/export.csv", asked).status_code == 400
    assert "errorlist" in reader.get("/audit/", asked).content.decode()


def test_there_is_no_other_form(reader):
    assert reader.get("/audit/export.exe").status_code == 404


def test_long_logs_come_in_pages(reader, admin):
    for number in range(120):
        record(admin, "tested", f"db {number}")
    first = reader.get("/audit/", {"verb": "tested"}).content.decode()
    assert "120 events" in first and "page 1 of 2" in first and "verb=tested&amp;page=2" in first
    assert len(rows(reader, verb="tested")) == 120


@pytest.mark.parametrize("count", [0, 1, 6, 7, 10, 11, 12])
def test_the_pages_hold_each_event_once_the_newest_first(monkeypatch, db, count):
    """Those of the older half are read from the other end."""
    monkeypatch.setattr(views, "PER_PAGE", 3)
    for number in range(count):
        record(None, "tested", f"db {number}")
    pages = -(-count // 3) or 1
    told = [one.what for page in range(1, pages + 1) for one in views._page(Event.objects.all(), str(page))]
    assert told == [f"db {number}" for number in reversed(range(count))]


def test_each_value_of_the_filter_comes_once(db, admin):
    for who, did in ((admin, "tested"), (None, "tested"), (admin, "deleted"), (admin, "tested")):
        record(who, did, "db")
    assert each("did") == ["deleted", "tested"] and set(each("name")) == {"", "admin"}


def test_details_are_words(reader, admin):
    record(admin, "shared", "a result", embeddable=False, keys=False, expires=None, servers=["db1", "db2"], cells=30)
    page = flat(reader.get("/audit/").text)
    for name, value in (("keys", "no"), ("expires", "none"), ("servers", "db1, db2"), ("measurements", "30")):
        assert f'<span class="soft">{name}:</span> {value} </div>' in page
    assert "embeddable" not in page, "nobody asked for it"
