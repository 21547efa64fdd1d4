"""Which build and device a variant stands for, and whether the device was what it promised, on the pages."""

from dataclasses import asdict

import pytest
from django.urls import reverse

from dashboard.findings.claims.evidence import read
from dashboard.findings.document import everything
from dashboard.records.experiments.models import Probe, Run
from tests.unit.results import factory
from tests.unit.results.test_result_pages import page, part, text
from workers.analysis.predicates.measured import At
from workers.metrics.device_probe import DeviceProbe, FlushTimes
from workers.sandbox.promise import compare
from workers.sandbox.storage import parse

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment():
    """1/1 lies on a simulated disk of 5 ms, the others on the host's."""
    made = factory.experiment()
    made.plan["variants"][0] |= {"storage": "k=5ms+log", "build": "old-mysql"}
    made.save()
    return made


def probed(ms: float, holds: str = "") -> dict:
    found = DeviceProbe((FlushTimes("overwrite", 4096, 50, ms, ms, ms, ms, ms),))
    return {**asdict(found), "promise": asdict(compare(parse("k=5ms+log"), found, holds))}


def store_probe(experiment, ms: float, logs_ms: float | None = None) -> None:
    """One without `logs_ms` is as it was stored before second devices were probed."""
    data = {"build": "old-mysql", "storage": "k=5ms+log", **probed(ms, "data" if logs_ms else "")}
    if logs_ms:
        data["logs"] = {"holds": "redo and binlog", **probed(logs_ms, "redo and binlog")}
    server = experiment.cells.first().server
    probe = Probe.objects.create(experiment=experiment, server=server, data=data)
    Run.objects.filter(cell__experiment=experiment, cell__variant="1/1").update(probe=probe)


def cell_page(client, experiment):
    cell = experiment.cells.filter(variant="1/1").first()
    return text(client.get(reverse("results:cell", args=[cell.pk])))


def test_the_variants_say_what_they_stand_for(client_in, experiment):
    shown = text(page(client_in, experiment))
    assert "old-mysql, k=5ms+log" in shown
    assert "200 fsync/s (K = 5 ms); redo and binlog on a device of its kind" in shown
    assert "the installed version, its host's disk" in shown.replace("&#x27;", "'")


def test_a_device_that_is_as_promised_says_so(client_in, experiment):
    store_probe(experiment, 5.1)
    assert "Device probe (as promised) k=5ms+log promises 200 fsync/s; the probe read 196" in cell_page(
        client_in, experiment
    )
    assert "the probe read 196: within 10 %." in text(part(client_in, experiment, "how-it-works"))


def test_a_device_that_is_not_as_promised_says_so(client_in, experiment):
    store_probe(experiment, 9)
    assert "Device probe (not as promised)" in cell_page(client_in, experiment)
    assert "it does not match" in text(page(client_in, experiment))


def test_a_broken_promise_stands_on_top_a_kept_one_in_the_evidence(client_in, experiment):
    store_probe(experiment, 5.1)
    shown = page(client_in, experiment).content.decode()
    assert "The simulated device k=5ms+log" not in shown
    assert '<td class="num" data-label="The probe read">196</td>' in shown and '<span class="badge passed">yes' in shown
    store_probe(experiment, 9)  # made anew, and slower: what was measured before stays as it was
    shown = page(client_in, experiment).content.decode()
    before_charts = shown[: shown.index("<h2>Speed</h2>")]
    assert "The simulated device k=5ms+log promises 200 fsync/s; the probe read 111" in before_charts
    assert shown.count('data-label="The probe read"') == 2


def test_a_device_that_was_made_several_times_breaks_its_promise_in_one_sentence(client_in, experiment):
    for ms in (9, 12, 5.1):
        store_probe(experiment, ms)
    shown = text(page(client_in, experiment))
    assert shown.count("The simulated device k=5ms+log") == 1
    assert "promises 200 fsync/s; 2 probes read 83 to 111: they do not match" in shown


def test_both_devices_are_shown_if_the_logs_have_their_own(client_in, experiment):
    store_probe(experiment, 5, logs_ms=5.2)
    drawn = part(client_in, experiment, "how-it-works").text
    assert '"k=5ms+log, data, overwrite"' in drawn and '"k=5ms+log, redo and binlog, overwrite"' in drawn
    html = page(client_in, experiment).text
    assert html.count('data-label="The probe read"') == 2 and "The simulated device" not in html
    told = cell_page(client_in, experiment)
    assert "Device probe of k=5ms+log, data (as promised)" in told
    assert "Device probe of k=5ms+log, redo and binlog (as promised)" in told


def test_a_second_device_that_is_not_as_promised_says_so_and_decides_no_claim(client_in, experiment):
    store_probe(experiment, 5, logs_ms=9)
    assert "The simulated device k=5ms+log, redo and binlog promises" in page(client_in, experiment).content.decode()
    at = At("1/1", experiment.plan["workloads"][0]["label"], experiment.plan["threads"][0])
    (evidence,) = read(experiment)
    assert "k=5ms+log, redo and binlog promises 200 fsync/s; the probe read 111" in evidence.gap(at)


def test_without_simulated_devices_nothing_is_said_of_them(client_in, experiment):
    assert "Simulated devices" not in text(page(client_in, experiment))


def test_devices_of_one_server_are_drawn_side_by_side(client_in, experiment):
    store_probe(experiment, 5)
    html = part(client_in, experiment, "how-it-works").text
    assert '"k=5ms+log, overwrite"' in html and '"overwrite"' in html


def test_an_export_holds_build_storage_and_promise(experiment):
    store_probe(experiment, 5)
    exported = everything(experiment)
    assert exported["plan"]["variants"][0]["storage"] == "k=5ms+log"
    assert [probe["promise"]["matches"] for probe in exported["probes"].values() if "promise" in probe] == [True]


def test_the_form_explains_the_devices(client_in):
    answer = client_in.get(reverse("experiments:new"))
    assert "hdd-10k: Disk, 10,000 rpm: 150 fsync/s" in text(answer)
    assert f'href="{reverse("fleet:storage")}"' in answer.content.decode()  # where each is from
