"""Events put together to transactions: what begins, what commits, what is rolled back or left hanging.

MariaDB begins a transaction with its GTID event, the others with the statement BEGIN or XA START; it commits with an
XID event, or with the statement COMMIT where the engine knows no XA. Anything else outside a transaction (DDL) is
one by itself. XA PREPARE puts the rows aside until XA COMMIT names the same xid.

Only inserted rows count: a transaction is in the binlog when its commit is, whatever later ones do to its rows.
"""

import zlib
from array import array
from collections.abc import Callable
from functools import lru_cache
from struct import Struct
from uuid import UUID

from workers.crash.binlog import rows
from workers.crash.binlog.events import HEADER, HEADER_BYTES, BinlogUnknown, Kind
from workers.crash.binlog.tagged import tagged_gtid
from workers.crash.transactions import CLIENT_SHIFT, key

MARIADB_GTID = Struct("<5xI10xQIB")  # server id, sequence number, domain, flags
STANDALONE = 0x01
MYSQL_GTID = Struct("<20x16sQ")  # source, number
QUERY = Struct("<27xB2xH")  # length of the schema's name, length of the status variables
QUERY_BYTES = 32
BEGIN = b"\0BEGIN"  # after the zero that ends the schema's name
V2_EXTRA = Struct("<27xH")  # length of the extra data of a row event, its own two bytes included
XA_PREPARE = Struct("<19xBIII")  # one phase, format, lengths of both parts
CHANGES = (b"INSERT", b"REPLACE", b"UPDATE", b"DELETE", b"LOAD DATA", b"CALL")
PAYLOAD_UNCOMPRESSED = 255
MOST_NUMBERS = 1 << CLIENT_SHIFT
MOST_CLIENTS = 1 << 63 - CLIENT_SHIFT
NOBODY = -1  # key of rows that no witness can have written: client or n out of all bounds


class Groups:
    """Rows of the witness's committed transactions in one schema, in the binlog's order.

    `rows`: client, n and slot of each, one after the other; a slot tells table and part. `named`: GTID -> key of its
    transaction, None when it is not the witness's; `reused`: GTIDs that name two.
    """

    def __init__(self, schema: str) -> None:
        self.rows = array("q")
        self.named: dict[str, int | None] = {}
        self.reused: dict[str, None] = {}
        self._schema = schema.encode()
        self._kept = 0  # length of `rows` up to the last commit
        self._inside = False
        self._gtid = ""
        self._tables: dict[bytes, rows.Table | None] = {}
        self._maps: dict[bytes, rows.Table | None] = {}  # a table's maps are alike: parsed once
        self._prepared: dict[bytes, array] = {}
        handlers: dict[int, Callable[[bytes], None]] = {
            Kind.QUERY: self._query,
            Kind.XID: self._commit,
            Kind.TABLE_MAP: self._table_map,
            Kind.WRITE_ROWS_V1: self._rows_v1,
            Kind.WRITE_ROWS_V2: self._rows_v2,
            Kind.GTID: self._mysql_gtid,
            Kind.ANONYMOUS_GTID: lambda event: self._begin(""),
            Kind.XA_PREPARE: self._prepare,
            Kind.TRANSACTION_PAYLOAD: self._payload,
            Kind.GTID_TAGGED: lambda event: self._begin(tagged_gtid(event)),
            Kind.MARIADB_GTID: self._mariadb_gtid,
            Kind.START_ENCRYPTION: _refuse("encrypted events", "Set encrypt_binlog=OFF for crash trials."),
            Kind.QUERY_COMPRESSED: self._query_compressed,
            Kind.WRITE_ROWS_COMPRESSED_V1: lambda event: self._rows_compressed(event, rows.V1_BODY_AT),
            Kind.WRITE_ROWS_COMPRESSED_V2: lambda event: self._rows_compressed(event, _v2_body_at(event)),
        }
        self._handlers = {int(kind): handle for kind, handle in handlers.items()}  # an enum's hash is slow

    def begin_file(self) -> None:
        """No transaction and no table's number lives beyond its file."""
        self._begin("")
        self._tables.clear()
        self._maps.clear()

    def finish(self) -> None:
        """What the last file leaves unfinished is not there."""
        self._begin("")

    def add(self, kind: int, event: bytes) -> None:
        """Raises struct.error, IndexError, ValueError or zlib.error on an event that is not what it seems, and
        BinlogUnknown on what this reader cannot know."""
        handle = self._handlers.get(kind)
        if handle is not None:
            handle(event)

    def _begin(self, gtid: str, inside: bool = False) -> None:
        if len(self.rows) != self._kept:
            del self.rows[self._kept :]
        self._gtid, self._inside = gtid, inside

    def _commit(self, event: bytes = b"") -> None:
        begin, end = self._kept, len(self.rows)
        if self._gtid:
            self._name(self._gtid, _key(self.rows[begin], self.rows[begin + 1]) if end > begin else None)
        self._kept, self._gtid, self._inside = end, "", False

    def _name(self, gtid: str, first: int | None) -> None:
        if gtid not in self.named:
            self.named[gtid] = first
        elif first is None or self.named[gtid] != first:
            self.reused[gtid] = None

    def _mariadb_gtid(self, event: bytes) -> None:
        server, number, domain, flags = MARIADB_GTID.unpack_from(event)
        self._begin(f"{domain}-{server}-{number}", not flags & STANDALONE)

    def _mysql_gtid(self, event: bytes) -> None:
        source, number = MYSQL_GTID.unpack_from(event)
        self._begin(f"{_uuid(source)}:{number}")

    def _query(self, event: bytes) -> None:
        if event.endswith(BEGIN):  # half of all statements in MySQL's files
            self._begin(self._gtid, inside=True)
        else:
            self._statement(event, event[_text_at(event) :])

    def _query_compressed(self, event: bytes) -> None:
        self._statement(event, inflated(event, _text_at(event)))

    def _statement(self, event: bytes, text: bytes) -> None:
        if text == b"BEGIN" or text.startswith(b"XA START"):
            self._begin(self._gtid, inside=True)
        elif text == b"ROLLBACK":
            self._begin(self._gtid)
            self._commit()
        elif text.startswith((b"XA COMMIT", b"XA ROLLBACK")):
            self._finish_prepared(text)
        elif text == b"COMMIT" or not self._inside:
            self._refuse_statement(event, text)
            self._commit()
        else:
            self._refuse_statement(event, text)

    def _refuse_statement(self, event: bytes, text: bytes) -> None:
        """A change logged as a statement: which rows it wrote is not said."""
        schema_end = _text_at(event) - 1
        if event[schema_end - len(self._schema) : schema_end] == self._schema and text.upper().startswith(CHANGES):
            raise BinlogUnknown("The witness's changes are in the binlog as statements.", "Set binlog_format=ROW.")

    def _prepare(self, event: bytes) -> None:
        one_phase, form, first, second = XA_PREPARE.unpack_from(event)
        if not one_phase:
            at = XA_PREPARE.size
            xid = b"X'%s',X'%s',%d" % (
                _hex(event[at : at + first]),
                _hex(event[at + first : at + first + second]),
                form,
            )
            self._prepared[xid] = self.rows[self._kept :]
            self._begin(self._gtid)
        self._commit()

    def _finish_prepared(self, text: bytes) -> None:
        verb, _, xid = text.partition(b" X'")
        self._begin(self._gtid)
        waiting = self._prepared.pop(b"X'" + xid.split()[0] if xid else b"", array("q"))
        if verb == b"XA COMMIT":
            self.rows += waiting
        self._commit()

    def _table_map(self, event: bytes) -> None:
        described = event[HEADER_BYTES:]
        if described not in self._maps:
            self._maps[described] = rows.table_of(event, self._schema)
        self._tables[rows.table_id(event)] = self._maps[described]

    def _rows_v1(self, event: bytes) -> None:
        self._insert(event, rows.V1_BODY_AT)

    def _rows_v2(self, event: bytes) -> None:
        self._insert(event, _v2_body_at(event))

    def _rows_compressed(self, event: bytes, at: int) -> None:
        width, after = rows.packed(event, at)
        after += (width + 7) // 8
        self._insert(event[:after] + inflated(event, after), at)

    def _insert(self, event: bytes, at: int) -> None:
        table = self._tables.get(rows.table_id(event))
        if table is not None:
            self.rows.fromlist(rows.inserted(table, event, at))

    def _payload(self, event: bytes) -> None:
        """MySQL's wrapped transaction: fields (type, length, value) up to type 0, then events without checksums."""
        at, fields = HEADER_BYTES, {}
        while (field := rows.packed(event, at))[0]:
            length, at = rows.packed(event, field[1])
            fields[field[0]], at = rows.packed(event, at)[0], at + length
        if fields.get(2) != PAYLOAD_UNCOMPRESSED:
            raise BinlogUnknown(
                "The binlog holds compressed transactions.", "Set binlog_transaction_compression=OFF for crash trials."
            )
        at = field[1]
        while at < len(event):
            kind, length, _ = HEADER.unpack_from(event, at)
            if length < HEADER_BYTES or at + length > len(event) or kind == Kind.TRANSACTION_PAYLOAD:
                raise rows.Malformed("An event in a transaction's payload is cut off.")
            self.add(kind, event[at : at + length])
            at += length


def _key(client: int, n: int) -> int:
    return key(client, n) if 0 <= client < MOST_CLIENTS and 0 < n < MOST_NUMBERS else NOBODY


@lru_cache(maxsize=64)
def _uuid(source: bytes) -> str:
    return str(UUID(bytes=source))


def inflated(event: bytes, at: int) -> bytes:
    """What MariaDB's log_bin_compress packed: a byte 0x80 + bytes of the length, the length, a zlib stream."""
    return zlib.decompress(event[at + 1 + (event[at] & 7) :])


def _text_at(event: bytes) -> int:
    schema_bytes, status_bytes = QUERY.unpack_from(event)
    return QUERY_BYTES + status_bytes + schema_bytes + 1


def _v2_body_at(event: bytes) -> int:
    return rows.V1_BODY_AT + V2_EXTRA.unpack_from(event)[0]


def _hex(data: bytes) -> bytes:
    return data.hex().encode()


def _refuse(what: str, mend: str) -> Callable[[bytes], None]:
    def refuse(event: bytes) -> None:
        raise BinlogUnknown(f"The binlog holds {what}, which cannot be read here.", mend)

    return refuse
