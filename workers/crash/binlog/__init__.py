"""Durascope's own reader of the binlog: bytes -> events -> rows -> transactions. Torn and zero tails are read too.

An event counts when it is whole (and its CRC32 fits), a transaction when its commit is there.
"""

from workers.crash.binlog.bounds import ReadBounds
from workers.crash.binlog.events import MOST_BYTES, BinlogUnknown
from workers.crash.binlog.reader import files_of, read, rewritten, transactions

__all__ = ["MOST_BYTES", "BinlogUnknown", "ReadBounds", "files_of", "read", "rewritten", "transactions"]
