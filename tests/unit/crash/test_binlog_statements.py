"""A binary log of statements: the witness's rows follow from its INSERTs, as from row events."""

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.crash.binlog_bytes import SECRET, Binlog
from workers.crash.binlog import transactions
from workers.crash.transactions import TURN, key, statements

CLIENTS = 2


def logged(form, mariadb=True, change=lambda text: text):
    """Each transaction of two clients, in rows or as statements."""
    log, numbers = Binlog(mariadb=mariadb), range(1, TURN + 1)
    for gtid, (client, n) in enumerate(((client, n) for n in numbers for client in range(CLIENTS)), start=1):
        if form == "ROW":
            log.commit(client, n, gtid)
            continue
        log.gtid(gtid)
        for text in statements(SECRET, client, [n])[0]:
            if text not in (b"BEGIN", b"COMMIT"):
                log.query(change(text.decode()))
        log.xid()
    return log


def plain(found):
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(replace(found, read_to={}, end_at="")).items()
        if name not in ("seen", "gtids")
    } | {"seen": {name: value.tolist() for name, value in vars(found.seen).items()}, "gtids": dict(found.gtids)}


@pytest.mark.parametrize("mariadb", [True, False])
def test_statements_are_read_as_rows_are(seen, mariadb):
    found, wanted = (plain(seen(logged(form, mariadb))) for form in ("STATEMENT", "ROW"))
    assert found == wanted
    assert found["seen"]["whole"] == sorted(key(client, n) for client in range(CLIENTS) for n in range(1, TURN + 1))
    assert not (found["odd"] or found["others"] or found["gaps"] or found["scattered"])


def test_rows_may_come_in_both_forms(seen):
    """MIXED: the server chooses for each statement."""
    log = logged("STATEMENT")
    log.commit(7, 1, 21)
    assert key(7, 1) in seen(log).seen.whole and not seen(log).odd


def test_a_number_that_was_changed_alters_its_transaction(seen):
    def change(text):
        return f"{text[:-2]}{(int(text[-2]) + 1) % 10})" if "(1,5,0," in text else text

    found = seen(logged("STATEMENT", change=change))
    assert found.seen.altered.tolist() == [key(1, 5)] and key(1, 5) not in found.seen.whole


def test_a_statement_without_a_transaction_is_odd(seen):
    log = Binlog()
    log.gtid(1, standalone=True)
    log.query(statements(SECRET, 0, [1])[0][1].decode())
    found = seen(log)
    assert found.seen.whole.size == 0 and "rows outside a transaction" in found.odd.first[0]


def test_a_transaction_that_was_rolled_back_is_not_there(seen):
    log = Binlog()
    log.gtid(1)
    log.query(statements(SECRET, 0, [5])[0][0].decode())
    log.query("ROLLBACK")
    assert seen(log).seen.all().size == 0


def test_transactions_of_anybody_are_counted(tmp_path):
    """Of small histories: their statements are not the witness's."""
    log = Binlog()
    for number in (1, 2):
        log.gtid(number)
        log.query("INSERT INTO a VALUES (1, 'x')")
        log.xid()
    (tmp_path / "log.000001").write_bytes(log.data)
    assert transactions([tmp_path / "log.000001"]) == 2
