"""What the client knows, as sets of keys."""

import numpy as np

from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.transactions import client_of, key, number_of, rows_expected, shape, statements

NAN = float("nan")
LEDGER = Ledger((ClientLedger(0, 3, np.array([0.1, 0.2, NAN])), ClientLedger(5, 2, np.array([0.3, 0.4]))))


def test_it_tells_acknowledged_from_in_doubt_from_never_sent():
    assert LEDGER.sent().tolist() == [1, 2, 3, key(5, 1), key(5, 2)]
    assert LEDGER.acknowledged().tolist() == [1, 2, key(5, 1), key(5, 2)]
    assert LEDGER.in_doubt().tolist() == [3]


def test_it_knows_when_each_was_acknowledged():
    assert LEDGER.acknowledged_at_s(np.array([key(5, 2), 1])).tolist() == [0.4, 0.1]
    assert Ledger(()).sent().tolist() == []


def test_a_key_holds_client_and_number():
    keys = np.array([key(255, 123456789)])
    assert (client_of(keys)[0], number_of(keys)[0]) == (255, 123456789)


def test_statements_write_as_many_rows_as_the_checker_expects():
    for n in range(1, 21):
        written = sum(sql.count(b"(") for sql in statements(2, n))
        assert written == rows_expected(np.array([key(2, n)]))[0]


def test_all_shapes_take_their_turns():
    kinds = {(shape(n).rows, shape(n).two_tables, shape(n).explicit) for n in range(1, 11)}
    assert kinds == {(1, False, False), (1, False, True), (3, False, False), (3, False, True), (0, True, True)}
    assert statements(1, 14) == (
        b"BEGIN",
        b"INSERT INTO left_half VALUES (1,14)",
        b"INSERT INTO right_half VALUES (1,14)",
        b"COMMIT",
    )
    assert statements(1, 10) == (b"INSERT INTO one VALUES (1,10,0)",)
