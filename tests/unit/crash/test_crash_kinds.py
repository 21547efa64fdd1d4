"""The crash kinds: what each of them loses, and what it asks of a server and of its disks."""

import textwrap
from pathlib import Path

import pytest

from tests.unit.crash.parts import prepared
from workers.bench.plan import OF_TWO_DISKS
from workers.crash.kinds import CRASH_KINDS
from workers.crash.kinds import kind as of_a_kind
from workers.sandbox.disk import ability

RECORDED = {"every-crash-point", "replica-crash-points", "small-histories"}
NO_COMMITS = {"lying-disk", "graceful-restart", "replica-crash-points", "small-histories"}
POWER_LOSSES = {"power-loss", "torn-power-loss", "lying-disk", *OF_TWO_DISKS, *RECORDED}


@pytest.mark.parametrize(
    ("says", "kinds"),
    [
        ("cuts_power", POWER_LOSSES),
        ("keeps_page_cache", {"process-kill", "graceful-restart", "kill-points"}),
        ("records", RECORDED | {"kill-points"}),
        ("needs_disk", POWER_LOSSES | {"kill-points"}),
        ("needs_two_disks", set(OF_TWO_DISKS)),
        ("with_replica", {"replica-crash-points"}),
        ("attached", {"attached-expendable"}),
        ("control", {"lying-disk", "graceful-restart"}),
        ("judges_commits", set(CRASH_KINDS) - NO_COMMITS),
    ],
)
def test_each_crash_kind_says_what_it_loses_and_what_it_needs(says, kinds):
    """ "keeps_page_cache": a loss after one of these is an error of the server, whatever its settings."""
    assert {key for key, kind in CRASH_KINDS.items() if getattr(kind, says)} == kinds


def test_every_kind_explains_itself():
    for key, kind in CRASH_KINDS.items():
        assert kind.key == key and kind.title and kind.says.endswith(".")


@pytest.mark.parametrize("kind", sorted(RECORDED | {"kill-points", "torn-power-loss"}))
def test_a_flush_takes_time_where_the_crash_may_come_in_the_middle_of_one(kind):
    begun = prepared([], kind)
    begun.kind.arm(begun.scene)
    assert begun.disk.given["storage"] == (1000, 80), "a flush of 700 us would seldom be caught half done"


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        ("process-kill", ["[kill]", "server.kill"]),
        ("graceful-restart", ["[stop]", "server.stop"]),
        ("attached-expendable", ["[kill]", "server.crash"]),
        ("power-loss", ["[freeze]", "disk.hold_flushes", "server.freeze"]),
    ],
)
def test_each_crash_takes_the_server_down_in_its_own_way_and_starts_the_same_one_again(kind, way):
    notes = []
    begun = prepared(notes, kind)
    begun.server._answers["crash"] = begun.server
    assert begun.kind.silence(begun.scene) is begun.server
    assert notes == way


def test_the_example_in_the_document_for_newcomers_is_a_crash_kind():
    document = Path(__file__).parents[3] / "docs/contributing/first-tasks.md"
    example = document.read_text().partition("       class ")
    known: dict[str, type[of_a_kind.CrashKind]] = {}
    exec(textwrap.dedent("".join(example[1:]).partition("\n\n   Optional")[0]), vars(of_a_kind) | {}, known)
    (made,) = known.values()
    notes = []
    begun = prepared(notes, "process-kill")
    assert made().silence(begun.scene) is begun.server
    assert notes == ["[freeze]", "server.freeze", "[kill]", "server.kill"]
    assert made.key and made.title and made.says.endswith(".")
    assert made.keeps_page_cache


def test_a_host_without_simulated_disks_has_the_kinds_that_need_none(monkeypatch):
    monkeypatch.setattr(ability, "missing", lambda: "Run as root.")
    available = {key for key, kind in CRASH_KINDS.items() if not kind.missing()}
    assert available == {"process-kill", "graceful-restart", "attached-expendable"}
    assert CRASH_KINDS["power-loss"].missing() == "Run as root."
