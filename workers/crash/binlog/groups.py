"""Joins events to transactions: committed, rolled back or unfinished.

MariaDB begins a transaction with its GTID event, the others with the statement BEGIN or XA START; it commits with an
XID event, or with the statement COMMIT where the engine knows no XA. Anything else outside a transaction (DDL) is
one by itself. XA PREPARE puts the rows aside until XA COMMIT names the same xid.

Only inserted rows count, and only with their commit. Everything that the witness does not do is noted: other changes of
its tables, events out of place, rows without a table map.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from struct import Struct

from workers.crash.binlog import inserts, payload, rows, statements
from workers.crash.binlog.bounds import WIDE, BoundsWatch, ReadBounds
from workers.crash.binlog.events import (
    HEADER_BYTES,
    KIND_AT,
    NOTES_OF_SERVERS,
    OTHER_CHANGES,
    PARTS_OF_STATEMENTS,
    BinlogUnknown,
    EventType,
    end_of,
)
from workers.crash.binlog.how import INSIDE, NAMED, NONE, WRONG, How
from workers.crash.binlog.names import ANONYMOUS, NO_GTID, GtidReader, GtidSource, Name
from workers.crash.evidence import OddityNotes

FLAGS_AT = rows.BODY_AT - 2  # of a row event
STATEMENT_ENDS = 0x01
XA_PREPARE = Struct("<19xBIII")  # one phase, format, lengths of both parts
TABLE_BITS = 2  # of a row event's number: its table; the other bits are how many bytes of rows it has
ENDS = 5  # numbers of a transaction
SERVER_ID = slice(5, 9)  # in the header of an event
SKIPPED_AT, SKIPPED = 18, 0x80  # LOG_EVENT_SKIP_REPLICATION_F, of MariaDB's @@skip_replication
BEGINS = (EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED, EventType.MARIADB_GTID)
FIX_FORMAT = "Set binlog_format=ROW."
NAME_BYTES = 500  # at least what a name in a dict takes


class Groups:
    """The witness's rows in one schema, in the binlog's order, transaction by transaction.

    `raw`: the bytes of all committed rows. `pieces`: a number for each row event (TABLE_BITS). `ends`: ENDS numbers for
    each transaction, whoever's it is: source, number, how many pieces there are up to its end, How it ended, server_id.
    `odd`:
    what the witness did not cause in its own schema; `others`: transactions that leave its schema alone. `in_group`:
    servers of a group share a line of GTIDs, each with blocks of its own. `own_tables`: their rows belong to the
    witness's transactions and are not read.
    """

    def __init__(self, schema: str, own_tables: Iterable[str] = (), bounds: ReadBounds = WIDE) -> None:
        self.raw, self.pieces, self.ends = bytearray(), array("q"), array("q")
        self.odd, self.others = OddityNotes(), OddityNotes()
        self.in_group = False
        self._schema = schema.encode()
        self._own_tables = frozenset(name.encode() for name in own_tables)
        self._watch = BoundsWatch(bounds)
        self._aside_bytes = 0  # of prepared transactions and table maps, also of those that are gone
        self._file = ""
        self.event = b""  # that is being looked at
        self._names = GtidReader()
        self._known: dict[bytes, tuple[int, str]] = {}  # a table's maps are alike: parsed once
        self._prepared: dict[bytes, tuple[bytes, array[int]]] = {}
        self._state, self._name = NONE, (NO_GTID, 0)
        self._raw_kept, self._pieces_kept = 0, 0  # up to the last commit
        self._maps: dict[bytes, int] = {}  # of the current statement
        self._used: set[bytes] = set()
        self._foreign = ""  # what the current transaction does beside the witness's rows
        self._server = b""  # server_id of the last event
        self._skips = ""  # why a replica skips a part of the current transaction
        self._handlers = self._all_handlers()

    def _all_handlers(self) -> dict[int, Callable[[bytes], None] | None]:
        handlers: dict[int, Callable[[bytes], None] | None] = {
            EventType.QUERY: self._query,
            EventType.XID: self._xid,
            EventType.TABLE_MAP: self._table_map,
            EventType.WRITE_ROWS_V1: lambda event: self._insert(event, rows.BODY_AT),
            EventType.WRITE_ROWS_V2: lambda event: self._insert(event, rows.v2_body_at(event)),
            EventType.GTID: lambda event: self._begin(self._names.mysql(event)),
            EventType.ANONYMOUS_GTID: lambda event: self._begin((ANONYMOUS, 0)),
            EventType.XA_PREPARE: self._prepare,
            EventType.TRANSACTION_PAYLOAD: self._payload,
            EventType.GTID_TAGGED: lambda event: self._begin(self._names.tagged(event)),
            EventType.MARIADB_GTID: self._mariadb_gtid,
            EventType.START_ENCRYPTION: self._encrypted,
            EventType.QUERY_COMPRESSED: self._query_compressed,
            EventType.WRITE_ROWS_COMPRESSED_V1: lambda event: self._insert_compressed(event, rows.BODY_AT),
            EventType.WRITE_ROWS_COMPRESSED_V2: lambda event: self._insert_compressed(event, rows.v2_body_at(event)),
            EventType.INCIDENT: lambda event: self._note("an incident: a replica stops there"),
        }
        handlers |= dict.fromkeys(NOTES_OF_SERVERS)
        handlers |= dict.fromkeys((EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE), self._of_a_group_of_servers)
        handlers |= dict.fromkeys(OTHER_CHANGES, self._other_change)
        handlers |= dict.fromkeys(PARTS_OF_STATEMENTS, self._part_of_a_statement)
        return {int(kind): handle for kind, handle in handlers.items()}  # an enum's hash is slow

    @property
    def sources(self) -> Sequence[GtidSource]:
        return self._names.sources

    @property
    def count(self) -> int:
        """How many transactions there are, whoever's."""
        return len(self.ends) // ENDS

    def begin_file(self, name: str) -> None:
        self._file = name

    def finish(self, in_order: bool) -> None:
        """The file ends. What is unfinished is not there: transactions and table numbers do not reach beyond a file.
        `in_order`: the server closed the file; after a crash the last transaction may lack its end."""
        self._must_have_room()
        if in_order:
            self._must_be(NONE)
        self._drop()

    def take(self, events: Iterable[bytes]) -> None:
        """Raises struct.error, IndexError, ValueError or zlib.error on an event that is not what it seems, and
        BinlogUnknown on what this reader cannot know; `event` is that one then."""
        handlers, unknown = self._handlers, self._unknown
        self._must_have_room()
        for event in events:
            self.event = event
            handle = handlers.get(event[KIND_AT], unknown)
            if handle is not None:
                if event[SERVER_ID] != self._server or event[SKIPPED_AT] & SKIPPED:
                    self._look_at_header(event)
                handle(event)

    def _look_at_header(self, event: bytes) -> None:
        """A replica skips an event with its own server_id, or with the flag for it. All of a transaction have one."""
        if event[SKIPPED_AT] & SKIPPED:
            self._skips = "an event that replicas skip"
        if event[SERVER_ID] != self._server:
            inside = self._state and event[KIND_AT] not in BEGINS
            self._skips = "events of two servers" if inside else self._skips
            self._server = event[SERVER_ID]

    def _payload(self, event: bytes) -> None:
        """Its events have no places of their own: `event` stays the one that holds them."""
        for inner in payload.events(event):
            self._must_have_room()
            handle = self._handlers.get(inner[KIND_AT], self._unknown)
            if handle is not None:
                handle(inner)

    def _must_have_room(self) -> None:
        names = len(self._maps) + len(self._used) + len(self.sources)
        numbers = len(self.pieces) + len(self.ends)
        self._watch.check(len(self.raw) + self.pieces.itemsize * numbers + self._aside_bytes + NAME_BYTES * names)

    def _note(self, what: str) -> None:
        self.odd.add(f"{what} ({self._place()})")

    def _place(self) -> str:
        return f"{self._file}:{end_of(self.event)}"

    def _unknown(self, event: bytes) -> None:
        raise BinlogUnknown(f"The binlog holds an event of type {event[KIND_AT]}, which is not known here.")

    def _encrypted(self, event: bytes) -> None:
        fix = "Set encrypt_binlog=OFF for crash trials."
        raise BinlogUnknown("The binlog holds encrypted events, which cannot be read here.", fix)

    def _must_be(self, state: int) -> None:
        if self._state != state:
            self._note(WRONG[self._state, state])

    def _begin(self, name: Name, state: int = NAMED) -> None:
        if self._state or self._maps:
            self._note(WRONG.get((self._state, NONE), "a table map outside a transaction"))
            self._drop()
        self._name, self._state = name, state

    def _drop(self) -> None:
        """Drop everything uncommitted."""
        del self.raw[self._raw_kept :], self.pieces[self._pieces_kept :]
        self._maps.clear()
        self._used.clear()
        self._state, self._name, self._foreign, self._skips = NONE, (NO_GTID, 0), "", ""

    def _drop_rows(self, foreign: str) -> None:
        """The transaction keeps its name, and ends without rows."""
        name = self._name
        self._drop()
        self._name, self._foreign = name, foreign

    def _xid(self, event: bytes) -> None:
        if self._state != INSIDE:
            self._note(WRONG[self._state, INSIDE])
        self._end(How.XID)

    def _end(self, how: How) -> None:
        end = len(self.pieces)
        if self._maps:
            self._note("a statement without its end")
            self._maps.clear()
            self._used.clear()
        if end == self._pieces_kept:
            self.others.add(f"{self._foreign or 'a transaction without rows'} ({self._place()})")
        elif self._foreign or self._skips:
            self._note(f"{self._foreign or self._skips} in a transaction of the witness")
        self.ends.extend((*self._name, end, how, int.from_bytes(self._server, "little")))
        self._raw_kept, self._pieces_kept = len(self.raw), end
        self._state, self._name, self._foreign, self._skips = NONE, (NO_GTID, 0), "", ""

    def _mariadb_gtid(self, event: bytes) -> None:
        name, standalone = self._names.mariadb(event)
        self._begin(name, NAMED if standalone else INSIDE)

    def _query(self, event: bytes) -> None:
        if event.endswith(statements.BEGIN):  # half of all statements in MySQL's files
            self._open()
        else:
            self._statement(event, event[statements.text_at(event) :])

    def _query_compressed(self, event: bytes) -> None:
        self._statement(event, statements.inflated(event, statements.text_at(event), whole=False))

    def _open(self) -> None:
        if self._state == INSIDE:
            self._note(WRONG[INSIDE, NONE])
            self._drop()
        self._state = INSIDE

    def _statement(self, event: bytes, text: bytes) -> None:
        if text == b"BEGIN" or text.startswith(b"XA START"):
            self._open()
        elif text == b"ROLLBACK":
            self._drop_rows("a transaction that was rolled back")
            self._end(How.ROLLED_BACK)
        elif text.startswith((b"XA COMMIT", b"XA ROLLBACK")):
            self._finish_prepared(text)
        elif text == b"COMMIT":
            self._must_be(INSIDE)
            self._end(How.COMMIT)
        else:
            self._other_statement(event, text)

    def _other_statement(self, event: bytes, text: bytes) -> None:
        ours = statements.is_in(event, self._schema)
        if ours and (written := inserts.rows_of(text)):
            self._insert_as_statement(*written)
            return
        if ours and text.upper().startswith(statements.INSERTS):
            raise BinlogUnknown("The binary log holds changes as statements that are not understood.", FIX_FORMAT)
        words = text[:60].decode(errors="replace")
        if ours and not (text.startswith(statements.INNER) or self._sets_up(text)):
            self._note(f"the statement {words!r} in the witness's schema")
        self._foreign = self._foreign or f"the statement {words!r}"
        if self._state != INSIDE:
            self._end(How.STATEMENT)

    def _insert_as_statement(self, table: int, body: bytes) -> None:
        if self._state != INSIDE:
            self._note("rows outside a transaction")
            self._foreign = "a statement without its transaction"
            self._end(How.STATEMENT)
            return
        self.raw += body
        self.pieces.append(len(body) << TABLE_BITS | table)

    def _sets_up(self, text: bytes) -> bool:
        """Whether it makes the witness's tables, before the first row."""
        return not self._pieces_kept and text.upper().startswith(statements.SET_UP)

    def _prepare(self, event: bytes) -> None:
        one_phase, form, first, second = XA_PREPARE.unpack_from(event)
        self._foreign = "XA PREPARE"
        if not one_phase:
            at = XA_PREPARE.size
            parts = event[at : at + first], event[at + first : at + first + second]
            xid = b"X'%s',X'%s',%d" % (*(part.hex().encode() for part in parts), form)
            raw, pieces = bytes(self.raw[self._raw_kept :]), self.pieces[self._pieces_kept :]
            self._prepared[xid] = raw, pieces
            self._aside_bytes += len(raw) + pieces.itemsize * len(pieces) + NAME_BYTES
            self._drop_rows("XA PREPARE")
        self._end(How.PREPARED)

    def _finish_prepared(self, text: bytes) -> None:
        verb, _, xid = text.partition(b" X'")
        self._drop_rows(verb.decode(errors="replace"))
        raw, pieces = self._prepared.pop(b"X'" + xid.split()[0] if xid else b"", (b"", array("q")))
        if verb == b"XA COMMIT":
            self.raw += raw
            self.pieces += pieces
        self._end(How.XA_COMMIT)

    def _table_map(self, event: bytes) -> None:
        described = event[HEADER_BYTES:]
        known = self._known.get(described)
        if known is None:
            known = self._known[described] = rows.table_of(event, self._schema, self._own_tables)
            self._aside_bytes += len(described) + NAME_BYTES
        table, wrong = known
        if wrong:
            self._note(wrong)
        if self._state != INSIDE:
            self._note("a table map outside a transaction")
        number = event[rows.TABLE_ID]
        if self._maps.get(number, rows.OTHER) >= 0:
            self._note("a second table map of the same statement")
        self._maps[number] = table

    def _insert(self, event: bytes, at: int) -> None:
        table = self._maps.get(event[rows.TABLE_ID])
        if table is None or table < 0 or self._state != INSIDE:
            self._insert_elsewhere(event, table)
            return
        body = rows.body(table, event, at)
        self.raw += body
        self.pieces.append(len(body) << TABLE_BITS | table)
        if event[FLAGS_AT] & STATEMENT_ENDS and len(self._maps) == 1:
            self._maps.clear()
            self._used.clear()
        else:
            self._end_rows(event)

    def _insert_elsewhere(self, event: bytes, table: int | None) -> None:
        """Without a table map the table of rows is not known."""
        if table is None or self._state != INSIDE:
            self._note("rows without a table map" if table is None else "rows outside a transaction")
        if table != rows.OWN:
            self._foreign = self._foreign or "rows of another table"
        self._end_rows(event)

    def _insert_compressed(self, event: bytes, at: int) -> None:
        if self._maps.get(event[rows.TABLE_ID], rows.OTHER) >= 0:  # other tables' rows may be large
            packed_at = at + rows.COLUMNS_BYTES
            event = event[:packed_at] + statements.inflated(event, packed_at, whole=True)
            self._must_have_room()
        self._insert(event, at)

    def _other_change(self, event: bytes) -> None:
        table = self._maps.get(event[rows.TABLE_ID], rows.OTHER)
        if table >= 0:
            self._note("a change of the witness's rows (UPDATE or DELETE)")
        if table != rows.OWN:
            self._foreign = self._foreign or "changes of another table's rows"
        self._end_rows(event)

    def _end_rows(self, event: bytes) -> None:
        """A row event may be its statement's last; then every map of the witness's tables has been used."""
        self._used.add(event[rows.TABLE_ID])
        if event[FLAGS_AT] & STATEMENT_ENDS:
            if any(table >= 0 for one, table in self._maps.items() if one not in self._used):
                self._note("a table map without rows")
            self._maps.clear()
            self._used.clear()

    def _of_a_group_of_servers(self, event: bytes) -> None:
        self.in_group = True

    def _part_of_a_statement(self, event: bytes) -> None:
        self._foreign = self._foreign or "a part of a statement"
