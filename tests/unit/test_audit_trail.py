"""The audit trail is added to, never changed: no code of the product updates or deletes an event."""

import re

import pytest

from dashboard.installation.home import PROJECT

CHANGES = re.compile(
    r"Event\.objects\b[^\n]*\.(update|delete|bulk_update|get_or_create|update_or_create)\(|event\.save\("
)


@pytest.mark.parametrize("part", ["dashboard", "workers"])
def test_no_code_changes_an_event(part):
    guilty = [path.name for path in (PROJECT / part).rglob("*.py") if CHANGES.search(path.read_text())]
    assert guilty == []


def test_the_detector_sees_a_change():
    assert CHANGES.search('Event.objects.filter(did="x").update(name="")')


@pytest.mark.django_db
def test_deleting_an_account_keeps_its_events_and_name(admin):
    from dashboard.records.audit.models import Event, record

    record(admin, "registered", "db1")
    admin.delete()
    event = Event.objects.get(did="registered")
    assert (event.who, event.name) == (None, "admin")
