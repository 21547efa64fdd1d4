"""A violation that is kept with its disk: who may download it, and the command that repeats it."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from dashboard.commands import crash_point as command
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import KeptCrashPoint, Trial
from dashboard.records.sharing.actions import share
from tests.markup import flat
from tests.unit.api.tokens import token_of
from tests.unit.crash.recorded_states import LOST, state, story
from tests.unit.crash.test_exported_contents import POINT
from tests.unit.results import trials
from workers.bench.trial_kinds import CHECK_TITLES
from workers.crash.points.export.again import JudgedAgain
from workers.crash.points.story import RECORDING, KeptPoint, KeptRecording
from workers.crash.verdict import CheckResult
from workers.errors import DurascopeError

pytestmark = pytest.mark.django_db
ARCHIVE = b"\x1f\x8b\0 archive"
KEPT = KeptPoint(number=1, moment=200, at_s=0.2, keeps="durable", checks=("lost-engine",), n_bytes=len(ARCHIVE))
LACKING = KeptPoint(
    number=2, moment=300, at_s=0.3, keeps="torn", checks=("torn",), n_bytes=0, lacks="The disk of the host is full."
)


@pytest.fixture
def trial():
    one = trials.experiment({"1/1": {"every-crash-point": [(3, 0)]}}, replica=False, measured=0)
    found = one.trials.get()
    found.evidence.data["points"] = story(state(0.2, LOST, lost=3), kept=(KEPT, LACKING)).as_stored()
    found.evidence.save()
    KeptCrashPoint.objects.create(trial=found, number=1, archive=ARCHIVE)
    return found


def address(trial, number=1):
    return reverse("results:crash-point", args=[trial.pk, number])


def test_the_page_links_the_archive_and_tells_the_command(client_in, trial):
    shown = client_in.get(reverse("results:trial", args=[trial.pk])).content.decode()
    assert address(trial) in shown and f"manage.py experiment crash-point {trial.pk} 1" in shown
    assert LACKING.lacks in shown and address(trial, 2) not in shown


def test_the_disk_of_a_shortest_load_is_told_from_those_of_the_trials_load(client_in, trial):
    short = replace(KEPT, number=3, clients=2, commits=1)
    trial.evidence.data["points"] = story(state(0.2, LOST, lost=3), kept=(KEPT, short)).as_stored()
    trial.evidence.save()
    page = flat(client_in.get(reverse("results:trial", args=[trial.pk])).content.decode())
    assert page.count("of the load of 2 clients with 1 commit each") == 1


def test_the_disk_of_a_small_history_names_its_history(client_in, trial):
    trial.evidence.data["points"] = story(state(0.2, LOST), kept=(replace(KEPT, history="two tables"),)).as_stored()
    trial.evidence.save()
    page = flat(client_in.get(reverse("results:trial", args=[trial.pk])).content.decode())
    assert page.count("of the history “two tables”") == 1


def test_the_command_writes_a_large_id_without_separators():
    point = SimpleNamespace(number=1, at_s=0.2, n_bytes=9, disk="durable", checks="lost", lacks="", whose="")
    known = {"kept_points": [point], "trial": Trial(pk=4321), "load": SimpleNamespace(noun="crash point")}
    shown = render_to_string("results/_kept_points.html", known)
    assert "manage.py experiment crash-point 4321 1" in shown


def test_the_archive_is_downloaded_as_it_was_stored(client_in, trial):
    answer = client_in.get(address(trial), headers={"accept-encoding": "gzip"})
    assert answer.content == ARCHIVE and answer["Content-Disposition"].startswith("attachment")
    assert client_in.get(address(trial, 2)).status_code == 404
    event = Event.objects.get(did="downloaded")
    assert (event.what, event.detail) == (f"crash point 1 of trial {trial.pk}", {"experiment": trial.experiment_id})


@pytest.fixture
def recorded(trial):
    points = story(state(0.2, LOST, lost=3), recording=KeptRecording(n_bytes=len(ARCHIVE))).as_stored()
    trial.evidence.data["points"] = points
    trial.evidence.save()
    KeptCrashPoint.objects.create(trial=trial, number=RECORDING, archive=ARCHIVE)
    return trial


def test_a_kept_recording_is_linked_and_downloaded(client_in, recorded):
    shown = client_in.get(reverse("results:trial", args=[recorded.pk])).content.decode()
    assert "{#" not in shown, "a comment of a template has one line"
    assert "Download the recording" in shown and f"experiment crash-points {recorded.pk}" in shown
    answer = client_in.get(address(recorded, RECORDING))
    assert answer.content == ARCHIVE and f"recording-{recorded.pk}.tar.gz" in answer["Content-Disposition"]
    assert Event.objects.get(did="downloaded").what == f"the recording of trial {recorded.pk}"


def test_a_recording_that_is_too_large_says_so(client_in, trial):
    lacks = KeptRecording(n_bytes=0, lacks="The archive has 40 MiB; 32 MiB are kept at most.")
    trial.evidence.data["points"] = story(state(0.2), recording=lacks).as_stored()
    trial.evidence.save()
    shown = client_in.get(reverse("results:trial", args=[trial.pk])).content.decode()
    assert lacks.lacks in shown and "Download the recording" not in shown


def test_the_command_tries_more_points_of_a_recording(recorded, monkeypatch):
    asked = []

    def more(archive, root, find, user, skip, most):
        asked.append((archive, skip, most))
        yield JudgedAgain(replace(POINT, moment=8, keeps="at random"), (LOST,))
        yield JudgedAgain(replace(POINT, moment=9, keeps="after a flush"), ())

    monkeypatch.setattr(command, "try_more", more)
    lines = command.more_crash_points(trial=recorded.pk, most=2).splitlines()
    assert asked == [(ARCHIVE, 1, 2)]
    assert lines[0] == "crash point 2 (event 8, at random): All acknowledged commits in InnoDB"
    assert lines[1].endswith("no check failed") and lines[2].startswith("1 of 2 more crash points failed.")


def test_the_command_says_that_no_recording_is_kept(trial):
    with pytest.raises(DurascopeError, match="keeps no recording"):
        command.more_crash_points(trial=trial.pk, most=2)


def test_a_token_downloads_it_too(client, trial, admin):
    where = reverse("api:download_crash_point", args=[trial.pk, 1])
    assert client.get(where).status_code == 401
    answer = client.get(where, headers={"authorization": f"Bearer {token_of(admin, ['see'])}"})
    assert answer.content == ARCHIVE and answer["Content-Type"] == "application/gzip"
    assert Event.objects.get(did="downloaded").detail["via"]


def test_a_guest_of_a_share_link_gets_no_archive(client, trial, admin):
    _, token = share(admin, trial.experiment)
    shown = client.get(reverse("sharing:trial", args=[token, trial.pk])).content.decode()
    assert "Crash points of this load" in shown and "crash-points/" not in shown and LACKING.lacks not in shown
    assert client.get(address(trial)).status_code == 302


def test_a_deleted_experiment_gives_no_archive(client_in, trial, tmp_path, capsys):
    trial.experiment.deleted_at = timezone.now()
    trial.experiment.save()
    assert client_in.get(address(trial)).status_code == 404
    assert told(trial, 1, tmp_path / "kept") == 2


def told(trial, number, to):
    with pytest.raises(SystemExit) as ended:
        call_command("experiment", "crash-point", str(trial.pk), str(number), "--to", str(to))
    return ended.value.code


def test_the_command_writes_the_archive_to_a_new_file(trial, tmp_path, capsys):
    assert told(trial, 1, tmp_path / "kept.tar.gz") == 0
    assert (tmp_path / "kept.tar.gz").read_bytes() == ARCHIVE
    assert told(trial, 1, tmp_path / "kept.tar.gz") == 2
    assert "cannot be written: File exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("then", "end"),
    [
        (("lost-engine",), "The same checks fail as in the trial."),
        (("torn",), f"In the trial failed: {CHECK_TITLES['torn']}."),
    ],
)
def test_the_command_tells_each_check_and_whether_the_same_ones_fail(trial, monkeypatch, then, end):
    given = []

    def again(archive, *_):
        given.append(archive)
        return JudgedAgain(replace(POINT, failed=then), (LOST, CheckResult("twice", "unknown", 0, "Unclear.")))

    monkeypatch.setattr(command, "recover_again", again)
    said = command.crash_point(trial=trial.pk, number=1, to=None).splitlines()
    assert given == [ARCHIVE]
    missing = "3 of 10 acknowledged transactions are missing in InnoDB."
    assert said == [f"failed: All acknowledged commits in InnoDB: {missing}", "unclear: twice: Unclear.", end]


def test_the_command_names_a_point_that_is_not_kept(trial, tmp_path, capsys):
    assert told(trial, 2, tmp_path / "kept") == 2
    assert f"Trial {trial.pk} keeps no crash point 2" in capsys.readouterr().err
