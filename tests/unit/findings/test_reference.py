"""The shipped reference counts: each stands in its document, and none can be taken for a measurement of the reader's
servers."""

import re

import pytest
from django.template.loader import render_to_string

from dashboard.findings.audit.audit import audit
from dashboard.findings.audit.in_words import audit_lines
from dashboard.findings.audit.subject import pasted
from dashboard.findings.crash.durability import Durability
from dashboard.findings.crash.reference import FILE, reference, setups
from dashboard.installation.home import PROJECT
from dashboard.records.servers.models import Preflight
from tests.unit.results import factory, trials
from workers.crash.kinds import CRASH_KINDS
from workers.servers.pasted.read import read
from workers.servers.settings import SETTINGS

FLUSH = {"innodb": "innodb_flush_log_at_trx_commit", "rocksdb": "rocksdb_flush_log_at_trx_commit"}
HELD, LOST = "0", re.compile(r"\*\*(all|[\d-]+)\*\*")


def chapter(one):
    """The text of a chapter that a setup names."""
    text = (PROJECT / one["document"]).read_text()
    (found,) = re.findall(rf"^## ({re.escape(one['chapter'])}\b.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found


def rows(text):
    """First cell of a row of a table -> the other cells. Of two tables, all."""
    cells = [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]
    return {row[0]: row[1:] for row in cells}


def level(engine, measured):
    return f"{measured['settings'][FLUSH[engine]]}/{measured['settings']['sync_binlog']}"


SETUP_DATA = FILE.data["setups"]
MATRICES = [one for one in SETUP_DATA if one["document"].endswith("crash-matrix.md") and "9.7.4" not in one["version"]]
POINTS = [one for one in SETUP_DATA if one["document"].endswith("crash-points.md")]


@pytest.mark.parametrize("setup", MATRICES, ids=lambda one: one["chapter"])
def test_each_count_of_a_matrix_is_that_of_its_document(setup):
    text = chapter(setup)
    assert setup["version"] in text.splitlines()[0]
    compared = 0
    for measured in setup["measured"]:
        if "rocksdb_manual_wal_flush" in measured["settings"]:
            continue  # in prose, see below
        cells = rows(text)[level(setup["engine"], measured)]
        for number, kind in enumerate(("process-kill", "power-loss", "torn-power-loss")):
            said = dict(zip(("engine", "binlog"), cells[2 * number : 2 * number + 2], strict=True))
            count = measured["crashes"][kind]
            assert count["of"] == (30 if setup["version"] == "10.11" and "1/1" in cells else count["of"])
            for place, cell in said.items():
                compared += 1
                if cell == HELD:
                    assert count[place] == 0
                    continue
                least = LOST.fullmatch(cell)[1].partition("-")[0]
                if least != "0":  # each trial of the cell lost some
                    assert count[place] == count["of"]
                else:  # the document must say how many did not
                    assert (
                        count.get(place) in (None, count["of"] - 1) and "one trial each" in text
                    ) or place not in count
            assert count["lost"] >= max(count.get("engine", 0), count.get("binlog", 0))
    assert compared == 36


@pytest.mark.parametrize(
    ("chapter_of", "says"),
    [
        ("", ["10 trials a cell"]),
        ("InnoDB: MySQL 8.0.33", ["one trial each that lost no acknowledged", "0/1 and 0/0 by a kill, 2/1 torn"]),
        ("InnoDB: MariaDB 10.11", ["4 trials a cell", "lost nothing in 30 of 30 each", "None of 76 trials is unknown"]),
        ("MyRocks: MariaDB 10.11.18", ["a kill lost nothing in 10 of 10", "power loss 458 to 3139 in 9 of 10"]),
        (
            "InnoDB: MySQL 9.7.4 and O_DIRECT",
            ["| **1 of 30** | **2 of 30** | 1 of 30 | 0 of 27 |", "| 1 of 30 | 0 of 30 |"],
        ),
    ],
)  # fmt: skip
def test_counts_that_stand_in_prose_stand_there(chapter_of, says):
    path = "docs/research/crash-matrix.md"
    text = chapter({"document": path, "chapter": chapter_of}) if chapter_of else (PROJECT / path).read_text()
    assert [one for one in says if one not in " ".join(text.split())] == []


@pytest.mark.parametrize("setup", POINTS, ids=lambda one: f"{one['version']} {one['engine']} {one['chapter']}")
def test_each_count_of_crash_points_is_that_of_its_document(setup):
    name = {"mariadb": "MariaDB", "mysql": "MySQL"}[setup["flavour"]] + f" {setup['version']}"
    cells = rows(chapter(setup))[name + (" with MyRocks" if setup["engine"] == "rocksdb" else "")]
    for measured in setup["measured"]:
        count = measured["crashes"]["every-crash-point"]
        if setup["chapter"] == "1/1":
            tried = count.get("tried", count["of"])
            assert cells[0] == f"{tried:,} of {count['loads']} loads"
            assert cells[1].partition(",")[0] == str(count.get("otherwise", 0))
            assert ("unclear" in cells[1]) == ("1 is unclear" in count["also"])
            assert cells[2] == f"{count['lost']} of {count['of']:,}"
            continue
        failed = count["lost"] + count.get("otherwise", 0)
        place = {"2/1": 0, "0/1": 3}[level(setup["engine"], measured)]
        assert cells[place : place + 3] == [str(count["of"]), str(failed), str(count["lost"])]
        one_load = setup["version"] == "9.7.4"
        assert ("last row is one load each" if one_load else "earlier load of each") in " ".join(chapter(setup).split())
        assert count["loads"] == (1 if one_load else 2)


def test_each_setup_names_known_things_once():
    seen = set()
    for one in setups():
        assert one.crashes.crash in CRASH_KINDS and one.ran.settings.keys() <= SETTINGS.keys() | {"log_bin"}
        place = (one.crashes.engine, one.crashes.crash, one.ran.flavour, one.ran.version[:2])
        key = (*place, *sorted(one.ran.settings.items()))
        assert key not in seen
        seen.add(key)
        if one.crashes.loads:
            assert "simulated disk" in one.crashes.also, "the caution of the document"


SERVER = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "1", "log_bin": "ON", "innodb_flush_method": "fsync"}


def referred(version="8.0.36", tried=None, flavour="mysql", **settings):
    return {one.crash: one.says for one in reference(Durability(flavour, version, SERVER | settings), tried or {})}


def test_a_reference_is_of_the_series_and_the_settings():
    assert referred()["power-loss"] == "commits lost in 10 of 10 power losses"
    assert referred()["process-kill"].startswith("nothing lost in 10 process kills (up to 31")
    assert referred()["every-crash-point"] == (
        "commits lost at 57 of 59 crash points of 2 loads; 1 of 59 failed in another way"
    )
    for other in ({"version": "8.4.3"}, {"flavour": "mariadb"}, {"innodb_flush_method": "O_DIRECT"},
                  {"sync_binlog": "7"}, {"innodb_doublewrite": "OFF"}):  # fmt: skip
        assert referred(**other) == {}, other


def test_a_crash_kind_tried_here_shows_no_reference():
    assert referred(tried={"innodb": {"power-loss": ()}}).keys() == {
        "process-kill", "torn-power-loss", "every-crash-point",
    }  # fmt: skip
    assert "power-loss" in referred(tried={"rocksdb": {"power-loss": ()}}), "of another engine"


TEXT = "\n".join(f"{name}\t{value}" for name, value in (SERVER | {"version": "8.0.36"}).items())
NOT_HERE = "measured by Durascope's authors on MySQL 8.0.33, not here"


@pytest.mark.django_db
def test_the_audit_shows_what_was_measured_here_else_a_reference():
    found = audit([pasted("A", read(TEXT))])
    (line,) = found.lines
    assert line.measured == () and [one.crash for one in line.reference][:2] == ["process-kill", "power-loss"]
    told = "\n".join(audit_lines(found))
    assert "Measured here: nothing with this version and these settings" in told
    assert f"Reference, not this server: power loss: commits lost in 10 of 10 power losses, {NOT_HERE} (docs/" in told
    one = trials.experiment({}, measured=0, levels={"2/1": 10.0})
    one.plan["variants"][0]["settings"] = SERVER
    one.save()
    row = factory.environment_row()
    row.data["server"] |= {"flavour": "mysql", "version": "8.0.36"}
    row.save()
    trials.add(one, {"2/1": {"power-loss": [(3, 0)] * 3}}, row)
    (line,) = audit([pasted("A", read(TEXT))]).lines
    assert [badge.kind for badge in line.measured] == ["power loss"]
    assert "power-loss" not in [each.crash for each in line.reference]


def test_a_reference_has_no_look_of_a_verdict():
    references = reference(Durability("mysql", "8.0.36", SERVER), {})
    html = render_to_string("servers/_reference.html", {"references": references})
    assert "badge" not in html and "href" not in html
    assert (
        html.count("not here (docs/research/") == 2
        and "Reference" in html
        and "(docs/research/crash-matrix.md)" in html
    )


@pytest.mark.django_db
def test_the_page_of_a_server_says_that_a_reference_was_not_measured_here(client_in):
    server = factory.server("new", host="new.example.org")
    facts = {"flavour": "mysql", "version_text": "8.0.36", "settings": SERVER, "words": []}
    said = {"outcome": "kept", "says": "", "rests_on": ""}
    report = [
        {"crash_class": crash, "what": what, "engine": engine} | said
        for crash in ("process kill", "power loss")
        for what, engine in (("engine", "InnoDB"), ("engine", "MyRocks"), ("binlog", ""), ("agreement", ""))
    ]
    Preflight.objects.create(server=server, state="done", facts=facts, durability=report)
    page = " ".join(client_in.get(f"/servers/{server.pk}/").text.replace("&#x27;", "'").split())
    assert f"{NOT_HERE}: commits lost in 10 of 10 power losses" in page, "from the engine"
    assert f"{NOT_HERE}: nothing lost in 10 power losses" in page, "from the binary log"
    assert page.count("not measured here") == len(report), "each line of the report"
    answer = client_in.get("/servers/audit/").text
    assert "Reference" in answer and "not measured here" in answer


def test_crash_points_without_a_loss_have_no_bound_and_a_reference_without_a_caution_adds_nothing():
    safe = {"innodb_flush_log_at_trx_commit": "1"}
    told = referred(**safe)["every-crash-point"]
    assert re.match(r"nothing lost at [\d,]+ crash points of \d+ loads; ", told)
    found = reference(Durability("mysql", "8.0.36", SERVER | safe), {})
    assert next(one for one in found if one.crash == "power-loss").in_full.endswith(").")
