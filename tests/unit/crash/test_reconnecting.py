"""A client that reconnects: its outage, and what it says when there is none to measure."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.crash.case import all_well, bad, judged
from tests.unit.crash.test_witness_sockets import Server
from workers.crash import reconnecting, witness
from workers.crash.evidence import Seen
from workers.crash.judge import _counted
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.outage import ONE_CONNECTION, ClientOutage, longest
from workers.crash.reconnecting import AFTER_S, FIRST, MOST_WORDS, ReconnectingClient
from workers.crash.transactions import key
from workers.errors import Unreachable


def told(*connections):
    return [np.array(times, dtype=np.float64) for times in connections]


def test_the_outage_is_the_longest_time_between_commits_of_two_connections():
    """Not the pause of 5 s within one connection; a connection without commits is passed over."""
    assert longest(told([0.1, 0.2], [0.5], [], [2.0, 7.0])) == (0.5, 2.0)
    assert longest(told([0.5, 1.0], [9.0], [9.5])) == (1.0, 9.0), "not the latest"


@pytest.mark.parametrize("connections", [(), ([],), ([0.1, 9.0],), ([], [0.1])])
def test_without_two_connections_that_committed_there_is_no_outage(connections):
    assert longest(told(*connections)) is None


def test_an_outage_that_is_not_known_is_not_zero():
    assert ClientOutage(1.0, 1.5).seconds == 0.5
    assert ClientOutage().seconds is None
    assert ClientOutage(last_s=1.0).seconds is None
    assert ClientOutage() == ClientOutage(None, None, 0, 0, 0, None, "")


def test_a_client_that_is_not_let_in_again_makes_the_trial_unclear():
    evidence = all_well(outage=ClientOutage(failed=9, why="the client committed nothing afterwards: 1290: read-only"))
    assert bad(evidence) == {"client-back": "unknown"}
    assert "1290: read-only" in judged(evidence)["client-back"].says
    assert "0.50 s" in judged(all_well())["client-back"].says


def test_commits_that_were_acknowledged_afterwards_and_are_missing_are_counted():
    """Neither those before the outage nor those of other clients."""
    after = ClientLedger(FIRST + 1, 2, np.array([1.1, 1.2]))
    before = ClientLedger(FIRST, 4, np.array([0.05, 0.1, 0.2, 1.15]))
    ledger = Ledger((ClientLedger(0, 1, np.array([5.0])), before, after))
    seen = Seen(np.array([key(FIRST + 1, 2)]))
    counted = _counted(ClientOutage(0.2, 1.1, after=2), ledger, seen)
    assert (counted.missing, counted.after) == (2, 2)
    assert _counted(ClientOutage(0.2, 1.1, after=2), ledger, None).missing is None
    assert _counted(None, ledger, seen) is None


@pytest.fixture
def begun(monkeypatch):
    """`begun(connect, targets)`: a client at work."""
    made = []

    def begin(connect, targets=("address",)):
        monkeypatch.setattr(witness, "connect", connect)
        made.append(ReconnectingClient(lambda: targets, "s", b"known to tests.."))
        made[-1].begin(time.monotonic())
        return made[-1]

    yield begin
    for one in made:
        one.close()


def test_a_client_reconnects_after_each_error_under_another_number(begun):
    client = begun(Server(answers=40).connect)
    while sum(len(one.acknowledged_at_s) > 0 for one in client.connections()) < 2:
        time.sleep(0.01)
    found = client.outage(60, lambda: None)
    ledgers = client.ledgers()
    assert found.seconds > 0 and found.in_doubt > 0 and found.after > 0
    assert [one.client for one in ledgers] == list(range(FIRST, FIRST + len(ledgers)))
    assert Ledger(ledgers).fault(b"") == ""


def test_a_client_goes_on_at_the_next_address_and_keeps_the_answers_of_each(begun):
    refusing, working = Server(answers=1, refuses=True), Server()
    client = begun(lambda target, **_: (refusing if target == "old" else working).connect(target), ("old", "new"))
    client.outage(60, lambda: None)
    old, new = client.connections()
    assert (old.target, old.refused.says, old.in_doubt, len(old.acknowledged_at_s)) == ("old", "1047: no", 0, 0)
    assert (new.target, new.refused, new.ledger.client) == ("new", None, FIRST + 1) and len(new.acknowledged_at_s) > 0
    assert 0 < old.since_s < new.since_s < new.acknowledged_at_s[0]


def test_without_an_address_it_waits(begun):
    targets = []
    client = begun(Server().connect, targets)
    assert client.connections() == () and not client.has_committed


def test_a_client_that_is_refused_gives_the_reason(begun):
    def refuse(target, **_):
        raise Unreachable("Too many connections. " + "x" * MOST_WORDS)

    found = begun(refuse).outage(0.1, lambda: None)
    assert (found.seconds, found.after, found.in_doubt) == (None, 0, 0)
    assert found.failed > 0 and "committed nothing afterwards: Too many connections." in found.why


def test_a_server_that_stays_silent_is_left(begun, monkeypatch):
    """The last answer gets less time: nobody waits for it in vain."""
    monkeypatch.setattr(reconnecting, "SILENT_S", 0.05)
    monkeypatch.setattr(reconnecting, "LAST_ANSWER_S", 0.05)
    client = begun(Server(at_once=0).connect)
    while len(client.connections()) < 2:
        time.sleep(0.01)
    assert "committed nothing afterwards: the server gave no answer" in client.outage(0.1, lambda: None).why


def test_a_server_that_is_late_is_waited_for(begun):
    """Each answer comes after 0.3 s."""
    client = begun(Server(at_once=0).connect)
    assert client.outage(60, lambda: None).why == ONE_CONNECTION and len(client.connections()) == 1


def test_a_busy_server_gets_more_time_after_each_silence(begun, monkeypatch):
    """Else no client would ever see that it accepts commits, and it would count as one that does not."""
    monkeypatch.setattr(reconnecting, "SILENT_S", 0.05)
    client, deadline = begun(Server(at_once=0).connect), time.monotonic() + 20
    while not client.has_committed:
        assert time.monotonic() < deadline, "each answer comes after 0.3 s"
        time.sleep(0.01)


def test_a_busy_server_gets_more_time_for_the_login_too(begun):
    allowed_s, working = [], Server()

    def connect(target, timeout_s, **_):
        allowed_s.append(timeout_s)
        if len(allowed_s) < 7:
            raise Unreachable("no answer in time")
        return working.connect(target)

    client = begun(connect)
    while not client.has_committed:
        time.sleep(0.01)
    assert allowed_s == [1, 2, 4, 8, 8, 8, 8]


def test_a_client_that_kept_its_connection_has_no_outage(begun):
    client = begun(Server().connect)
    assert client.outage(60, lambda: None).why == ONE_CONNECTION and client.has_committed


def test_the_client_commits_for_a_while_after_the_outage(begun, monkeypatch):
    """So the result can say how many commits after the outage are missing."""
    slept = []
    monkeypatch.setattr(reconnecting, "time", SimpleNamespace(monotonic=time.monotonic, sleep=slept.append))
    begun(Server().connect).outage(60, lambda: None)
    assert slept[-1] == AFTER_S
    begun(Server(most=0).connect).outage(0.1, lambda: None)
    assert slept[-1] == 0, "there is nothing to wait for"


def test_a_client_that_committed_only_afterwards_has_no_outage(begun):
    server, refusals = Server(), [Unreachable("Not yet."), Unreachable("Not yet.")]

    def connect(target, **_):
        if refusals:
            raise refusals.pop()
        return server.connect(target)

    assert begun(connect).outage(60, lambda: None).why == ONE_CONNECTION


def test_a_cancelled_trial_does_not_wait_for_it(begun):
    def cancelled():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        begun(Server(most=0).connect).outage(60, cancelled)
