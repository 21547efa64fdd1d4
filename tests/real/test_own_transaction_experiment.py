"""An own transaction from the form to the result: measured and crashed on a real sandbox, shown, shared, exported."""

import io
import json
import zipfile

import pytest

from dashboard.pages.experiments.forms import PlanForm
from dashboard.portable.actions import import_file
from dashboard.portable.write import file_of
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Run, Trial
from dashboard.records.servers.models import Server
from dashboard.records.sharing.actions import share
from tests.own_transactions import EXAMPLE
from tests.real.disks import needs_disk
from tests.real.test_own_transaction_crash import MAY_TEAR
from workers.conducting.conduct import conduct


@pytest.fixture
def server(transactional_db, settings, sandbox_root):
    settings.SANDBOX_ROOT = str(sandbox_root)
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


def filled(server, **changes):
    return {
        "name": "Orders",
        "servers": [server.pk],
        "variants": ["1/1", "0/0"],
        "binlog": "on",
        "own_transaction": EXAMPLE.replace("\n", "\r\n"),
        "threads": "4",
        "repeats": "1",
        "warmup_s": "0",
        "measure_s": "1",
        "table_rows": "100",
        "kinds": ["power-loss"],
        "trials": "1",
        "control_trials": "0",
        "clients": "8",
        "load_s": "1.5",
        "own_load": "on",
        **changes,
    }


@needs_disk
def test_an_own_transaction_is_measured_and_crashed_and_every_reader_sees_it(server, worker, client, admin):
    form = PlanForm(filled(server))
    assert form.is_valid(), form.errors
    experiment = conduct(actions.create(form.plan(), admin).pk, worker)
    assert (experiment.state, experiment.error) == ("done", "")
    runs = Run.objects.filter(cell__experiment=experiment)
    assert {run.cell.workload for run in runs} == {"Place an order"} and all(run.transactions for run in runs)
    trials = {trial.variant: trial for trial in experiment.trials.all()}
    assert trials["0/0"].verdict == "invalid"
    assert {one["key"] for one in trials["1/1"].evidence.data["checks"] if one["outcome"] != "valid"} <= {MAY_TEAR}
    assert all(trial.state == Trial.State.DONE and trial.acknowledged for trial in trials.values())

    client.force_login(admin)
    page = client.get(f"/results/{experiment.pk}/").content.decode()
    _, token = share(None, experiment)
    shared = client.get(f"/share/{token}/").content.decode()
    assert "Place an order" in page and "UPDATE orders SET state = &#x27;paid&#x27;" in page
    assert "Place an order" in shared and "UPDATE `orders` SET `state` = [text]" in shared
    again = PlanForm(source=experiment)
    assert again["own_transaction"].value() == EXAMPLE and again["own_load"].value() is True

    packed = file_of(experiment)
    index = json.loads(zipfile.ZipFile(io.BytesIO(packed)).read("experiment.json"))
    assert index["plan"]["workloads"][0]["params"]["file"] == EXAMPLE
    experiment.delete()
    imported = import_file(admin, io.BytesIO(packed)).experiment
    assert imported.plan["workloads"][0]["params"]["file"] == EXAMPLE
