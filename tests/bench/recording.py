"""What recording a disk costs, and how fast a replay disk becomes a state.

    python tests/bench/recording.py [--build system-mariadb] [--seconds 3] [--pairs 5] [--clients 16] [--flush-ms 2]

Prints commits per second without and with a recording, in neighbouring runs on one server that take turns, and the
ratio of each pair. Then, for the last recording: its events and bytes, seconds to read it, and the time in which a
replay disk becomes one of 50 of its states and mounts it. Goals: a ratio of 0.9, and far less than 0.2 s.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workers.crash.digest import new_secret
from workers.crash.image import witness_image
from workers.crash.replica import SCHEMA
from workers.crash.witness import Witness
from workers.sandbox.builds import find
from workers.sandbox.disk import prepared
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import CrashPoint, States
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Sandbox
from workers.sandbox.users import unprivileged_user
from workers.servers import ask
from workers.servers.connection import connect

DURABLE = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
STATES = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="system-mariadb")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--flush-ms", type=float, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        build = find(asked.build)
        key = witness_image(root, build, "InnoDB", "")
        with prepared.new_disk(root, build, unprivileged_user(), image_key=key) as disk:
            how = {"name": "bench", "image_key": key, "trace": False, "datadir_on": disk.mnt}
            with Sandbox.create(root, build, DURABLE, **how) as server:
                disk.storage(1000 * asked.flush_ms)
                compare(server, disk, root, asked)
                disk.give_way()
        replays(root, root / f"recording-{asked.pairs}")


def compare(server: Sandbox, disk: VolatileDisk, root: Path, asked: argparse.Namespace) -> None:
    ratios = []
    for pair in range(asked.pairs + 1):
        commits = {}
        for recorded in (False, True) if pair % 2 else (True, False):
            commits[recorded] = load(server, disk, root / f"recording-{pair}" if recorded else None, asked)
        if pair:  # the first warms up
            ratios.append(commits[True] / commits[False])
            print(f"without {commits[False]:.0f}/s, recorded {commits[True]:.0f}/s, ratio {ratios[-1]:.3f}", flush=True)
    print(f"ratio: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")


def load(server: Sandbox, disk: VolatileDisk, folder: Path | None, asked: argparse.Namespace) -> float:
    """Acknowledged commits per second."""
    with connect(server.target) as connection:
        for (table,) in ask.rows(connection, f"SHOW TABLES FROM {SCHEMA}"):
            ask.rows(connection, f"TRUNCATE {SCHEMA}.{ask.as_text(table)}")
    began = time.monotonic()
    if folder:
        disk.record(folder)
        print(f"  the recording began after {time.monotonic() - began:.3f} s", flush=True)
    witness = Witness(server.target, SCHEMA, asked.clients, new_secret())
    try:
        witness.begin()
        time.sleep(asked.seconds)
        acknowledged = len(witness.ledger().acknowledged())
    finally:
        witness.close()
        disk.stop_recording()
    return acknowledged / asked.seconds


def replays(root: Path, folder: Path) -> None:
    began = time.monotonic()
    recording = Recording.load(folder)
    states = States(recording)
    events = recording.events
    print(f"{len(events):,} events, {len(states.flushes):,} flushes, {(folder / 'events').stat().st_size / 1e6:.1f} MB")
    print(f"read in {time.monotonic() - began:.2f} s")
    with ReplayDisk.replay(root / "live" / "replay", recording) as disk:
        points = [CrashPoint(len(events) * number // STATES) for number in range(1, STATES + 1)]
        worked, became = [], []
        for point in points:
            began = time.monotonic()
            blocks = states.blocks(point)
            worked.append(time.monotonic() - began)
            disk.become(blocks)
            became.append(time.monotonic() - began)
    print(f"blocks of a state: up to {len(blocks):,}, worked out in {1000 * statistics.median(worked):.1f} ms (median)")
    print(f"become and mount: median {1000 * statistics.median(became):.0f} ms, worst {1000 * max(became):.0f} ms")


if __name__ == "__main__":
    main()
