"""A person's own transaction in a crash trial.

Each transaction of the witness also holds the statements of the own transaction. The ledger's rows say which
transactions are acknowledged, in doubt or lost, as in every trial. The own rows follow from the trial's secret, the
client and the number, so after the crash each of them is compared: a transaction that is there only in part is called.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from workers.crash.evidence import Seen, together
from workers.crash.transactions import CLIENT_SHIFT, Keys, key, keys_found, statements
from workers.errors import SandboxError
from workers.servers import ask
from workers.servers.limited import Connection
from workers.transaction.declaration import Declaration, Statement, Transaction
from workers.transaction.predict import Cells, Prediction, Rows, predict
from workers.transaction.values import Drawn, literal

AHEAD_BYTES = 1 << 20  # of the statements that a client prepares at once
FIRST = 1 << CLIENT_SHIFT  # rows from before the load have smaller numbers
PRESENT = "SELECT table_name, engine FROM information_schema.tables WHERE table_schema = %s"
Found = Mapping[int, Rows]  # key of a transaction -> its own rows


@dataclass(frozen=True)
class OwnLoad:
    declaration: Declaration

    @cached_property
    def prediction(self) -> Prediction:
        return predict(self.declaration)

    @cached_property
    def _used(self) -> dict[str, list[str]]:
        """Name of a transaction -> the values of its changes, each once, without those of the server."""
        found: dict[str, list[str]] = {}
        for one in self.declaration.transactions:
            names = dict.fromkeys(name for each in one.writes for name in each.values)
            found[one.name] = [name for name in names if name not in self.declaration.by_server]
        return found

    @cached_property
    def _templates(self) -> dict[str, list[list[str]]]:
        """Name of a transaction -> its changes, in pieces: SQL and names of values by turns."""
        return {
            one.name: [_template(self.declaration, each) for each in one.writes]
            for one in self.declaration.transactions
        }

    @cached_property
    def _at_once(self) -> int:
        """Transactions that may be prepared together."""
        values = self.declaration.values
        sizes = (
            sum(len(each.sql(lambda name: " " * values[name].bytes)) for each in chosen.writes)
            for chosen in self.declaration.transactions
        )
        return max(1, AHEAD_BYTES // max(sizes))

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(table.name for table in self.declaration.tables)

    def make(self, connection: Connection, schema: str, engine: str) -> None:
        """Make and fill the tables. SandboxError when the server silently takes another engine."""
        connection.select_db(schema)
        chance = random.Random(1)  # noqa: S311 - no secret
        for sql in self.declaration.create(engine):
            ask.rows(connection, sql)
        for table in self.declaration.tables:
            for sql in self.declaration.fill(table, chance):
                ask.rows(connection, sql)
        made = {ask.as_text(name): ask.as_text(one) for name, one in ask.rows(connection, PRESENT, [schema])}
        if wrong := [name for name in self.tables if made.get(name, "").lower() != engine.lower()]:
            raise SandboxError(f"The table {wrong[0]} is not in {engine}: nothing was crashed.", "See SHOW ENGINES.")

    def write(self, secret: bytes, client: int, numbers: Sequence[int]) -> list[tuple[bytes, ...]]:
        """The witness's transactions, each with an own one inside. Reads are left out: they change nothing. Of large
        ones only the first are written, so that the client asks again."""
        numbers = numbers[: self._at_once]
        ledger = statements(secret, client, numbers)
        return [self._with_own(rows, *self.drawn(secret, client, n)) for rows, n in zip(ledger, numbers, strict=True)]

    def _with_own(self, rows: tuple[bytes, ...], chosen: Transaction, drawn: Mapping[str, Drawn]) -> tuple[bytes, ...]:
        literals = {name: literal(value) for name, value in drawn.items()}
        own = (
            "".join(literals[part] if n % 2 else part for n, part in enumerate(one)).encode("ascii")
            for one in self._templates[chosen.name]
        )
        inner = rows[1:-1] if len(rows) > 1 else rows
        return (b"BEGIN", *inner, *own, b"COMMIT")

    def drawn(self, secret: bytes, client: int, n: int) -> tuple[Transaction, dict[str, Drawn]]:
        """What this client's nth transaction is. Its number also names the client, and is larger than a first row's."""
        seed = blake2b(b"%d %d" % (client, n), key=secret, digest_size=8).digest()
        chance = random.Random(int.from_bytes(seed, "little"))  # noqa: S311 - the secret is in the seed
        weights = [one.weight for one in self.declaration.transactions]
        [chosen] = chance.choices(self.declaration.transactions, weights)
        values, number = self.declaration.values, FIRST + key(client, n)
        return chosen, {name: values[name].drawn(chance, number) for name in self._used[chosen.name]}

    def found(self, connection: Connection, schema: str) -> Found:
        """The own rows of every transaction that has one. A table that is not there has none. Raises ServerError."""
        present = {ask.as_text(name) for name, _ in ask.rows(connection, PRESENT, [schema])}
        found: dict[int, dict[str, tuple[Cells, ...]]] = {}
        for table, number in self.prediction.keys.items():
            columns = self.prediction.columns(table)
            names = ", ".join(f"`{column}`" for column in (number, *columns))
            sql = f"SELECT {names} FROM `{schema}`.`{table}` WHERE `{number}` >= {FIRST}"  # noqa: S608 - checked names
            for row in ask.rows(connection, sql, most_bytes=ask.TABLE_BYTES) if table in present else ():
                cells = dict(zip(columns, map(_text, row[1:]), strict=True))
                of_transaction = found.setdefault(ask.integer(row[0]) - FIRST, {})
                of_transaction[table] = (*of_transaction.get(table, ()), cells)
        return found

    def seen(self, ledger: Seen, found: Found, secret: bytes) -> Seen:
        """What the ledger's rows and the own rows say together. A transaction with the rows of an earlier statement
        only, or with own rows and without those of the ledger, is there in part."""
        outcomes = np.array([self._judged(one, found.get(one, {}), secret) for one in ledger.whole.tolist()], dtype=str)
        return replace(
            ledger,
            whole=ledger.whole[outcomes == "whole"],
            parts=together([ledger.parts, np.setdiff1d(_keys(found), ledger.whole), ledger.whole[outcomes == "part"]]),
            altered=together([ledger.altered, ledger.whole[outcomes == "altered"]]),
            filled=together([ledger.filled, ledger.whole[outcomes == "altered"]]),
        )

    def _judged(self, one: int, found: Rows, secret: bytes) -> str:
        """ "whole", "part" or "altered"."""
        chosen, drawn = self.drawn(secret, one >> CLIENT_SHIFT, one & (FIRST - 1))
        states = self.prediction.states(chosen.name, drawn)
        whole, before = states[-1] if states else {}, states[:-1]
        if _fits(whole, found):
            return "whole"
        lacks = any(len(found.get(table, ())) < len(rows) for table, rows in whole.items())
        return "part" if lacks or any(_fits(state, found) for state in before) else "altered"


def _template(declaration: Declaration, statement: Statement) -> list[str]:
    return statement.sql(lambda name: declaration.by_server.get(name, f"\0{name}\0")).split("\0")


def _keys(found: Found) -> Keys:
    numbers = np.array(sorted(found), dtype=np.int64)
    return together([keys_found(numbers >> CLIENT_SHIFT, numbers & (FIRST - 1))])


def _fits(expected: Rows, found: Rows) -> bool:
    return all(_same(expected.get(table, ()), found.get(table, ())) for table in {*expected, *found})


def _same(expected: Sequence[Cells], found: Sequence[Cells]) -> bool:
    """Each expected row is there once, and no other. Only known contents are compared."""
    if len(expected) != len(found):
        return False
    left = list(found)
    for row in expected:
        match = next((n for n, one in enumerate(left) if _agrees(row, one)), None)
        if match is None:
            return False
        del left[match]
    return True


def _agrees(expected: Cells, found: Cells) -> bool:
    return all(content is None or _bare(found.get(column)) == _bare(content) for column, content in expected.items())


def _bare(text: str | None) -> str:
    """CHAR drops the spaces at its end, or adds zero bytes in the character set "binary". The sql_mode
    EMPTY_STRING_IS_NULL stores NULL for an empty text."""
    return (text or "").rstrip(" \0")


def _text(value: ask.Field) -> str | None:
    return None if value is None else ask.as_text(value)
