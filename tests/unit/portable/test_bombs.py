"""A few kilobytes that unpack to millions of values are refused before they are parsed; and the process that parses is
held to its memory and time."""

import json
import resource
import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT
from dashboard.portable import apart, child, shape, strict_json
from dashboard.portable.archive import packed
from dashboard.portable.refused import NotImported
from tests.unit.portable import files
from tests.unit.portable.test_hostile_files import refusal
from workers.bench.plan import MOST_CELLS

SIZE = 32 << 20
BOMBS = {  # made when they are needed: every process that runs tests imports this file
    "lists": lambda: b"[" + b"[]," * ((SIZE - 9) // 3) + b"[]]",
    "objects": lambda: b"[" + b"{}," * ((SIZE - 9) // 3) + b"{}]",
    "numbers": lambda: b"[" + b"1," * ((SIZE - 9) // 2) + b"1]",
    "keys": lambda: b"{" + b",".join(b'"%x":0' % n for n in range(1_100_000)) + b"}",
    "depth": lambda: b"[" * (SIZE // 2) + b"]" * (SIZE // 2),
    "in a file of ours": lambda: (
        b'{"format":"%s","schema_version":1,"claims":{"claims":[' % shape.FORMAT.encode()
        + b"{}," * 10_000_000
        + b"{}]}}"
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", BOMBS)
def test_millions_of_values_are_refused_before_they_are_parsed(name, monkeypatch):
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("it was parsed"))
    limit = "1,000,000 texts" if name == "keys" else "6,000,000 values"
    assert f"more than {limit}" in refusal(packed({shape.INDEX: BOMBS[name]()}))


@pytest.mark.parametrize("kind", shape.NAMES)
def test_in_every_part(kind, monkeypatch):
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("it was parsed"))
    with pytest.raises(NotImported, match="values"):
        strict_json.read(BOMBS["lists"](), "a part", kind)


@pytest.mark.django_db
def test_the_largest_experiment_that_can_be_planned_is_far_from_it():
    """Counted from one that was exported: as many cells, trials and parts as there can be."""
    index = files.index_of(files.file_of(files.experiment()))

    def counts(thing):
        text = json.dumps(thing).encode()
        return sum(map(text.count, (b",", b"[", b"{"))) + 1, text.count(b'"') // 2 + 1

    for n, limit in enumerate((strict_json.MOST_VALUES, strict_json.MOST_TEXTS)):
        per_cell, per_trial = (max(counts(row)[n] for row in index[rows]) for rows in ("cells", "trials"))
        largest = counts(index)[n] + MOST_CELLS * per_cell + shape.MOST_TRIALS * per_trial
        assert 100_000 < largest < limit * 0.8


def test_the_process_that_reads_has_a_limit_of_memory():
    take = "bytearray(%d << 20)"
    program = f"from dashboard.portable import child; child.MEMORY_BYTES = 64 << 20; child.keep_limits(); {take}"
    enough = subprocess.run([sys.executable, "-c", program % 32], cwd=PROJECT, capture_output=True, check=False)
    too_much = subprocess.run([sys.executable, "-c", program % 128], cwd=PROJECT, capture_output=True, check=False)
    assert enough.returncode == 0, enough.stderr
    assert too_much.returncode == 1 and b"MemoryError" in too_much.stderr


def test_the_process_that_reads_has_a_limit_of_time():
    program = "from dashboard.portable import child; child.CPU_S = 1; child.keep_limits()\nwhile True: pass"
    ended = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, check=False, timeout=300)
    assert ended.returncode < 0


def test_a_file_is_read_where_the_priority_may_not_be_changed():
    """As under deploy/systemd/durascope-web.service."""
    refuse = "import os\ndef no(_): raise PermissionError\nos.nice = no\n"
    program = f"{refuse}from dashboard.portable import child; child.keep_limits()"
    read = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, check=False)
    assert read.returncode == 0, read.stderr


def test_an_import_that_runs_out_of_memory_says_so(monkeypatch):
    def full(*_):
        raise MemoryError

    before = [resource.getrlimit(limit) for limit in (resource.RLIMIT_DATA, resource.RLIMIT_CPU)]
    monkeypatch.setattr("dashboard.portable.child.keep_limits", lambda: None)
    monkeypatch.setattr("dashboard.portable.actions.import_file", full)
    what, fix = child.main('{"user": null, "via": ""}')["refused"]
    assert "more than 1024 MiB of memory. Nothing was stored." in what and fix
    assert before == [resource.getrlimit(limit) for limit in (resource.RLIMIT_DATA, resource.RLIMIT_CPU)]


def test_a_fault_of_ours_is_told_as_one(monkeypatch, caplog):
    """Not as too much memory: smaller files would not help."""

    def faulty(*_):
        raise KeyError("main_variant")

    monkeypatch.setattr("dashboard.portable.child.keep_limits", lambda: None)
    monkeypatch.setattr("dashboard.portable.actions.import_file", faulty)
    what, fix = child.main('{"user": null, "via": ""}')["refused"]
    assert what == "Reading it failed with an unexpected error (KeyError). Nothing was stored."
    assert "report" in fix and "main_variant" in caplog.text, "the log has the whole of it"


def test_a_child_that_failed_early_reports_an_unexpected_error():
    with pytest.raises(NotImported, match="Nothing was stored") as told:
        apart._understood(subprocess.CompletedProcess([], 1, b""))
    assert "unexpected error (exit status 1)" in told.value.message and "memory" not in told.value.message


@pytest.mark.parametrize("code", [-9, -24, 137])
def test_a_killed_child_reports_the_limits(code):
    with pytest.raises(NotImported, match="Nothing was stored") as told:
        apart._understood(subprocess.CompletedProcess([], code, b""))
    assert "1024 MiB of memory or 300 s" in told.value.message and told.value.fix
