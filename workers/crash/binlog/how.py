"""Where a transaction in the binlog begins and ends."""

from enum import IntEnum

NONE, NAMED, INSIDE = range(3)  # no transaction; one that has its GTID and has not begun; one that has begun
WRONG = {  # what is told: the state that was met, the state that the event needs
    (NONE, INSIDE): "a commit without a transaction",
    (NAMED, INSIDE): "a commit of a transaction that has not begun",
    (NAMED, NONE): "a GTID without its transaction",
    (INSIDE, NONE): "a transaction without its commit",
}


class How(IntEnum):
    XID, COMMIT, STATEMENT, ROLLED_BACK, PREPARED, XA_COMMIT = range(6)
