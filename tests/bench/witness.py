"""Acknowledged commits per second and CPU of the witness: python tests/bench/witness.py [--seconds 3]

Goal of issue 3: at least 5000/s on a fast disk with sync off.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workers.crash.digest import new_secret
from workers.crash.image import make_tables
from workers.crash.witness import Witness
from workers.sandbox.builds import find
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

REGIMES = {"0/0": "0", "1/1": "1"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        Path(folder).chmod(0o755)
        for name, value in REGIMES.items():
            for clients in (1, 16, 64, 256):
                measure(Path(folder), name, value, clients, seconds)


def measure(root: Path, name: str, value: str, clients: int, seconds: float) -> None:
    settings = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": value, "sync_binlog": value}
    with Sandbox.create(root, find("system-mariadb"), settings, name="bench", trace=False) as server:
        with connect(server.target) as connection:
            ask.rows(connection, "CREATE SCHEMA bench")
            make_tables(connection, "bench", "innodb")
        witness = Witness(server.target, "bench", clients, new_secret())
        cpu = time.process_time()
        witness.begin()
        time.sleep(seconds)
        cpu = time.process_time() - cpu
        witness.drain()
        acknowledged = len(witness.ledger().acknowledged())
        witness.close()
        print(
            f"{name} {clients:4} clients: {acknowledged / seconds:8.0f} commits/s, "
            f"{1e6 * cpu / acknowledged:4.0f} us of CPU each",
            flush=True,
        )


if __name__ == "__main__":
    main()
