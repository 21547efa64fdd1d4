"""The page, the API and the command line: each gives a file, takes one, and says what is wrong with it."""

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from dashboard.portable import archive
from dashboard.portable.write import file_of
from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Experiment
from tests.unit.api.tokens import client_of, script, somebody, token_of
from tests.unit.portable import files
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
PAGE = "/experiments/import/"
API = "/api/v1/experiments/import"


def upload(content):
    return SimpleUploadedFile("commits.zip", content, "application/zip")


def test_the_page_gives_it(client_in):
    made = files.experiment()
    answer = client_in.get(reverse("portable:export", args=[made.pk]))
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    assert f"experiment-{made.pk}-done.zip" in answer["Content-Disposition"]
    assert files.without_marks(answer.content) == files.without_marks(file_of(made))


def test_the_page_says_why_there_is_none(client_in):
    running = factory.experiment({"1/1": 1000.0}, measured=1, state="running")
    answer = client_in.get(reverse("portable:export", args=[running.pk]), follow=True)
    assert "its file would be half of it" in answer.content.decode()


def test_the_page_takes_it(client_in, file):
    answer = client_in.post(PAGE, {"file": upload(file)}, follow=True)
    made = Experiment.objects.exclude(imported_at=None).get()
    assert answer.redirect_chain == [(f"/results/{made.pk}/", 302)]
    assert "is imported." in answer.content.decode()
    again = client_in.post(PAGE, {"file": upload(file)}, follow=True)
    assert again.redirect_chain == answer.redirect_chain
    assert "is here already: it was imported on" in again.content.decode()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "This field is required"),
        ({"file": b""}, "empty"),
        ({"file": b"<b>x</b>"}, "is not a file of Durascope"),
        ({"file": b"x" * 2000}, "at most 0 MiB are read"),
    ],
)
def test_the_page_says_what_is_wrong(client_in, monkeypatch, sent, said):
    monkeypatch.setattr(archive, "MOST_PACKED", 1000)
    answer = client_in.post(PAGE, {name: upload(content) for name, content in sent.items()})
    assert (answer.status_code, said in answer.content.decode()) == (422, True)
    assert not Experiment.objects.exists()


def test_a_viewer_takes_files_away_and_brings_none(client, file):
    made = files.experiment()
    client.force_login(somebody(Role.VIEWER))
    assert client.get(f"/experiments/{made.pk}/export.zip").status_code == 200
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, {"file": upload(file)}).status_code == 403
    assert PAGE not in client.get("/experiments/").content.decode()
    assert Experiment.objects.count() == 1


def test_an_operator_is_offered_the_page(client):
    client.force_login(somebody(Role.OPERATOR))
    assert PAGE in client.get("/experiments/").content.decode()
    assert client.get(PAGE).status_code == 200


def test_the_api_gives_and_takes_it():
    made = files.experiment()
    api = script(somebody(Role.OPERATOR))
    got = api.get(f"/api/v1/experiments/{made.pk}/export")
    assert (got.status_code, got["Content-Type"]) == (200, "application/zip")
    new, again = (api.post(API, {"file": upload(got.content)}) for _ in range(2))
    assert (new.status_code, again.status_code) == (201, 200)
    assert new.json()["id"] == again.json()["id"] and new["Location"].endswith(f"/{new.json()['id']}")
    assert "is imported" in new.json()["notice"] and "here already" in again.json()["notice"]


def test_the_api_says_what_is_wrong(file):
    api = script(somebody(Role.OPERATOR))
    refused = api.post(API, {"file": upload(b"x")})
    assert (refused.status_code, refused["Content-Type"]) == (422, "application/problem+json")
    assert "Nothing was stored" in refused.json()["detail"]
    assert api.post(API, {}).status_code == 422
    running = factory.experiment({"1/1": 1000.0}, measured=1, state="running", name="still runs")
    assert api.get(f"/api/v1/experiments/{running.pk}/export").status_code == 409
    assert client_of(token_of(somebody(Role.OPERATOR, "b"), ["see", "run"])).post(API, {}).status_code == 403


def told(*arguments):
    """(exit status, what was said on both streams)"""
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("experiment", *map(str, arguments), stdout=out, stderr=out)
    return ended.value.code, out.getvalue()


def test_the_command_line_gives_and_takes_it(tmp_path):
    made, path = files.experiment(), tmp_path / "commits.zip"
    assert told("export", made.pk, path)[0] == 0
    assert files.without_marks(path.read_bytes()) == files.without_marks(file_of(made))
    assert "is imported." in told("import", path)[1]
    status, said = told("import", path)
    assert status == 0 and "here already" in said


def test_the_command_line_says_what_is_wrong(tmp_path):
    there = tmp_path / "there.zip"
    there.write_bytes(b"mine")
    made = files.experiment()
    for arguments, said in (
        (("export", made.pk, there), "File exists. Nothing was written."),
        (("export", 4711, tmp_path / "x"), "There is no experiment 4711."),
        (("import", there), "is not a file of Durascope"),
        (("import", tmp_path / "none"), "cannot be read: No such file"),
        (("import", tmp_path), "cannot be read: Is a directory"),
    ):
        status, text = told(*arguments)
        assert status == 2 and said in text
    assert there.read_bytes() == b"mine" and Experiment.objects.count() == 1
