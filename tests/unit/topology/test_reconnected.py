"""The clients after the fault: how many there are, where they go, and when all of them have an answer."""

from contextlib import nullcontext

import numpy as np
import pytest

from tests.unit.topology.failures import SECRET
from workers.crash.client import ConnectionLedger
from workers.crash.ledger import ClientLedger
from workers.topology import semi_sync_status
from workers.topology.reconnected import FIRST, MOST, SPAN, ReconnectedClients
from workers.topology.semi_sync_status import counters
from workers.topology.topology import parse


class Client:
    def __init__(self, targets, schema, secret, first):
        self.targets, self.first, self.done, self.answers = targets, first, [], [[]]

    def __getattr__(self, call):
        return lambda *given: self.done.append((call, *given))

    def connections(self):
        return tuple(
            ConnectionLedger(None, 2.0, ClientLedger(self.first + n, len(times), np.array(times)), None)
            for n, times in enumerate(self.answers)
        )


@pytest.fixture
def clients():
    made = []
    after = ReconnectedClients(2, SECRET, lambda *given: made.append(Client(*given)) or made[-1])
    return after, made


def test_each_client_has_numbers_of_its_own_and_begins_once(clients):
    after, made = clients
    assert [one.first for one in made] == [FIRST, FIRST + SPAN]
    after.begin(10.0)
    after.begin(11.0)
    assert [one.done for one in made] == [[("begin", 10.0)]] * 2


@pytest.mark.parametrize(("asked", "made"), [(3, 3), (MOST + 9, MOST)])
def test_there_are_never_more_clients_than_measure_anything(asked, made):
    assert len(ReconnectedClients(asked, SECRET, Client).by_client()) == made


def test_new_connections_lead_where_clients_reach_and_nowhere_after_the_end(clients):
    after, made = clients
    assert made[0].targets() == ()
    after.reach(["one", "two"])
    assert made[1].targets() == ("one", "two")
    after.close()
    assert made[1].targets() == () and [one.done for one in made] == [[("end",), ("close",)]] * 2


def test_all_have_answered_when_each_client_has_an_answer_on_any_connection(clients):
    after, made = clients
    assert not after.all_answered()
    made[0].answers = [[np.nan], [2.5, np.nan]]
    assert not after.all_answered()
    made[1].answers = [[2.6]]
    assert after.all_answered()
    assert len(after.ledger().acknowledged()) == 2 and not after.ledger().fault(SECRET)


@pytest.mark.parametrize("word", ["master", "source"])
def test_the_counters_of_either_name_are_those_of_the_primary(monkeypatch, word):
    said = {f"Rpl_semi_sync_{word}_yes_tx": "88", f"Rpl_semi_sync_{word}_no_tx": "3", "Rpl_semi_sync_slave_yes_tx": "1"}
    monkeypatch.setattr(semi_sync_status, "connect", lambda target, **_: nullcontext(said))
    monkeypatch.setattr(semi_sync_status.ask, "names_to_values", lambda connection, sql: connection)
    found = counters(parse("semi-sync"), "primary")
    assert (found.acknowledged, found.not_acknowledged) == (88, 3)
    assert semi_sync_status.semi_sync_status(said) == {"yes_tx": "88", "no_tx": "3"}, "the primary's half"
    assert counters(parse("async"), "primary") is None
    said.clear()
    assert counters(parse("semi-sync"), "primary") is None
