"""Out and in again: the same file, the same figures, and nothing that tells where it was measured."""

import io
import json
import re
from datetime import timedelta

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection

from dashboard.findings import conclusion
from dashboard.findings.analysis import analysis_of
from dashboard.findings.document import everything
from dashboard.findings.redact import redactor_of
from dashboard.findings.shown import shown
from dashboard.portable import actions, shape
from dashboard.portable.refused import NoFile, NotImported
from dashboard.portable.write import Clean, file_of
from dashboard.records.experiments import care
from dashboard.records.experiments.models import Cell, Experiment, Run, RunEvidence, Series, Trial
from dashboard.records.servers.models import Server
from tests.unit.portable import files
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
IDS = ("id", "server_id", "run_ids", "cell_ids", "environment_id", "probe_id", "repeat_of_id", "made_of")


def result(experiment):
    """The result JSON without the numbers that a database gives, with rows in their order, and cleaned as the file is;
    environments and probes as their contents."""
    found = json.loads(json.dumps(everything(experiment), cls=DjangoJSONEncoder))
    for row in (*found["runs"], *found["trials"]):
        row["environment"] = found["environments"].get(str(row["environment_id"]))
        row["probe"] = found["probes"].get(str(row.get("probe_id")))
    for name in ("environments", "probes"):
        del found[name]
    for name in ("imported_at", "imported_from"):
        del found["experiment"][name]
    return nameless(found)


def nameless(value):
    if isinstance(value, dict):
        return {name: nameless(one) for name, one in value.items() if name not in IDS}
    return [nameless(one) for one in value] if isinstance(value, list) else value


def cleaned(experiment, found):
    """What a reader of a share link would see of it."""
    clean = Clean(experiment)
    for row in (*found["runs"], *found["trials"]):
        row["environment"] = clean.facts(row["environment"])
        row["environment"]["server"]["variables"] = clean.variables(row["environment"]["server"]["variables"])
    return clean.data(clean.facts(found))


def test_an_import_that_is_exported_gives_the_same_file():
    _, file, imported = files.round_trip()
    again = file_of(imported)
    assert files.without_marks(again) == files.without_marks(file)
    assert {n: c for n, c in files.unpacked(again).items() if n != shape.INDEX} == {
        n: c for n, c in files.unpacked(file).items() if n != shape.INDEX
    }


def test_the_same_experiment_is_the_same_file_but_for_its_moment(monkeypatch):
    experiment = files.experiment()
    monkeypatch.setattr("dashboard.portable.write.timezone.now", lambda: factory.STARTED)
    assert file_of(experiment) == file_of(experiment)


def test_the_figures_of_an_import_are_those_of_the_original():
    original, _, imported = files.round_trip()
    assert result(imported)["analysis"] == Clean(original).data(result(original)["analysis"])
    assert cleaned(imported, result(imported)) == cleaned(original, result(original))


def test_every_row_is_there():
    original, _, imported = files.round_trip()
    for rows in ("cells", "trials"):
        states = [list(getattr(one, rows).order_by("position").values_list("position", "state")) for one in
                  (original, imported)]  # fmt: skip
        assert states[0] == states[1]
    again = imported.trials.exclude(repeat_of=None).get()
    assert again.repeat_of.position == original.trials.exclude(repeat_of=None).get().repeat_of.position
    assert again.repeat_of.experiment == imported
    verdicts = [list(one.trials.order_by("position").values_list("verdict", flat=True)) for one in (original, imported)]
    assert verdicts[0] == verdicts[1] and set(verdicts[0]) == {"valid", "invalid", "unknown"}


def test_a_fault_of_several_nodes_and_what_was_only_read_come_back():
    made = files.experiment()
    made.trials.filter(kind="power-loss").update(kind="permanent-loss:primary+replica1", phantoms=3)
    imported = files.imported(file_of(made))
    kinds = [set(one.trials.values_list("kind", "phantoms")) for one in (made, imported)]
    assert kinds[0] == kinds[1] and ("permanent-loss:primary+replica1", 3) in kinds[0]


def test_the_sentence_on_top_is_the_same():
    original, _, imported = files.round_trip()
    clean = Clean(original)
    assert conclusion.sentences(imported) == [clean.text(said) for said in conclusion.sentences(original)]
    assert Experiment.objects.get(pk=imported.pk).finding == conclusion.in_brief(imported, shown(imported))


def test_the_file_holds_no_host_account_or_path():
    whole = b"\n".join(files.unpacked(file_of(files.experiment())).values()).decode()
    whole = re.sub("[0-9a-f]{64}", "", whole)  # a digest may read like anything
    words = [*factory.SECRET.values(), "db7", "rack 3", "/srv", "/run", "/dev/vdb", "10.9.8.7"]
    assert not [whole[max(0, whole.find(word) - 80) : whole.find(word) + 40] for word in words if word in whole]
    assert "Server A" in whole and "datadir=" in whole  # the option files of sandboxes are there


def test_an_attached_servers_logs_and_options_are_left_out():
    server = factory.server()
    made = files.experiment(servers=[server])
    plan = {**made.plan, "targets": [{**made.plan["targets"][0], "is_sandbox": False}]}
    Experiment.objects.filter(pk=made.pk).update(plan=plan)
    made.refresh_from_db()
    found = files.unpacked(file_of(made))
    assert {json.loads(one)["my_cnf"] for name, one in found.items() if name.startswith("runs/")} == {""}
    evidence = json.loads(found[shape.TRIAL.format(0)])
    assert (evidence["log_lines"], evidence["my_cnf"], evidence["recovery_lines"]) == ([], "", [])


def test_names_that_become_alike_are_told_apart():
    levels = {"tuned on db1.example.com": 1000.0, "tuned on db2.example.com": 2000.0}
    made = factory.experiment(levels, seconds=5)
    files.as_a_worker_stores_them(made)
    file = file_of(made)
    names = [one["name"] for one in files.index_of(file)["plan"]["variants"]]
    assert names == ["tuned on [host]", "tuned on [host] (2)"]
    imported = files.imported(file)
    assert set(imported.cells.values_list("variant", flat=True)) == set(names)
    assert files.without_marks(file_of(imported)) == files.without_marks(file)


def test_where_it_came_from_is_kept(settings):
    settings.ADDRESS = "https://durascope.example.org"
    original, _, imported = files.round_trip()
    origin = imported.imported_from
    assert (origin["address"], origin["experiment_id"]) == ("https://durascope.example.org", original.pk)
    assert len(origin["sha256"]) == 64 and origin["exported_at"] and origin["version"]
    told = files.index_of(file_of(imported))["export"]
    assert told["imported"] == {**origin, "at": imported.imported_at.isoformat()}
    assert told["experiment_id"] == imported.pk


def test_the_same_file_is_kept_once():
    _, file, imported = files.round_trip()
    for same in (file, file_of(imported)):
        again = actions.import_file(None, io.BytesIO(same))
        assert (again.experiment, again.is_new) == (imported, False)
        assert "is here already: it was imported on" in again.says
    assert Experiment.objects.count() == 2


def test_an_experiment_that_is_gone_for_good_can_be_imported_again():
    _, file, imported = files.round_trip()
    Experiment.objects.filter(pk=imported.pk).update(deleted_at=imported.imported_at)
    with pytest.raises(NotImported, match="and deleted"):
        files.imported(file)
    care.remove_one(imported.imported_at + care.KEPT_FOR + timedelta(seconds=1))
    assert not Server.everything.filter(kind="imported").exists()
    assert files.imported(file).pk != imported.pk


@pytest.mark.parametrize("state", ["queued", "running"])
def test_an_experiment_that_is_not_over_has_no_file(state):
    made = factory.experiment({"1/1": 1000.0}, measured=1, state=state)
    with pytest.raises(NoFile, match="would be half of it"):
        file_of(made)


def test_a_text_that_no_file_can_hold_is_refused_at_the_export():
    if connection.vendor != "sqlite":
        pytest.skip("this database stores no NUL")
    made = factory.experiment({"1/1": 1000.0}, measured=1, state="failed")
    Experiment.objects.filter(pk=made.pk).update(error="\0")
    made.refresh_from_db()
    with pytest.raises(NoFile, match="cannot be written as a file"):
        file_of(made)


@pytest.mark.parametrize("at_s", [999e15, -999e15, 1e-300])
def test_the_largest_number_of_a_file_can_go_again(file, at_s):
    """PostgreSQL gives it back with all of its digits."""
    name = shape.TRIAL.format(0)
    evidence = json.loads(files.unpacked(file)[name])
    evidence["steps"][0]["at_s"] = at_s
    again = file_of(files.imported(files.tampered(file, **{name: json.dumps(evidence).encode()})))
    assert json.loads(files.unpacked(again)[name])["steps"][0]["at_s"] == at_s


def test_series_come_back_with_the_kinds_of_their_numbers():
    original = files.experiment()
    columns = {"t_s": [1, 2.0, 3], "tps": [5.0, 12345678.25, 1e-07], "p95_ms": [0.1, None, None], "redo": [1.5]}
    run = Run.objects.filter(cell__experiment=original).order_by("cell__position").first()
    Series.objects.filter(run=run).update(columns=columns)
    imported = files.imported(file_of(original))
    found = Series.objects.get(run__cell__experiment=imported, run__cell__position=run.cell.position).columns
    assert {name: repr(column) for name, column in found.items()} == {n: repr(c) for n, c in columns.items()}


def test_a_second_cleaning_changes_nothing():
    """Also the words of a server's own that a worker wrote down."""
    original, _, _ = files.round_trip()
    redactor, clean = redactor_of(original), Clean(original)
    zeros = {"wsrep_local_state_uuid": "00000000-0000-0000-0000-000000000000:-1"}
    once = redactor.variables(zeros)
    assert redactor.variables(once) != once  # the positive control: cleaning once is not enough
    assert clean.variables(clean.variables(zeros)) == clean.variables(zeros)


def test_a_cell_rests_on_the_same_evidence():
    original, _, imported = files.round_trip()
    for one in (original, imported):
        assert RunEvidence.objects.filter(run__cell__experiment=one).count() == 11
    kept = [RunEvidence.objects.filter(run__cell__experiment=one).order_by("run__cell__position").first()
            for one in (original, imported)]  # fmt: skip
    assert kept[0].histogram == kept[1].histogram and kept[0].output == kept[1].output


def test_statistics_are_of_the_rows_that_are_there():
    """Not copied: a run that is taken away is missing in them."""
    _, _, imported = files.round_trip()
    points = len(analysis_of(imported).points)
    imported.cells.filter(variant="1/1").delete()
    imported.refresh_from_db()
    assert len(analysis_of(imported).points) < points


def test_states_stay_what_they_were():
    _, _, imported = files.round_trip()
    assert imported.cells.filter(state=Cell.State.FAILED).count() == 1
    assert imported.trials.filter(state=Trial.State.DONE).count() == imported.trials.count()
