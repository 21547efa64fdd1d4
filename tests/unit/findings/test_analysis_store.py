"""The analysis of stored runs: right, made once, and made again when it is stale."""

import hashlib
import json
from dataclasses import asdict, fields

import pytest

from dashboard.findings import analysis
from dashboard.findings.analysis import Analysis, HeadlineRatio
from dashboard.findings.fitted import DeviceModel, LineModels
from dashboard.findings.point import Point, SourcedFigure, Stalls
from dashboard.findings.points import PointKey, points
from dashboard.installation.stored import Unreadable, read
from dashboard.records.experiments.models import Run, RunEvidence, Series
from tests.unit.results import factory
from workers.analysis import compare
from workers.analysis.fsync_model import FsyncModel
from workers.analysis.statistics import compared

pytestmark = pytest.mark.django_db


def at(result, variant, threads=8):
    return next(p for p in result.points if (p.variant, p.threads) == (variant, threads))


def test_the_analysis_describes_each_point():
    result = analysis.analysis_of(factory.experiment())
    point = at(result, "0/0")
    assert (point.repeats, point.seconds, point.settled) == (3, 90, True)
    assert point.lo < point.tps < point.hi
    assert point.ratio.decision == "differs"
    assert point.ratio.lo < 6 < point.ratio.hi
    assert at(result, "1/1").ratio is None
    assert at(result, "1/1").fsyncs["binlog"] == SourcedFigure(pytest.approx(0.4), "trace:binlog_fsyncs")
    assert at(result, "1/1").group.value == pytest.approx(4)
    assert at(result, "1/1").latency_ms["p95"] <= 2.0


@pytest.mark.parametrize(("baseline", "other"), [("1/1", "0/0"), ("0/0", "1/1")])
def test_the_planned_comparison_is_judged_by_itself_and_the_others_together(baseline, other):
    experiment = factory.experiment(noise=0.5)
    seconds = {one.key: one.seconds() for one in points(experiment)}
    result = analysis.analysis_of(experiment, baseline)
    alone = {key: compared(seconds[key], seconds[key.of(baseline)]).p for key in seconds if key.variant != baseline}
    told = {
        PointKey(point.server_id, point.variant, point.workload, point.threads): point.ratio.p
        for point in result.points
        if point.ratio
    }
    planned = next(key for key in alone if (key.variant, key.threads) == (other, 8))
    assert told[planned] == alone[planned]
    assert result.headline[0].ratio.p == pytest.approx(alone[planned])
    others = [key for key in alone if key != planned]
    assert [told[key] for key in others] == compare.adjusted([alone[key] for key in others])


def test_percentiles_come_from_the_sum_of_histograms():
    experiment = factory.experiment(threads=(1,))
    runs = Run.objects.filter(cell__experiment=experiment, cell__variant="1/1")
    Run.objects.filter(pk__in=runs).update(latency_ms={"max": 60.0})
    RunEvidence.objects.filter(run=runs[0]).update(histogram=[[1.0, 100]])
    RunEvidence.objects.filter(run=runs[1]).update(histogram=[[50.0, 6], [1.0, 94]])
    assert at(analysis.analyse(experiment, "1/1"), "1/1", 1).latency_ms["p99"] > 45


def test_the_analysis_is_made_once_for_each_baseline(django_assert_num_queries):
    experiment = factory.experiment()
    first = analysis.analysis_of(experiment)
    assert analysis.analysis_of(experiment, "0/0").baseline == "0/0"
    experiment.refresh_from_db()
    with django_assert_num_queries(1):
        assert analysis.analysis_of(experiment) == first
    assert set(experiment.analysis) == {"1/1", "0/0"}


def test_the_analysis_is_made_again_after_new_runs():
    experiment = factory.experiment(measured=3)
    assert len(analysis.analysis_of(experiment).points) <= 3
    cell = experiment.cells.filter(state="waiting").first()
    factory.store([factory.run(cell, [500.0] * 20, factory.environment_row(), None)])
    assert analysis.analysis_of(experiment).made_of["runs"] == 4
    assert set(experiment.analysis) == {"1/1"}


@pytest.mark.parametrize("measured", [0, 3])
def test_the_analysis_is_made_again_after_a_device_on_which_nothing_was_measured(measured):
    experiment = factory.experiment(measured=measured)
    before = analysis.analysis_of(experiment).devices
    times = [{"way": "append", "size_bytes": size, "times_ms": [5.0] * 8} for size in (512, 4096, 65536)]
    server = experiment.cells.first().server
    experiment.probes.create(server=server, data={"storage": "sata-7200", "sweep": {"times": times}})
    after = analysis.analysis_of(experiment).devices
    assert [one.storage for one in after] == [*(one.storage for one in before), "sata-7200"]


def test_a_new_field_of_an_analysis_needs_a_new_method_number():
    """Otherwise answers stored before would be refused on the field that is not there."""
    parts = (Analysis, HeadlineRatio, Point, LineModels, DeviceModel, FsyncModel)
    said = "; ".join(" ".join(field.name for field in fields(part)) for part in parts)
    assert (analysis._METHOD, hashlib.sha256(said.encode()).hexdigest()[:8]) == (19, "df3076fe")


def test_the_analysis_is_the_same_read_back_from_json():
    made = analysis.analyse(factory.experiment(), "1/1")
    assert read(Analysis, json.loads(json.dumps(asdict(made)))) == made


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda point: point.pop("tps"), r"tps cannot be read: Field required"),
        (lambda point: point.update(threads="8"), r"threads cannot be read: .* valid integer"),
        (lambda point: point.update(group={"value": 1.0}), r"group.source cannot be read: Field required"),
        (lambda point: point["ratio"].update(decision="perhaps"), r"ratio.decision cannot be read"),
        (lambda point: point.update(settled=1), r"settled cannot be read: .* valid boolean"),
    ],
)
def test_a_broken_stored_field_is_refused_by_its_name(change, said):
    kept = json.loads(json.dumps(asdict(analysis.analyse(factory.experiment(threads=(1,)), "1/1"))))
    change(next(point for point in kept["points"] if point["ratio"]))
    with pytest.raises(Unreadable, match=said):
        read(Analysis, kept)


def test_the_analysis_survives_runs_without_series_histogram_or_evidence():
    experiment = factory.experiment(threads=(1,))
    Series.objects.all().delete()
    RunEvidence.objects.all().delete()
    point = at(analysis.analyse(experiment, "1/1"), "0/0", 1)
    assert point.latency_ms.get("p50") is None
    assert point.ratio.decision == "differs", "each run still knows its mean"


@pytest.mark.parametrize(("repeats", "decision"), [(1, "measured once"), (2, "too few to judge")])
def test_few_repeats_have_figures_and_no_interval(repeats, decision):
    point = at(analysis.analyse(factory.experiment(repeats=repeats), "1/1"), "0/0")
    assert (point.lo, point.hi, point.ratio.lo, point.ratio.p) == (None,) * 4
    assert point.ratio.value == pytest.approx(6, rel=0.1)
    assert point.ratio.decision == decision


def test_the_analysis_uses_no_figure_that_only_some_runs_have():
    experiment = factory.experiment(threads=(1,))
    run = Run.objects.filter(cell__experiment=experiment, cell__variant="1/1").first()
    run.figures = [one for one in run.figures if one["name"] != "binlog_fsyncs"]
    run.save()
    assert set(at(analysis.analyse(experiment, "1/1"), "1/1", 1).fsyncs) == {"redo", "data"}


def test_the_baseline_is_the_asked_variant_or_the_experiments_or_the_first():
    experiment = factory.experiment(measured=0)
    assert analysis.baseline_of(experiment, "0/0") == "0/0"
    assert analysis.baseline_of(experiment, "gone") == "1/1"
    experiment.baseline = "gone too"
    experiment.plan["variants"].reverse()
    assert analysis.baseline_of(experiment, "gone") == "0/0"
    experiment.plan["variants"] = []
    assert analysis.baseline_of(experiment, "gone") == ""


def test_a_point_that_never_stood_still_has_no_stall():
    point = at(analysis.analyse(factory.experiment(threads=(1,)), "1/1"), "1/1", 1)
    assert point.stalls == Stalls(0, 0, 0)


def test_points_of_variants_that_the_plan_no_longer_names_come_last():
    experiment = factory.experiment(threads=(1,))
    experiment.plan["variants"] = [{"name": "0/0", "settings": {}}, {"name": "2/0", "settings": {}}]
    experiment.save()
    assert [point.variant for point in analysis.analyse(experiment, "0/0").points] == ["0/0", "2/0", "1/1"]
