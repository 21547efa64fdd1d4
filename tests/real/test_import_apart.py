"""A file that somebody sent is read in a process of its own: that one takes it, or says why not, in the words of the
product; whatever a file does to it, the web server goes on."""

import fcntl
import io
import os

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.portable import apart
from dashboard.portable.refused import NotImported
from dashboard.portable.write import file_of
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from tests.unit.api.tokens import script
from tests.unit.portable import files

PAGE, API = "/experiments/import/", "/api/v1/experiments/import"


@pytest.fixture
def file(transactional_db, settings, monkeypatch):
    """Of an experiment; what is imported from here on, is so in a process of its own, on the test's database."""
    settings.IMPORT_APART = True
    monkeypatch.setenv("DURASCOPE_SQLITE", str(settings.DATABASES["default"]["NAME"]))
    return file_of(files.experiment())


def upload(content):
    return SimpleUploadedFile("commits.zip", content, "application/zip")


def imported():
    return Experiment.objects.exclude(imported_at=None)


def test_a_token_is_named_in_the_audit_log(admin, file):
    assert script(admin).post(API, {"file": upload(file)}).status_code == 201
    assert Event.objects.get(did="imported").detail["via"].startswith("token durascope_")


def test_the_reason_of_a_refused_import_is_shown_on_the_page(client_in, file):
    shown = client_in.post(PAGE, {"file": upload(file[:-30])})
    assert shown.status_code == 422
    assert "it is no zip file, or it was cut off. Nothing was stored." in shown.content.decode()
    assert not imported().exists()


def test_a_second_import_is_refused_while_one_is_under_way(client_in, admin, settings, file):
    """Afterwards the page imports the file, and the API knows it."""
    lock = os.open(settings.HOME / "import.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    shown = client_in.post(PAGE, {"file": upload(file)})
    assert shown.status_code == 422 and "Another import is under way" in shown.content.decode()
    os.close(lock)
    shown = client_in.post(PAGE, {"file": upload(file)}, follow=True).content.decode()
    made = imported().get()
    assert "is imported." in shown and made.created_by == admin
    assert Event.objects.get(did="imported").name == "admin"
    again = script(admin).post(API, {"file": upload(file)})
    assert again.status_code == 200 and again.json()["id"] == made.pk and "is here already" in again.json()["notice"]


def test_an_import_that_takes_too_long_is_ended(file, admin, monkeypatch):
    monkeypatch.setattr(apart, "WALL_S", 0.1)
    with pytest.raises(NotImported, match=r"more than 0.1 s. Nothing was stored"):
        apart.import_apart(admin, io.BytesIO(file))
    assert not imported().exists()
    monkeypatch.undo()
