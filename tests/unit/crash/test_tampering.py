"""Evidence that was tampered with is never valid, and untouched evidence always is."""

import pytest

from tests.unit.crash.tampering import SERVERS, judged, kinds, untouched
from workers.crash.verdict import verdict

ALL = [(server, *of) for server in SERVERS for of in kinds(server)]


@pytest.mark.parametrize("server", SERVERS)
def test_untouched_evidence_is_valid(server):
    found = judged(untouched(server))
    assert {result.key: result.says for result in found if result.outcome != "valid"} == {}
    assert {"altered", "binlog-foreign", "binlog-order", "binlog-rewritten"} <= {result.key for result in found}


def test_no_tampering_passes_as_valid():
    passed = [of for of in ALL if verdict(judged(kinds(of[0])[of[1:]](untouched(of[0])))) == "valid"]
    assert passed == []
    assert len({of[1:] for of in ALL}) >= 100


@pytest.mark.parametrize("server", SERVERS)
def test_a_ledger_that_was_changed_makes_everything_unknown(server):
    """A server must not be blamed for what was done to the ledger."""
    for (where, what), tamper in kinds(server).items():
        if where == "ledger":
            assert {result.outcome for result in judged(tamper(untouched(server)))} == {"unknown"}, what
