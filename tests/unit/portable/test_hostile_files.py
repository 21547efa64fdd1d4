"""Whatever is wrong with a file is found before anything of it is stored, and said."""

import io
import json
import struct
import zipfile

import pytest

from dashboard.portable import actions, archive, shape
from dashboard.portable.refused import NotImported
from dashboard.records.experiments.models import Environment, Experiment
from dashboard.records.servers.models import Server
from tests.unit.portable import files

pytestmark = pytest.mark.django_db
RUN, TRIAL = shape.RUN.format(0), shape.TRIAL.format(0)
ENVIRONMENT, PROBE = shape.ENVIRONMENT.format(1), shape.PROBE.format(1)


def refusal(file):
    """Why it is refused; nothing is stored."""
    before = Experiment.everything.count(), Server.everything.count(), Environment.objects.count()
    with pytest.raises(NotImported) as refused:
        actions.import_file(None, io.BytesIO(file))
    assert (Experiment.everything.count(), Server.everything.count(), Environment.objects.count()) == before
    assert "Nothing was stored" in str(refused.value) and refused.value.fix
    return str(refused.value)


def test_an_untouched_file_is_imported(file):
    """The control: what is refused below is refused for what was done to it."""
    assert files.imported(files.tampered(file)).is_imported


def test_a_file_of_an_older_plan_is_imported(file):
    def older(index):
        for name in ("load_workers", "main_variant", "main_threads"):
            index["plan"].pop(name, None)

    made = files.imported(files.tampered(file, older))
    assert made.is_imported and made.plan["main_variant"] == "" and made.finding


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", b"\0" * 1000, b"PK\x05\x06" + b"\0" * 17])
def test_bytes_that_are_no_zip_are_refused(content):
    assert "is not a file of Durascope" in refusal(content)


def test_an_empty_zip_is_refused():
    assert "experiment.json is missing" in refusal(b"PK\x05\x06" + b"\0" * 18)


def test_a_file_that_was_cut_off_is_refused(file):
    assert "it was cut off" in refusal(file[: len(file) // 2])


def test_a_file_with_a_flipped_bit_is_refused(file):
    place = file.index(RUN.encode()) + 200
    broken = bytearray(file)
    broken[place] ^= 0x55
    assert "damaged" in refusal(bytes(broken))


def zipped(*members, compression=zipfile.ZIP_DEFLATED):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", compression) as made:
        for name, content in members:
            made.writestr(name, content)
    return whole.getvalue()


@pytest.mark.parametrize(
    "name", ["../experiment.json", "/etc/passwd", "runs/../../x.json", "C:\\x.json", "runs/00000.json/x", "a\nb.json"]
)
def test_paths_outside_the_file_are_refused(name):
    assert "a part that no experiment has" in refusal(zipped((name, b"{}")))


def test_two_parts_of_one_name_are_refused():
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped(("experiment.json", b"{}"), ("experiment.json", b"{}"))
    assert "two parts of the same name" in refusal(twice)


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_an_unknown_compression_is_refused(compression):
    assert "packed in a way" in refusal(zipped(("experiment.json", b"{}"), compression=compression))


def test_an_encrypted_part_is_refused():
    locked = bytearray(zipped(("experiment.json", b"{}")))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    assert "packed in a way" in refusal(bytes(locked))


def test_a_part_that_unpacks_to_too_much_is_refused():
    bomb = zipped(("experiment.json", b" " * (archive.MOST_OF_A_PART + 1)))
    assert len(bomb) < 100_000
    assert "has more than 32 MiB" in refusal(bomb)


def test_parts_that_together_unpack_to_too_much_are_refused(monkeypatch):
    monkeypatch.setattr(archive, "MOST_UNPACKED", 1000)
    assert "Unpacked it would have" in refusal(zipped(*((f"runs/{n:05}.json", b" " * 300) for n in range(4))))


def test_a_directory_with_too_many_parts_is_refused(monkeypatch):
    monkeypatch.setattr(archive, "MOST_PARTS", 3)
    assert "too many parts" in refusal(zipped(*((f"runs/{n:05}.json", b"") for n in range(4))))


def test_a_directory_that_hides_its_number_of_parts_is_refused(file):
    """The number of entries is not what Python's reader goes by: the bytes are."""
    lying = bytearray(file)
    struct.pack_into("<HHI", lying, len(lying) - 14, 1, 1, archive.MOST_DIRECTORY + 1)
    assert "too many parts" in refusal(bytes(lying))


def test_a_part_that_hides_its_size_is_refused():
    lying = bytearray(zipped(("experiment.json", b" " * 5000)))
    for sign, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", lying, lying.index(sign) + place, 10)
    assert "experiment.json" in refusal(bytes(lying))


def test_a_zip64_directory_is_refused(file):
    end = file[-22:]
    assert "not written by Durascope" in refusal(file[:-22] + b"PK\x06\x07" + b"\0" * 16 + end)


def test_a_file_that_is_too_large_is_refused(file, monkeypatch):
    monkeypatch.setattr(archive, "MOST_PACKED", 1000)
    assert "are read" in refusal(file)


def test_a_zip_without_an_experiment_is_refused():
    assert "experiment.json is missing" in refusal(zipped(("cells/00001.json", b"{}")))


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"null", b"\xff\xfe", b'{"format": 1}', b"[" * 100_000])
def test_an_index_that_is_no_experiment_is_refused(content):
    assert "is not an experiment of Durascope" in refusal(zipped(("experiment.json", content)))


def test_a_newer_schema_version_is_refused(file):
    said = refusal(files.tampered(file, lambda index: index.update(schema_version=2)))
    assert "schema version 2; this Durascope reads up to 1" in said and "Update this installation" in said


@pytest.mark.parametrize("version", [0, -1, "1", 1.5, None, True, [1]])
def test_a_schema_version_that_never_existed_is_refused(file, version):
    assert "no schema version" in refusal(files.tampered(file, lambda index: index.update(schema_version=version)))


def test_a_missing_part_is_named(file):
    found = files.unpacked(file)
    for name in (RUN, TRIAL, ENVIRONMENT, PROBE):
        rest = {key: content for key, content in found.items() if key != name}
        assert f"The part {name} is missing" in refusal(archive.packed(rest))


def test_a_part_without_a_cell_or_trial_is_refused(file):
    assert "has no measurement or crash trial" in refusal(files.tampered(file, **{"runs/00099.json": b"{}"}))


WRONG = {  # what is done to the index -> what is said of it
    "plan.targets": lambda i: i["plan"].update(targets=[]),
    "extra_field": lambda i: i.update(extra_field=1),
    "experiment.state": lambda i: i["experiment"].update(state="running"),
    "experiment.seed": lambda i: i["experiment"].update(seed="42"),
    "experiment.created_at": lambda i: i["experiment"].update(created_at="yesterday"),
    "experiment.started_at": lambda i: i["experiment"].update(started_at="2026-03-01T12:00:00"),
    "experiment.baseline": lambda i: i["experiment"].update(baseline="x"),
    "plan.baseline": lambda i: i["plan"].update(baseline="x"),
    "experiment.name": lambda i: i["experiment"].update(name="x" * 121),
    "experiment.recipe": lambda i: i["experiment"].update(recipe="../x"),
    "cells.0.repeat": lambda i: i["cells"][0].update(repeat=True),
    "cells.0.threads": lambda i: i["cells"][0].update(threads=10**9),
    "cells, position 0: threads": lambda i: i["cells"][0].update(threads=3),
    "cells, position 0: server_id": lambda i: i["cells"][0].update(server_id=2),
    "cells, position 0: variant": lambda i: i["cells"][0].update(variant="another"),
    "cells, position 0: workload": lambda i: i["cells"][0].update(workload="another"),
    "cells.0.state": lambda i: i["cells"][0].update(state="running"),
    "cells: position": lambda i: i["cells"][1].update(position=0),
    "trials, position 0: server_id": lambda i: i["trials"][0].update(server_id=7),
    "trials, position 0: environment": lambda i: i["trials"][0].update(environment=99),
    "trials, position 0: it repeats": lambda i: i["trials"][0].update(repeat_of=0),
    "trials, position 1: it repeats": lambda i: i["trials"][1].update(repeat_of=99),
    "trials.0.lost_engine": lambda i: i["trials"][0].update(lost_engine=-1),
    "trials.0.kind": lambda i: i["trials"][0].update(kind="<b>"),
    "trials.0.sent": lambda i: i["trials"][0].update(sent=2**31),
    "more is lost than": lambda i: i["trials"][-1].update(acknowledged=None),
    "lost_engine is not what its evidence": lambda i: i["trials"][0].update(lost_engine=7),
    "plan.threads": lambda i: i["plan"].update(threads=[8, 8]),
    "plan.variants": lambda i: i["plan"].update(variants=[i["plan"]["variants"][0]] * 2),
    "their server_id is not their place": lambda i: i["plan"]["targets"][0].update(server_id=5),
    "plan.variants.0.engine": lambda i: i["plan"]["variants"][0].update(engine="InnoDB; DROP"),
    "plan.crash.load_s": lambda i: i["plan"]["crash"].update(load_s=1e17),
    "probes: server": lambda i: i.update(probes=[9]),
    "environments": lambda i: i.update(environments=-1),
    "environments/00002.json": lambda i: i.update(environments=2),
    "claims": lambda i: i.update(claims={"title": "x", "changed": [], "variants": [], "workloads": [], "claims": [{}]}),
    "export.at": lambda i: i["export"].update(at=5),
}


@pytest.mark.parametrize("said", WRONG)
def test_a_wrong_value_in_the_index_is_named(file, said):
    assert said in refusal(files.tampered(file, WRONG[said]))


def run_with(file, **changes):
    run = {**json.loads(files.unpacked(file)[RUN]), **changes}
    return files.tampered(file, **{RUN: json.dumps(run).encode()})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"elapsed_s": 0}, "elapsed_s"),
        ({"elapsed_s": float("nan")}, "NaN is no number of JSON"),
        ({"elapsed_s": float("inf")}, "Infinity is no number"),
        ({"transactions": -1}, "transactions"),
        ({"transactions": 1.5}, "transactions"),
        ({"transactions": 10**30}, "too large"),
        ({"environment": 9}, "environment: there is no number 9"),
        ({"probe": 9}, "probe: there is no number 9"),
        (
            {"figures": [{"name": "redo_fsyncs", "value": "5", "source": "x", "note": ""}]},
            "stored 0.value",
        ),
        ({"latencies": [{"buckets": {"x": 1}}]}, "latencies.0"),
        ({"command": "sysbench"}, "command"),
        ({"effective": {"sync_binlog": 1}}, "effective.sync_binlog"),
        ({"started_at": None}, "started_at"),
        ({"series": {"t_s": [1], "tps": ["x"]}}, "series.tps.0"),
        ({"series": {"t_s": [1], "tps": [float("nan")]}}, "NaN is no number of JSON"),
        ({"series": {"t_s": [1], "tps": [1e17]}}, "series.tps.0"),
        ({"series": {"t_s": [1], "tps": [-5]}}, "series.tps.0"),
        ({"series": {"t_s": [1], "tps": [None]}}, "tps is missing"),
        ({"series": {"t_s": [1]}}, "tps is missing"),
        ({"series": {"t_s": [1], "tps": [1], "=1+1": [1]}}, "series.=1+1"),
        ({"histogram": [[2, 1], [1, 1]]}, "do not ascend"),
        ({"histogram": [[2, 1.5]]}, "a count of its histogram is not a whole number"),
        ({"histogram": [[-2, 1]]}, "histogram.0.0"),
        ({"histogram": [[2]]}, "histogram.0"),
        ({"output": "a\0b"}, "a NUL"),
    ],
)
def test_a_wrong_value_in_a_run_is_named(file, changes, said):
    assert said in refusal(run_with(file, **changes))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (RUN, b'{"elapsed_s": 1e999}', "1e999 is too large"),
        (TRIAL, b'{"steps": [{"at_s": -1e18}]}', "-1e18 is too large"),
        (RUN, b'{"a": 1, "a": 2}', "two values of the same name"),
        (RUN, b'{"command": ["\\u0000"]}', "a NUL"),
        (RUN, b'{"command": ["\\ud800"]}', "cannot be read"),
        (RUN, b'{"a": ' + b"[" * 30 + b"]" * 30 + b"}", "nested too deeply"),
        (RUN, b"[" * 20000, "nested too deeply"),
        (RUN, b"\xff", "cannot be read"),
        (ENVIRONMENT, b'{"host": 5}', "host"),
        (ENVIRONMENT, b'{"host": {"cores": "many"}}', "stored host.cores"),
        (ENVIRONMENT, b'{"server": {"variables": [1]}}', "server.variables"),
        (PROBE, b"{}", "flushes"),
        (TRIAL, b"{}", "checks"),
        (PROBE, b'{"flushes": [{"way": "append"}]}', "flushes"),
        (PROBE, b'{"flushes": [], "promise": 5}', "promise"),
    ],
)
def test_a_part_with_wrong_content_is_refused(file, name, content, said):
    assert said in refusal(files.tampered(file, **{name: content}))


@pytest.mark.parametrize("name", ["checks", "steps", "failover"])
def test_evidence_that_no_page_can_show_is_refused(file, name):
    evidence = {**json.loads(files.unpacked(file)[TRIAL]), name: [{"promoted": 1}]}
    assert f"{TRIAL}: {name}" in refusal(files.tampered(file, **{TRIAL: json.dumps(evidence).encode()}))


@pytest.mark.parametrize(
    ("position", "neither", "said"),
    [
        (4, 1897, ""),
        (4, 1898, "acknowledged_in_neither is more than lost_engine"),
        (0, 1, "acknowledged_in_neither is more than lost_engine"),
        (6, 1, "acknowledged_in_neither is more than lost_binlog"),
    ],
)
def test_no_more_commits_are_missing_from_both_logs_than_from_one(file, position, neither, said):
    """The engine lost 1,897 of trial 4 and 948 of trial 6; the binlog lost 20,000 and none."""
    name = shape.TRIAL.format(position)
    evidence = json.loads(files.unpacked(file)[name])
    evidence["sets"]["acknowledged_in_neither"] = neither
    changed = files.tampered(file, **{name: json.dumps(evidence).encode()})
    if said:
        assert said in refusal(changed)
    else:
        assert files.imported(changed).is_imported


@pytest.mark.parametrize(("unknown", "known"), [("engine", "binlog"), ("binlog", "engine")])
def test_one_known_loss_bounds_the_commits_that_are_missing_from_both(file, unknown, known):
    name = shape.TRIAL.format(4)
    evidence = json.loads(files.unpacked(file)[name])
    evidence["sets"]["acknowledged_in_neither"] = 20_001

    def forget(index):
        index["trials"][4][f"lost_{unknown}"] = None

    changed = files.tampered(file, forget, **{name: json.dumps(evidence).encode()})
    assert f"acknowledged_in_neither is more than lost_{known}" in refusal(changed)


def test_the_verdict_of_an_imported_trial_follows_from_its_checks(file):
    """A file has no place for one: it follows from the checks."""
    evidence = json.loads(files.unpacked(file)[TRIAL])
    evidence["checks"][2]["outcome"] = "invalid"
    imported = files.imported(files.tampered(file, **{TRIAL: json.dumps(evidence).encode()}))
    assert imported.trials.get(position=0).verdict == "invalid"
    index = files.index_of(file)
    assert not any("verdict" in trial for trial in index["trials"])
    assert "trials.0.verdict" in refusal(files.tampered(file, lambda i: i["trials"][0].update(verdict="valid")))


@pytest.mark.parametrize(("outcome", "verdict"), [("invalid", "invalid"), ("valid", "unknown")])
def test_a_trial_that_broke_off_is_unknown_unless_it_had_found_a_violation(file, outcome, verdict):
    evidence = json.loads(files.unpacked(file)[TRIAL])
    evidence["checks"][2]["outcome"], evidence["failed_at"] = outcome, "violations"
    imported = files.imported(files.tampered(file, **{TRIAL: json.dumps(evidence).encode()}))
    assert imported.trials.get(position=0).verdict == verdict


def test_a_file_whose_figures_cannot_be_computed_is_refused(file, monkeypatch, caplog):
    """The last net: whatever the checks let through, no page may break on it."""
    monkeypatch.setattr("dashboard.portable.actions.analysis_of", lambda _: 1 / 0)
    assert "cannot be computed (ZeroDivisionError)" in refusal(file)
    assert "cannot be computed" in caplog.text


@pytest.mark.parametrize("failure", [MemoryError(), OSError(28, "No space left on device")])
def test_lack_of_memory_or_disk_is_not_called_a_fault_of_the_file(file, monkeypatch, failure):
    def fail(_):
        raise failure

    monkeypatch.setattr("dashboard.portable.actions.analysis_of", fail)
    with pytest.raises(type(failure)):
        files.imported(file)
    assert not Experiment.objects.filter(imported_digest__gt="").exists()


def test_an_error_of_the_database_is_told(file, caplog):
    index = files.index_of(file)
    content = actions.Content(io.BytesIO(file))
    Server.everything.create(name=f"Server A (server 1 of import {content.digest[:12]})", kind="imported")
    assert index and "The database did not take it (IntegrityError)" in refusal(file)


def test_two_imports_of_one_file_at_once_store_it_once(file, monkeypatch):
    """Both look, neither is there; the database keeps one."""
    first = files.imported(file)
    answers = iter([None, first])
    monkeypatch.setattr(actions, "_known", lambda _: next(answers))
    again = actions.import_file(None, io.BytesIO(file))
    assert (again.experiment, again.is_new) == (first, False)
    assert Server.everything.filter(kind="imported").count() == 1


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_moment_outside_the_calendar_is_refused(file, moment):
    def edge(index):
        index["experiment"]["started_at"] = moment

    assert "a moment is outside the calendar" in refusal(files.tampered(file, edge))
