"""The list of the crash points of a load, on the page of its trial and as a file."""

import csv
import zlib
from base64 import b64encode
from dataclasses import replace

import pytest
from django.urls import reverse

from dashboard.records.sharing.actions import share
from tests.markup import flat
from tests.unit.crash.recorded_states import LOST, TORN, state, story
from tests.unit.results import trials
from tests.unit.results.recorded_trials import loads
from workers.crash.points.untried import UntriedPoint, packed

pytestmark = pytest.mark.django_db

LEFT = UntriedPoint(moment=412, at_s=0.7, keeps="torn", way="within a flush", redo=8192, binlog=4096)
HALF = story(
    state(0.1), state(0.3, TORN, LOST), left=4000, untried=(LEFT, *(replace(LEFT, moment=n) for n in range(3999)))
)


def test_the_crash_points_that_were_not_tried_are_listed(client_in):
    """The page shows the first ones; the file holds all."""
    trial = loads(HALF).trials.get()
    page = flat(client_in.get(reverse("results:trial", args=[trial.pk])).content.decode())
    for part in ("4,000 crash points that were found and not tried",
                 "The table shows 25 of them, the list holds 4,000.",
                 '<td class="num" data-label="Redo log on the disk">8,192 bytes'):  # fmt: skip
        assert part in page, part
    rows = list(csv.DictReader(client_in.get(address(trial, "csv")).text.splitlines()))
    assert [row["Outcome"] for row in rows] == ["passed", "failed", *["not tried"] * 4000]
    failed = "Binary log readable for a replica; All acknowledged commits in InnoDB"
    assert rows[1]["Failed or unclear checks"] == failed
    assert rows[2] == {
        "Outcome": "not tried", "Power loss at (s)": "0.7", "Event of the recording": "412", "On the disk": "torn",
        "Chosen": "within a flush", "Redo log on the disk (bytes)": "8192", "Binary log on the disk (bytes)": "4096",
        "Acknowledged": "", "Failed or unclear checks": "",
    }  # fmt: skip
    assert len(client_in.get(address(trial, "json")).json()["rows"]) == 4002
    assert client_in.get(address(trial, "gz")).status_code == 404


@pytest.mark.parametrize("text", ["no base64", "AAAA", packed([LEFT])[:-8], b64encode(zlib.compress(b"{}")).decode()])
def test_a_damaged_list_of_an_imported_file_is_not_found(client_in, text):
    trial = loads(HALF).trials.get()
    trial.evidence.data["points"]["untried_list"] = text
    trial.evidence.save()
    assert client_in.get(address(trial, "csv")).status_code == 404
    assert client_in.get(reverse("results:trial", args=[trial.pk])).status_code == 200


def address(trial, form):
    return reverse("results:crash-points", args=[trial.pk, form])


def test_where_all_were_tried_no_such_list_is_shown(client_in):
    trial = loads(story(state(0.1), left=0)).trials.get()
    page = client_in.get(reverse("results:trial", args=[trial.pk])).text
    assert "that were found and not tried" not in page and address(trial, "csv") in page


def test_a_trial_without_a_recorded_load_has_no_list_of_crash_points(client_in):
    trial = trials.experiment(measured=0).trials.first()
    assert client_in.get(address(trial, "csv")).status_code == 404
    assert address(trial, "csv") not in client_in.get(reverse("results:trial", args=[trial.pk])).text


def test_a_guest_sees_the_crash_points_that_were_not_tried_without_the_file(client):
    one = loads(HALF)
    _, token = share(None, one)
    page = client.get(reverse("sharing:trial", args=[token, one.trials.get().pk])).text
    assert "crash points that were found and not tried" in page and "crash-points.csv" not in page
