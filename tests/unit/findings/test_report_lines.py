"""Each line of a server's durability report has the crash trials that tell about it, and no others."""

import pytest
from django.urls import reverse

from dashboard.findings.crash.badges import LikeTrials, TriedHere, tried_like
from dashboard.findings.crash.reference import ReferenceCrashes
from dashboard.findings.crash.report_lines import report_lines
from dashboard.records.servers.models import Preflight
from tests.unit.findings.tried import plain, tried, unclear
from tests.unit.results import factory, trials
from workers.servers.durability import DurabilityStatement
from workers.servers.risks import CRASHES

pytestmark = pytest.mark.django_db
BOTH = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "0"}


@pytest.fixture
def server():
    """1/0: after a power loss the binlog lost commits and the engine none."""
    one = trials.experiment({}, measured=0, levels={"1/0": 10.0})
    one.plan["variants"][0]["settings"] = BOTH
    one.save()
    rates = {"power-loss": [(0, 9)] * 3 + [(0, 0), None], "torn-power-loss": [(0, 0)], "process-kill": [(0, 0)] * 2}
    trials.add(one, {"1/0": rates}, factory.environment_row())
    made = factory.server("the one in question", host="h")
    facts = {"flavour": "mariadb", "version_text": "10.11.6-MariaDB-log", "settings": BOTH, "words": []}
    said = {"outcome": "kept", "says": "", "rests_on": ""}
    report = [
        {"crash_class": crash, "what": what, "engine": engine} | said
        for crash in CRASHES
        for what, engine in (("engine", "InnoDB"), ("engine", "MyRocks"), ("binlog", ""), ("agreement", ""))
    ]
    Preflight.objects.create(server=made, state="done", facts=facts, durability=report)
    return made


def test_each_line_counts_its_own_part(server):
    lines = report_lines(server.preflights.get().report, tried_like(server))
    found = {
        (line.statement.crash_class, line.statement.what, line.statement.engine): [
            (one.state, one.says) for one in line.measured
        ]
        for line in lines
    }
    assert found["process kill", "engine", "InnoDB"] == [("passed", "lost commits in 0 of 2 process kills")]
    assert found["process kill", "binlog", ""] == [("passed", "lost commits in 0 of 2 process kills")]
    assert found["power loss", "engine", "InnoDB"] == [
        ("unknown", "lost commits in 0 of 4 power losses"),
        ("passed", "lost commits in 0 of 1 torn power loss"),
    ]
    assert found["power loss", "binlog", ""][0] == ("failed", "lost commits in 3 of 4 power losses")
    assert found["power loss", "agreement", ""][0] == ("failed", "disagree in 3 of 4 power losses")
    assert found["power loss", "engine", "MyRocks"] == found["process kill", "engine", "MyRocks"] == []


def test_the_report_counts_unclear_trials(server):
    lines = report_lines(server.preflights.get().report, tried_like(server))
    assert [one.detail.rpartition(", ")[2] for line in lines for one in line.measured].count("1 unclear") == 3


def test_the_page_begins_with_the_report_and_leads_to_the_trials(client_in, server):
    html = client_in.get(reverse("servers:detail", args=[server.pk])).text
    headings = ("Durability report", "Connection", "Results", "Facts")
    places = [html.index(f"<h2>{heading}</h2>") for heading in headings]
    assert places == sorted(places)
    assert "lost commits in 3 of 4 power losses" in html and "not measured here" in html


def measured_with(server, version):
    one = server.preflights.get()
    one.facts["version_text"] = version
    one.save()
    return [found for line in report_lines(one.report, tried_like(server)) for found in line.measured]


def test_another_series_tells_nothing_of_the_lines(server):
    assert measured_with(server, "11.4.2-MariaDB") == []


def test_a_neighbour_version_is_named(server):
    assert not any(one.neighbour for one in measured_with(server, "10.11.6-MariaDB"))
    found = measured_with(server, "10.11.9-MariaDB")
    assert found and all(one.neighbour == "10.11.6" for one in found)


def measured(what, *crashes, crash_class="power loss", engine=""):
    """Of the report's line on `what`, what crashes of InnoDB say."""
    like = tuple(TriedHere(n, 0, 0, one) for n, one in enumerate(crashes))
    kinds = {crashes[0].kind: LikeTrials(like, "")}
    line = DurabilityStatement(crash_class, what, "kept", "", "", engine)
    (found,) = report_lines([line], {"innodb": kinds})
    return [(one.state, one.says, plain(one.detail)) for one in found.measured]


BIT = "too few to be sure"


@pytest.mark.parametrize(
    ("what", "crashes", "found"),
    [
        ("engine", [tried()], ("passed", "lost commits in 0 of 1 power loss", BIT)),
        ("engine", [unclear()] * 2, ("unknown", "power losses unclear", "2 unclear")),
        ("binlog", [tried(engine=5, binlog=None), unclear()], ("unknown", "power losses unclear", "2 unclear")),
        ("binlog", [tried(binlog=5)],
         ("failed", "lost commits in 1 of 1 power loss",
          "95 % lower bound 2.5 %")),
        ("agreement", [tried(binlog=5)],
         ("failed", "disagree in 1 of 1 power loss",
          "95 % lower bound 2.5 %")),
        ("agreement", [tried(engine=5, binlog=5)],
         ("passed", "disagree in 0 of 1 power loss",
          BIT)),
        ("agreement", [tried(engine=5, binlog=None)], ("unknown", "power losses unclear", "1 unclear")),
        ("agreement", [tried(engine=None, binlog=5)], ("unknown", "power losses unclear", "1 unclear")),
        ("engine", [tried(), unclear(verdict="", state="waiting")],
         ("passed", "lost commits in 0 of 1 power loss", BIT)),
    ],
)  # fmt: skip
def test_a_trial_that_cannot_tell_of_a_line_is_unclear_there(what, crashes, found):
    assert measured(what, *crashes) == [found]


def test_a_line_is_told_by_crashes_of_its_class_and_its_engine():
    power, kill = tried(), tried("process-kill")
    assert measured("engine", power, engine="InnoDB") and not measured("engine", power, engine="MyRocks")
    assert not measured("engine", kill) and measured("engine", kill, crash_class="process kill")
    assert not measured("engine", power, crash_class="process kill")
    assert not measured("engine", tried("lying-disk", engine=5)), "a control says nothing of the settings"


MEASURED_THERE = ReferenceCrashes(
    engine="innodb", crash="power-loss", kind="power loss", lost=7, of=10, engine_lost=3, binlog_lost=None,
    otherwise=0, tried=10, loads=0, on="MySQL 8.0.33", source="a document", also="",
)  # fmt: skip


@pytest.mark.parametrize(
    ("what", "crash_class", "engine", "says"),
    [
        ("engine", "power loss", "InnoDB", ["commits lost in 3 of 10 power losses"]),
        ("engine", "power loss", "", ["commits lost in 3 of 10 power losses"]),
        ("engine", "power loss", "MyRocks", []),
        ("engine", "process kill", "InnoDB", []),
        ("engine", "another", "InnoDB", []),
        ("binlog", "power loss", "", []),
        ("agreement", "power loss", "", []),
    ],
)
def test_a_reference_stands_at_the_line_of_which_it_counted_something(what, crash_class, engine, says):
    line = DurabilityStatement(crash_class, what, "kept", "", "", engine)
    (found,) = report_lines([line], {}, [MEASURED_THERE])
    assert [said for said, _ in found.reference] == says and not found.measured
