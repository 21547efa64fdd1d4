"""What points say together, and how the page shows it: with data, without, and behind a share link."""

from dataclasses import replace

import pytest
from django.urls import reverse

from dashboard.charts.device import fsync_model, fsync_residuals
from dashboard.charts.registry import MODELS
from dashboard.findings import fitted as models
from dashboard.findings.analysis import analyse
from dashboard.findings.claims import evidence
from dashboard.findings.fitted import devices
from dashboard.findings.point import FsyncHistogram, SourcedFigure
from dashboard.findings.probed import probed_devices
from dashboard.records.experiments.models import Run
from tests.unit.findings import points
from tests.unit.results import factory
from workers.analysis.not_computable import NotComputable
from workers.analysis.scaling_law import ScalingLaw
from workers.analysis.statistics import Estimate

SIZES = (512, 4096, 65536, 1 << 20, 16 << 20)


def point(threads, tps, redo=(1.0, 5.0), binlog=(1.0, 5.0), variant="1/1", seconds=10, counts="commits", share=1):
    """`redo`, `binlog`: fsyncs per commit and the mean time of one; None: not known. `share`: commits of what is
    counted."""
    logs = {log: known for log, known in (("redo", redo), ("binlog", binlog)) if known}
    transactions = tps * seconds
    commits = share * transactions
    return points.point(
        variant=variant,
        threads=threads,
        tps=tps,
        transactions=transactions,
        counts=counts,
        commits=commits,
        fsyncs={log: SourcedFigure(each, "trace:fsync") for log, (each, _) in logs.items()},
        fsync_latency={
            log: FsyncHistogram("trace:fsync", each * commits, each * commits * ms, ms, {})
            for log, (each, ms) in logs.items()
            if ms and each
        },
    )


OLD = [point(1, 62, (2, 5.0)), point(16, 184, (1.1, 5.0)), point(64, 180, (1.05, 5.0))]
NEW = [point(1, 91), point(16, 944, (0.2, 5.0), (0.2, 5.0)), point(64, 3303, (0.05, 5.0), (0.054, 5.0))]


def test_group_commit_works_on_new_servers_and_not_on_old_ones():
    (old,), (new,) = models.lines(OLD), models.lines(NEW)
    assert old.group_commit["binlog"].verdict == "does not work"
    assert new.group_commit["binlog"].verdict == new.group_commit["redo"].verdict == "works"


def test_the_ceiling_is_computed_from_one_thread():
    (line,) = models.lines(NEW)
    assert line.ceiling.demand_ms == pytest.approx(10)
    assert line.ceiling.fsyncs == 2
    assert line.ceiling.source == "trace:fsync"


@pytest.mark.parametrize(
    "measured",
    [
        NEW[1:],  # no lone thread
        [point(1, 91, binlog=(1.0, None)), NEW[2]],  # the binlog's flushes were not timed
        [point(1, 91, None, None), NEW[2]],  # nothing was counted
        [point(1, 91, (0.01, 5.0), (0.0, 5.0)), NEW[2]],  # no commit waits
    ],
)
def test_where_it_is_not_known_there_is_no_ceiling_but_a_reason(measured):
    (line,) = models.lines(measured)
    assert line.ceiling.why
    assert line.commit_times[0].anatomy.why


def test_updates_are_not_set_against_fsyncs_per_commit():
    """16 threads that make 20,000 updates a second, each commit of theirs with 2 fsyncs of 5 ms: no 4000 %."""
    updates = [point(1, 4000, counts="updates", share=1 / 500), point(16, 20_000, counts="updates", share=1 / 500)]
    (line,) = models.lines(updates)
    refused = NotComputable("Its throughput counts updates, not commits.")
    assert line.ceiling == refused
    assert [(one.threads, one.anatomy) for one in line.commit_times] == [(1, refused), (16, refused)]
    assert not isinstance(models.lines(NEW)[0].ceiling, NotComputable)


def test_group_commit_is_judged_by_commits_not_by_updates():
    """80 commits of one thread say too little, however many updates they hold."""
    few = [point(1, 4000, counts="updates", share=1 / 500), point(16, 20_000, (0.2, 5.0), counts="updates", share=0.1)]
    (line,) = models.lines(few)
    assert line.group_commit["redo"].verdict == "unknown"
    more = [replace(few[0], commits=8000), few[1]]
    assert models.lines(more)[0].group_commit["redo"].verdict == "works"


def test_the_anatomy_adds_up():
    (line,) = models.lines(NEW)
    for one in (each.anatomy for each in line.commit_times):
        assert set(one.parts) == {"redo flush", "binlog flush"}
        assert sum(one.parts.values()) + one.rest_ms == pytest.approx(one.whole_ms)


@pytest.mark.parametrize(
    ("condition", "beyond_ms"),
    [("MYSQL_BIN_LOG::COND_done", 4), ("THD::COND_wakeup_ready", 9), ("of another server", 4)],
)
def test_waits_for_the_leader_are_a_part_where_they_were_timed(condition, beyond_ms):
    """Of 14 ms, 10 are flushes of two logs. MariaDB's leader makes but one of them."""
    wait = SourcedFigure(14.0, f"commit_waits:{condition}")
    last = models.lines([replace(one, group_wait_ms=wait) for one in NEW])[0].commit_times[-1].anatomy
    assert last.parts["group leader"] == pytest.approx(beyond_ms)
    assert "group leader" not in models.lines(NEW)[0].commit_times[-1].anatomy.parts


def test_the_answer_of_a_replica_is_a_part_where_each_commit_of_a_lone_thread_waits_for_one():
    wait = SourcedFigure(3.0, "status:Rpl_semi_sync_master_tx_wait_time")
    for waits, found in ((1.0, 3.0), (0.1, None), (None, None)):
        measured = [replace(one, replica_waits=waits, replica_wait_ms=wait) for one in NEW]
        assert models.lines(measured)[0].commit_times[-1].anatomy.parts.get("replica's answer") == found


def test_three_numbers_of_threads_are_too_few_for_a_law():
    assert "4 numbers of threads" in models.lines(NEW)[0].scaling_law.why
    more = [*NEW, point(4, 300), point(8, 560)]
    assert isinstance(models.lines(more)[0].scaling_law, ScalingLaw)


def test_redo_and_data_together_stand_for_the_redo_log():
    known = [replace(one, fsyncs={"redo and data": one.fsyncs["redo"]}) for one in NEW]
    assert models.lines(known)[0].group_commit["redo"].verdict == "works"


def sweep(k_ms=5.0, mb_per_s=100.0, rounds=8):
    times = [
        {"way": way, "size_bytes": size, "times_ms": [k_ms + size / mb_per_s / 1000] * rounds}
        for way in ("append", "overwrite")
        for size in SIZES
    ]
    return {"times": times, "took_s": 1.0, "left_out": []}


def test_each_device_has_its_model():
    found = devices(
        probed_devices([(1, {"storage": "", "sweep": sweep()}), (1, {"storage": "sata", "sweep": sweep(8)}), (1, {})])
    )
    assert [one.storage for one in found] == ["", "sata"]
    assert found[1].ways["append"].k_ms.value == pytest.approx(8)
    assert found[0].ways["overwrite"].follows == "follows"


@pytest.mark.django_db
def test_claims_are_judged_by_the_newest_sweep_of_a_device():
    one = measured_with_binlog()
    (first,) = one.probes.all()
    again = one.probes.create(server=first.server, data=first.data | {"sweep": sweep(8)})
    older = Run.objects.filter(cell__experiment=one).order_by("pk").last()
    assert older.probe == first
    Run.objects.filter(cell__experiment=one, cell__threads=64).update(probe=again)
    (judged,) = evidence.read(one)
    assert judged.flushes("1/1").k_ms.value == pytest.approx(8)


def test_the_chart_shows_the_rate_with_its_interval_and_none_that_is_infinite():
    """The largest cost of a byte is the lowest rate."""
    (found,) = devices(probed_devices([(1, {"sweep": sweep(mb_per_s=-1e15)})]))
    flat = found.ways["append"]
    some = replace(flat, ms_per_byte=Estimate(1e-5, 0.0, 2e-5))
    table = fsync_model([replace(found, ways={"append": some, "overwrite": flat})], {}).table
    rows = [dict(zip(table.raw_titles, row, strict=True)) for row in table.rows]
    shown = [(row["R, MB/s"], row["R from"], row["R to"], row["remark"]) for row in rows]
    assert shown == [
        (pytest.approx(100), pytest.approx(50), None, ""),
        (None, None, None, "the size had no measurable effect"),
    ]
    assert [row["half is transfer at"] for row in rows] == [pytest.approx(500_000), None]


@pytest.mark.parametrize(
    ("where", "named"),
    [
        ([(1, "")], ["disk"]),
        ([(1, ""), (1, "sata")], ["disk", "sata"]),
        ([(1, ""), (2, "")], ["disk of db1", "disk of db2"]),
        ([(1, "sata"), (2, "sata")], ["sata of db1", "sata of db2"]),
    ],
)
def test_devices_of_several_servers_have_the_names_of_their_servers(where, named):
    found = devices(probed_devices([(server, {"storage": storage, "sweep": sweep()}) for server, storage in where]))
    for draw in (fsync_model, fsync_residuals):
        drawn = draw(found, {1: "db1", 2: "db2"})
        ways = [f"{name}, {way}" for name in named for way in ("append", "overwrite")]
        assert list(dict.fromkeys(", ".join(row[:2]) for row in drawn.table.rows)) == ways
        assert list(dict.fromkeys(one.name for one in drawn.series)) == ways


def measured_with_binlog(**fields):
    """An experiment whose logs were timed, on a device that was measured by size."""
    one = factory.experiment(threads=(1, 2, 4, 8, 64), repeats=1, **fields)
    for probe in one.probes.all():
        probe.data |= {"sweep": sweep()}
        probe.save()
    for run in Run.objects.filter(cell__experiment=one, cell__variant="1/1"):
        run.latencies = [factory.latency(run.transactions), {**factory.latency(run.transactions), "files": "binlog"}]
        share = 1 / run.cell.threads
        counted = {"redo_fsyncs": share, "binlog_fsyncs": share}
        run.figures = [
            {**figure, "value": counted[figure["name"]] * run.transactions} if figure["name"] in counted else figure
            for figure in run.figures
        ]
        run.save()
    one.analysis = {}
    one.save()
    return one


def ignored(**counted):
    """60 % of the keys are there already, the binlog is off, each real commit has an fsync of its own."""
    one = factory.experiment({"1/1": 1000.0}, threads=(1, 16), repeats=1)
    one.plan["workloads"][0]["key"] = "insert-ignore"
    one.save()
    for run in Run.objects.filter(cell__experiment=one):
        shares = {"redo_fsyncs": 0.4, **counted}
        figures = [(name, share * run.transactions) for name, share in shares.items()]
        run.figures = [{"name": name, "value": value, "source": "trace:fsync", "note": ""} for name, value in figures]
        run.latencies = []
        run.save()
    return analyse(one, "1/1").lines[0]


@pytest.mark.django_db
def test_inserts_that_were_ignored_are_no_commits_that_share_fsyncs():
    line = ignored()
    assert line.group_commit["redo"].verdict == "unknown"
    assert line.ceiling.why == "Its throughput counts inserts tried, not commits."


@pytest.mark.django_db
def test_where_the_server_counts_commits_they_are_judged():
    redo = ignored(commits=0.4).group_commit["redo"]
    assert (redo.verdict, redo.alone) == ("does not work", pytest.approx(1))


@pytest.mark.django_db
def test_the_page_shows_what_is_known(client_in):
    one = measured_with_binlog()
    page = client_in.get(reverse("results:part", args=[one.pk, "how-it-works"])).text
    assert "Commits share fsyncs: group commit works." in page
    for key in ("group-commit", "ceilings", "scaling-law", "fsync-model", "fsync-residuals"):
        assert f'data-chart="{key}"' in page, key


@pytest.mark.django_db
def test_the_page_is_silent_where_nothing_is_known(client_in):
    one = factory.experiment(threads=(1,), figures=False)
    page = client_in.get(reverse("results:part", args=[one.pk, "how-it-works"])).text
    assert not any(f'data-chart="{key}"' in page for key in MODELS)


@pytest.mark.django_db
@pytest.mark.parametrize("key", sorted({*MODELS} - {"round-trips", "round-trip-latency"}))  # they need topologies
def test_charts_of_models_come_as_files(client_in, key):
    one = measured_with_binlog()
    chart = client_in.get(reverse("results:chart", args=[one.pk, key, "json"])).json()
    assert chart["series"] and chart["table"]["rows"]
    assert client_in.get(reverse("results:chart", args=[one.pk, key, "csv"])).status_code == 200


@pytest.mark.django_db
def test_bounds_and_curves_are_marked_as_not_measured(client_in):
    one = measured_with_binlog()
    fetch = lambda key: client_in.get(reverse("results:chart", args=[one.pk, key, "json"])).json()["series"]  # noqa: E731
    assert {bool(series.get("ceiling")) for series in fetch("ceilings")} == {True, False}
    assert {bool(series.get("fit")) for series in fetch("fsync-model")} == {True, False}
    assert not any(series.get("fit") or series.get("ceiling") for series in fetch("group-commit"))
