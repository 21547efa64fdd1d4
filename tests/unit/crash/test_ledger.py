"""What the client knows, as sets of keys."""

import numpy as np
import pytest

from tests.unit.crash.binlog_bytes import SECRET, digest_of
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.transactions import client_of, key, number_of, rows_expected, shape, statements

NAN = float("nan")
LEDGER = Ledger((ClientLedger(0, 3, np.array([0.1, 0.2, NAN])), ClientLedger(5, 2, np.array([0.3, 0.4]))))


def test_acknowledged_in_doubt_and_unsent_transactions_are_told_apart():
    assert LEDGER.sent().tolist() == [1, 2, 3, key(5, 1), key(5, 2)]
    assert LEDGER.acknowledged().tolist() == [1, 2, key(5, 1), key(5, 2)]
    assert LEDGER.in_doubt().tolist() == [3]


def test_the_ledger_knows_when_each_transaction_was_acknowledged():
    assert LEDGER.told_at_s(np.array([key(5, 2), 1])).tolist() == [0.4, 0.1]
    assert Ledger(()).sent().tolist() == []


def test_a_key_holds_client_and_number():
    keys = np.array([key(255, 123456789)])
    assert (client_of(keys)[0], number_of(keys)[0]) == (255, 123456789)


def test_statements_write_as_many_rows_as_the_checker_expects():
    for n in range(1, 21):
        written = sum(sql.count(b"(") for sql in statements(SECRET, 2, [n])[0])
        assert written == rows_expected(np.array([key(2, n)]))[0]


def test_each_shape_of_transaction_has_its_turn():
    kinds = {(shape(n).places, shape(n).explicit) for n in range(1, 11)}
    assert kinds == {((0,), False), ((0,), True), ((0, 1, 2), False), ((0, 1, 2), True), ((3, 4), True)}
    assert all(shape(n) == shape(10) and not shape(n).explicit for n in (5, 6, 7, 8, 9))
    left, right, plain = (digest_of(1, n, place) for n, place in ((14, 3), (14, 4), (10, 0)))
    assert statements(SECRET, 1, [14, 10]) == [
        (
            b"BEGIN",
            b"INSERT INTO left_half VALUES (1,14,%d)" % left,
            b"INSERT INTO right_half VALUES (1,14,%d)" % right,
            b"COMMIT",
        ),
        (b"INSERT INTO one VALUES (1,10,0,%d)" % plain,),
    ]


def test_an_explicit_transaction_inserts_row_by_row_and_another_one_all_at_once():
    (once,), by_row = statements(SECRET, 1, [2, 3])
    assert once.count(b"(") == 3
    assert [sql.count(b"(") for sql in by_row] == [0, 1, 1, 1, 0]


def client(number=0, sent=3, times=(0.1, 0.2, NAN)):
    return ClientLedger(number, sent, np.array(times))


@pytest.mark.parametrize(
    ("clients", "says"),
    [
        ((client(), client(1, 1, (0.1,))), ""),
        ((client(0, 1, (NAN,)), client(1, 0, ())), ""),
        ((client(times=(0.1, 0.1, NAN)),), ""),
        ((client(), client()), "a client is there twice"),
        ((client(sent=4),), "sent 4 transactions and has 3 answers"),
        ((client(times=(0.1, NAN, 0.3)),), "went on without an answer"),
        ((client(times=(0.2, 0.1, NAN)),), "an answer that came before"),
    ],
)
def test_a_ledger_that_contradicts_itself_says_so(clients, says):
    found = Ledger(clients).fault(b"")
    assert says in found and bool(says) == bool(found)


def test_the_ledger_knows_when_a_transaction_of_any_client_was_told():
    asked = np.array([key(0, 0), key(0, 2), key(0, 3), key(0, 4), key(7, 1), key(5, 2)])
    assert LEDGER.told_at_s(asked).tolist() == [-np.inf, 0.2, np.inf, np.inf, np.inf, 0.4]


def known_until(at_s, margin_s=0.0):
    """Per client: numbers sent and acknowledged."""
    cut = LEDGER.until(at_s, SECRET, margin_s)
    assert cut.fault(SECRET) == "", "a cut ledger is sealed and does not contradict itself"
    return [(one.sent, int((~np.isnan(one.acknowledged_at_s)).sum())) for one in cut.clients]


@pytest.mark.parametrize(
    ("at_s", "known"),
    [
        (-0.1, [(0, 0), (0, 0)]),
        (0.0, [(1, 0), (1, 0)]),
        (0.1, [(2, 1), (1, 0)]),
        (0.25, [(3, 2), (1, 0)]),
        (0.35, [(3, 2), (2, 1)]),
        (9.0, [(3, 2), (2, 2)]),
    ],
)
def test_a_number_is_sent_at_the_answer_to_the_number_before(at_s, known):
    assert known_until(at_s) == known


def test_a_commit_within_the_margin_of_the_clocks_is_in_doubt():
    assert known_until(0.25, margin_s=0.06) == [(3, 1), (2, 0)]
    assert known_until(0.35, margin_s=0.06) == [(3, 2), (2, 0)]
    assert known_until(0.03, margin_s=0.06) == known_until(-0.05, margin_s=0.06) == [(1, 0), (1, 0)]
    assert LEDGER.until(0.35, SECRET, 0.06).in_doubt().tolist() == [3, key(5, 1), key(5, 2)]


def test_only_as_many_of_the_last_numbers_may_lack_an_answer_as_are_in_doubt():
    assert [LEDGER.until(0.25, SECRET, margin_s).clients[0].open_end for margin_s in (0.0, 0.06)] == [1, 2]
    assert LEDGER.until(9.0, SECRET).clients[1].open_end == 1, "also where none is in doubt"


def test_a_cut_ledger_that_was_changed_afterwards_is_refused():
    cut = LEDGER.until(0.35, SECRET)
    assert cut.in_doubt().tolist() == [3, key(5, 2)]
    assert "not the one that the witness wrote" in Ledger(cut.clients[:1], cut.seal).fault(SECRET)
