"""Statements in a binlog: the text of a query event, and whether it changes the witness's tables."""

import zlib
from struct import Struct

from workers.crash.binlog.rows import Malformed

QUERY = Struct("<27xB2xH")  # length of the schema's name, length of the status variables
QUERY_BYTES = 32
BEGIN = b"\0BEGIN"  # after the zero that ends the schema's name
INSERTS = (b"INSERT", b"REPLACE", b"LOAD DATA", b"CALL")  # which rows they wrote is not known, if not the witness's
SET_UP = (b"CREATE TABLE", b"CREATE SCHEMA", b"CREATE DATABASE")
INNER = (b"SAVEPOINT", b"ROLLBACK TO", b"RELEASE SAVEPOINT", b"XA END")  # of a transaction; no change by themselves

MOST_UNPACKED = 1 << 20  # bytes: far more than the witness's rows have, and than is read of a statement


def text_at(event: bytes) -> int:
    """Where the statement begins."""
    schema_bytes, status_bytes = map(int, QUERY.unpack_from(event))
    return QUERY_BYTES + status_bytes + schema_bytes + 1


def is_in(event: bytes, schema: bytes) -> bool:
    """Whether the statement was run with this schema as its own."""
    end = text_at(event) - 1
    return bool(schema) and event[end - len(schema) : end] == schema


def inflated(event: bytes, at: int, *, whole: bool) -> bytes:
    """What MariaDB's log_bin_compress packed: a byte 0x80 + bytes of the length, the length, a zlib stream. Zeros pack
    well, so not more than MOST_UNPACKED is made; with `whole`, more than that is malformed."""
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(event[at + 1 + (event[at] & 7) :], MOST_UNPACKED)
    if not unpacker.eof and (whole or len(found) < MOST_UNPACKED):
        raise Malformed("What is compressed in it is cut off or far too large.")
    return found
