"""MySQL #94912: a checkpoint that is durable on the redo log's disk, and pages that are not on the data's disk.

    python tests/bench/two_disks.py [--build mysql-8.0.33] [--methods O_DIRECT_NO_FSYNC O_DIRECT] [--seconds 6]

Redo and binary log lie on a disk of their own; both disks are recorded, and lose power together. The redo log is small
and pages are written at once, so there are many checkpoints. Those are tried after which the most pages were unflushed.
Prints for each what was unflushed on the data's disk, and which checks failed. With O_DIRECT the server flushes pages
before a checkpoint: the negative control.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real.two_devices import Crashable, recorded
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointPoint
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

SETTINGS = {
    "log_bin": "ON",
    "innodb_flush_log_at_trx_commit": "1",
    "sync_binlog": "1",
    "innodb_max_dirty_pages_pct": "0",
    "innodb_max_dirty_pages_pct_lwm": "0",
    "innodb_io_capacity": "2000",
    "innodb_io_capacity_max": "4000",
    "innodb_redo_log_capacity": str(8 << 20),
}
ROWS, AT_ONCE = 16_000, 1000
FILL = (
    "SET sql_log_bin = 0",
    "CREATE DATABASE filler",
    "CREATE TABLE filler.f (id INT AUTO_INCREMENT PRIMARY KEY, v CHAR(200), w INT)",
    "INSERT INTO filler.f (v, w) VALUES " + ",".join("('', 1)" for _ in range(AT_ONCE)),
    *["INSERT INTO filler.f (v, w) SELECT v, w FROM filler.f"] * 4,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="mysql-8.0.33")
    parser.add_argument("--methods", nargs="+", default=["O_DIRECT_NO_FSYNC", "O_DIRECT"])
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--points", type=int, default=10)
    asked = parser.parse_args()
    for method in asked.methods:
        with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
            root = Path(folder)
            root.chmod(0o755)
            settings = SETTINGS | {"innodb_flush_method": method}
            how = {"seconds": asked.seconds, "busy": lambda server: updates(server, asked.seconds)}
            with recorded(root, asked.build, settings, **how) as crashable:
                tell(method, crashable, asked.points)


def updates(server: Sandbox, seconds: float) -> None:
    """Of rows that are there, so that no file grows."""
    with connect(server.target, timeout_s=60) as connection:
        for statement in FILL:
            ask.rows(connection, statement)
        until, first = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            first = (first + AT_ONCE) % ROWS
            text = chr(97 + first // AT_ONCE) * 200
            changed = f"w = w + 1, v = '{text}' WHERE id BETWEEN {first} AND {first + AT_ONCE}"
            ask.rows(connection, f"UPDATE filler.f SET {changed}")


def tell(method: str, crashable: Crashable, points: int) -> None:
    data, redo = crashable.joint.disks
    of_data, of_redo = (FileMap.of(each, disk) for each, disk in zip((data, redo), crashable.disks, strict=True))
    headers = [number for number in redo.versions.writes if _is_header(of_redo, redo.recording.events[number].offset)]
    print(f"{method}: {len(headers)} writes of a redo log's header, {len(data.flushes)} flushes of the data's disk")
    states = []
    for header in headers:
        end = next((end for began, end in redo.flushes if began > header), None)
        if end is not None and (at_ns := redo.recording.events[end].at_ns) < crashable.joint.end_ns:
            state = crashable.joint.at(JointPoint(at_ns, ("durable", "durable")))
            lost = [data.recording.events[number].offset // 4096 for number in data.unflushed(state.points[0])]
            states.append((Counter(map(of_data.role, lost)), state))
    states.sort(key=lambda found: -found[0]["data"])
    failed = Counter[str]()
    for unflushed, state in states[:points]:
        bad = crashable.bad(state)
        keys = " ".join(check.key for check in bad if check.outcome == "invalid")
        failed[keys or "nothing lost"] += 1
        print(f"  unflushed {dict(unflushed)}: {keys or 'nothing lost'}", flush=True)
    print(f"{method}: {dict(failed)}", flush=True)


def _is_header(files: FileMap, offset: int) -> bool:
    place = files.place(offset // 4096)
    return place is not None and place.role == "redo" and place.offset == 0


if __name__ == "__main__":
    main()
