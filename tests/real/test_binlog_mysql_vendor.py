"""Files that MySQL wrote, read by us and by the tool that came with the server: the same GTIDs in the same order."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from workers.crash.binlog import read
from workers.errors import SandboxError
from workers.sandbox import builds

FILES = Path(__file__).parents[1] / "unit" / "crash" / "binlogs"
SCHEMA, SECRET = "durascope_crash", b"known to tests.."
NAMED = re.compile(r"GTID_NEXT= '([0-9a-f-]{36}:[^']+)'")
LIMIT_S = 60


def mysqlbinlog(key: str) -> list[str]:
    try:
        layout = builds.find(key).layout
    except SandboxError as absent:
        pytest.skip(str(absent))
    places = (layout.mysqld.with_name("mysqlbinlog"), layout.mysqld.parents[1] / "bin" / "mysqlbinlog")
    tool = next((path for path in places if path.is_file()), None)
    if tool is None:
        pytest.skip(f"{key} came without mysqlbinlog.")
    return replace(layout, mysqld=tool).command()


@pytest.mark.parametrize(
    ("key", "name"),
    [("mysql-9.7", "mysql-9.7.tagged"), ("mysql-9.7", "mysql-8.0.33.plain"), ("mysql-8.0.33", "mysql-8.0.33.plain")],
)
def test_the_vendors_tool_reads_the_same_gtids(key, name):
    asked = [*mysqlbinlog(key), "--verify-binlog-checksum", str(FILES / name)]
    printed = subprocess.run(asked, capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout
    ours = list(read([FILES / name], SCHEMA, SECRET).gtids)
    theirs = NAMED.findall(printed)
    assert ours and ours == [gtid for gtid in theirs if gtid in set(ours)]
    assert set(theirs) >= set(ours)
