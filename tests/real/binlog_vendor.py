"""What the vendor's tool says of a binlog, for comparison."""

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.real.binlog_server import SCHEMA
from workers.crash import transactions

TOOL = shutil.which("mariadb-binlog")
LIMIT_S = 20  # on a torn file the tool may go round in circles
ARGUMENTS = ("-v", "--base64-output=decode-rows", "--verify-binlog-checksum")
GTID = re.compile(r"\tGTID (\d+-\d+-\d+)")
INSERT = f"### INSERT INTO `{SCHEMA}`.`"
VALUE = re.compile(r"###   @\d+=(-?\d+)")

needs_tool = pytest.mark.skipif(not TOOL, reason="mariadb-binlog is not installed (package mariadb-client)")
Named = list[tuple[str, int]]  # GTID and key of every committed transaction of the witness, in order


def print_out(file: Path) -> str:
    """Everything the tool prints to standard output. It reports damage on the other one, with status 0 or 1."""
    ran = subprocess.run([TOOL, *ARGUMENTS, str(file)], capture_output=True, text=True, timeout=LIMIT_S)
    return ran.stdout


def transactions_in(files: Sequence[Path]) -> tuple[Named, list[int]]:
    """Committed transactions of the witness, and the keys of those whose rows are all there."""
    named: Named = []
    rows_of = defaultdict(set)
    for file in files:
        for gtid, rows in committed(print_out(file)):
            keys = [transactions.key(int(row[1]), int(row[2])) for row in rows]
            named += [(gtid, key) for key in dict.fromkeys(keys)]
            for key, row in zip(keys, rows, strict=True):
                rows_of[key].add(row)
    keys = np.array(sorted(rows_of), dtype=np.int64)
    expected = transactions.rows_expected(keys).tolist()
    return named, [key for key, count in zip(keys.tolist(), expected, strict=True) if len(rows_of[key]) == count]


def committed(printed: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """(GTID, rows as (table, value, ...)) of every transaction that is followed by its commit."""
    found, gtid, rows = [], "", []
    for line in printed.splitlines():
        if match := GTID.search(line):
            gtid, rows = match[1], []
        elif line.startswith(INSERT):
            rows.append((line[len(INSERT) : -1],))
        elif (match := VALUE.match(line)) and rows:
            rows[-1] += (match[1],)
        elif line.startswith("COMMIT"):
            found.append((gtid, rows))
            rows = []
        elif line.startswith(("ROLLBACK", "### UPDATE", "### DELETE")):
            rows = []
    return found
