"""What is asked of a server after its recovery, and what a trial makes of the answers."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET
from tests.unit.crash.case import ledger
from tests.unit.crash.parts import Part, loaded
from tests.unit.crash.test_inspect import place
from workers.crash.evidence import BinlogSeen, Oddities, ReplicaSeen, Seen
from workers.crash.inspect import Inspector
from workers.crash.judge import judge, lost_work
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.left_out import LEFT_OUT
from workers.crash.outage import ClientOutage
from workers.crash.replica_check import RECONNECTIONS
from workers.crash.run import crash, recover
from workers.crash.setup_and_result import LostWork
from workers.crash.transactions import key
from workers.errors import ServerEnded

ALL = ledger().acknowledged()
LOST = np.array([key(1, 38), key(1, 39)])  # acknowledged 0.381 s and 0.391 s after the load began
LEFT = Seen(np.setdiff1d(ALL, LOST))
LOG = BinlogSeen(Seen(ALL), {}, "open", "binlog.000001:4")


class Look(Part):
    """Answers as an inspector does; `piece` notes what goes wrong."""

    def __init__(self, notes, **answers):
        found = {"engine": Seen(ALL), "prepared_left": 0, "tables_ok": True, "binlog": LOG, "rewritten": Oddities()}
        super().__init__("look", notes, **{**found, "gtid_position": "0-1-9", "write_on": True, **answers})
        self.problems, self.log, self.schema, self.secret = [], None, SCHEMA, SECRET

    gtids = Inspector.gtids

    def piece(self, name, read):
        try:
            return read()
        except Exception as failure:
            self.problems.append(f"{name}: {failure}")
            return None


def judged(
    notes=None, variables=None, setup=None, server=None, log_text="", replica=None, before=None, outage=None, **answers
):
    notes = [] if notes is None else notes
    crashed = crash(loaded(notes, "process-kill", **(server or {})))
    crashed.witness._answers["ledger"], crashed.witness.drained_at_s = ledger().sealed(SECRET), 0.5
    crashed.server.log_text = log_text
    crashed = replace(
        crashed,
        variables=variables or {},
        look=Look(notes, **answers),
        replica=replica,
        before=before,
        gtid_before="0-1-10",
        secret=SECRET,
        setup=replace(crashed.setup, **(setup or {})),
    )
    recovered = replace(recover(crashed), outage=outage)
    notes.clear()
    found = judge(recovered)
    return SimpleNamespace(**vars(found.so_far()), look=found.look)


BINLOG = {"log_bin": "ON"}
GTIDS = {"log_bin": "ON", "gtid_mode": "ON"}


def test_a_server_that_lost_nothing_is_valid():
    notes = []
    found = judged(notes, recover=SimpleNamespace(seconds=1.0, log_lines=("crash recovery begins", "hello")))
    assert (found.verdict, found.lost_engine, found.lost_binlog, found.lost_replica) == (
        "valid", LostWork(0, 0.0), None, None,
    )  # fmt: skip
    told = ["[evidence]", "look.engine", "look.prepared_left", "look.tables_ok", "[checks]"]
    assert notes == ["witness.ledger", *told, "witness.ledger"]


def test_lost_commits_are_counted_up_to_the_crash():
    found = judged(engine=LEFT, variables=BINLOG)
    assert found.verdict == "invalid"
    assert (found.lost_engine.transactions, found.lost_binlog) == (2, LostWork(0, 0.0))
    assert found.lost_engine.ms == pytest.approx(1000 * (0.5 - 0.381))


def test_lost_commits_that_were_acknowledged_after_the_crash_reach_to_the_last_one():
    both = np.array([key(0, 1), key(0, 2)])
    known = Ledger((ClientLedger(0, 2, np.array([0.4, 3.4])),))
    assert lost_work(known, Seen(both[:1]), 0.5) == LostWork(1, 0.0), "one alone has no span"
    assert lost_work(known, Seen(both[:0]), 0.5).ms == pytest.approx(3000)
    assert lost_work(known, Seen(both), 0.5) == LostWork(0, 0.0)


def test_commits_that_engine_and_binlog_both_lack_are_counted_once():
    """Of four commits each log lacks three."""
    four = np.array([key(1, n) for n in (36, 37, 38, 39)])
    engine, log = Seen(np.setdiff1d(ALL, four[:3])), replace(LOG, seen=Seen(np.setdiff1d(ALL, four[1:])))
    found = judged(engine=engine, binlog=log, variables=BINLOG)
    assert (found.lost_engine.transactions, found.lost_binlog.transactions, found.lost_both) == (3, 3, 2)
    assert judged(engine=engine).lost_both is None, "without a binlog"


def test_the_evidence_holds_all_that_was_read():
    lines = ("InnoDB: crash recovery begins", "hello")
    server = {"recover": SimpleNamespace(seconds=1.0, log_lines=lines)}
    evidence = judged(server=server, variables=BINLOG).evidence
    assert (evidence.binlog, evidence.rewritten, evidence.stays_down) == (LOG, Oddities(), "")
    assert (evidence.gtid_before, evidence.gtid_after) == ("0-1-10", "0-1-9")
    assert (evidence.binlog_expected, evidence.gtids_expected, evidence.replica_expected) == (True, False, False)
    assert (evidence.recovery_lines, evidence.problems) == (lines[:1], ())
    assert (evidence.gtids_known, evidence.reissued, evidence.replicas) == (True, (), ())
    assert judged(variables=BINLOG, gtid_position=None).evidence.gtid_after == ""


def test_without_a_binlog_none_is_read():
    evidence = judged().evidence
    assert (evidence.binlog, evidence.rewritten, evidence.binlog_expected) == (None, None, False)
    assert (evidence.gtid_after, evidence.reissued, evidence.gtids_known) == ("", (), True)


def test_a_binlog_that_cannot_be_read_is_not_compared():
    evidence = judged(variables=BINLOG, binlog=None).evidence
    assert (evidence.binlog, evidence.rewritten) == (None, None)


def test_commits_of_a_client_that_reconnected_and_are_missing_are_counted():
    outage = ClientOutage(0.1, 0.2, after=2)
    assert judged(outage=outage).evidence.outage.missing == 0
    assert judged().evidence.outage is None


@pytest.mark.parametrize(("attached", "others"), [(None, False), (SimpleNamespace(schema="s", service=""), True)])
def test_an_owners_server_may_hold_what_others_wrote(attached, others):
    assert judged(setup={"attached": attached}).evidence.others_write is others


@pytest.mark.parametrize(("attached", "left"), [(None, 0), ("", 0), ("Amazon RDS", 1)])
def test_only_of_a_managed_service_a_kill_is_left_out(attached, left):
    found = judged(setup={"attached": None if attached is None else SimpleNamespace(schema="s", service=attached)})
    assert sum(name.startswith(LEFT_OUT) for name in found.notes) == left


def test_of_a_server_that_refused_only_its_files_are_read():
    notes = []
    server = {"recover": ServerEnded("InnoDB: page 3 is corrupt.")}
    found = judged(notes, server=server, variables=GTIDS)
    evidence = found.evidence
    assert (found.verdict, evidence.stays_down) == ("invalid", "InnoDB: page 3 is corrupt.")
    assert (evidence.engine, evidence.binlog, evidence.gtids_known) == (None, LOG, False)
    assert evidence.problems == ("the server does not come back",)
    assert (found.lost_engine, found.lost_binlog) == (None, LostWork(0, 0.0))
    assert notes == ["witness.ledger", "look.binlog", "[checks]", "witness.ledger"]
    assert judged(server=server).evidence.binlog is None


def test_the_end_of_the_log_tells_why_a_server_refused():
    lines = ["[ERROR] early", *["hello"] * 398, "[ERROR] late", "bye"]
    refused = judged(server={"recover": ServerEnded("no")}, log_text="\n".join(lines))
    assert refused.evidence.recovery_lines == ("[ERROR] late",)


def test_gtids_of_acknowledged_transactions_must_not_be_given_out_again(tmp_path):
    before = place(tmp_path / "data", (0, 1), (0, 40), (9, 1))  # acknowledged, in doubt, never sent
    asked = {"variables": GTIDS, "before": before, "setup": {"attached": SimpleNamespace(schema=SCHEMA, service="")}}
    found = judged(**asked, reissued=("0-7-1",))
    assert (found.evidence.reissued, found.evidence.gtids_known) == (("0-7-1",), True)
    assert found.look.given["reissued"] == ({"0-7-1": key(0, 1)},)
    assert judged(**asked, reissued=None).evidence.gtids_known is False
    assert judged(**asked, write_on=False).evidence.gtids_known is False
    unread = judged(variables=GTIDS, reissued=())
    assert unread.evidence.gtids_known is False
    assert unread.evidence.problems[0].startswith("binlog before the crash: ")


FOLLOWED = tuple(ReplicaSeen(moment, "caught up", "", 0) for moment in RECONNECTIONS)


class Replica(Part):
    """A replica that holds all but two transactions."""

    def __init__(self, **answers):
        super().__init__("replica", [], **{"promote": LEFT, "reconnections": FOLLOWED, **answers})


def test_a_replica_tells_what_it_would_hold_as_the_new_primary(tmp_path):
    notes = []
    before = place(tmp_path / "data", (0, 1))
    found = judged(notes, variables=GTIDS, replica=Replica(), before=before, write_on=False, reissued=())
    assert found.lost_replica.transactions == 2
    assert (found.evidence.replicas, found.evidence.replica_expected) == (FOLLOWED, True)
    assert found.evidence.gtids_known and "look.write_on" not in notes, "the replica's primary has written on already"
    assert "[replica]" in notes


def test_behind_a_primary_that_cannot_write_on_reused_gtids_are_not_known(tmp_path):
    before = place(tmp_path / "data", (0, 1))
    unknown = (FOLLOWED[0], replace(FOLLOWED[1], state="unknown"))
    for replica in (Replica(reconnections=unknown), Replica(promote=ValueError("gone"))):
        found = judged(variables=GTIDS, replica=replica, before=before, write_on=False, reissued=())
        assert not found.evidence.gtids_known


@pytest.mark.parametrize(("fails", "lost"), [("promote", None), ("reconnections", 2)])
def test_a_replica_that_cannot_be_asked_is_not_known(fails, lost):
    found = judged(replica=Replica(**{fails: ValueError("gone")}))
    assert found.evidence.replicas == () and found.evidence.problems == ("replica: gone",)
    assert (found.lost_replica.transactions if found.lost_replica else None) == lost
