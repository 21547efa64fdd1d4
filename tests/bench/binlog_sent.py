"""The same binary log read from its files and from the server that sends it, side by side.

    python tests/bench/binlog_sent.py [--transactions 100000] [--rounds 5] [--build system-mariadb]

Both end in the witness's transactions; their content must be equal. `sent` is the copy and the reading together, over
TCP on this host.

Measured on 2 cores with a load average of 14, 60 000 transactions, 20 MB of MariaDB 10.11: files 2.4 s, sent 4.8 s, of
it the copy 1.6 s.
"""

import argparse
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.binlog import QUICK, seconds
from tests.real.binlog_server import SCHEMA, SECRET, commit, log_files, prepare, query
from workers.crash.binlog import read
from workers.crash.inspect import SentBinlog
from workers.sandbox.builds import find
from workers.sandbox.server import Sandbox
from workers.servers import dump


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transactions", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", default="system-mariadb")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        Path(folder).chmod(0o755)
        build = find(asked.build)
        with Sandbox.create(Path(folder), build, QUICK, name="bench", trace=False) as server:
            prepare(server)
            query(server, "FLUSH BINARY LOGS")
            commit(server, client=0, first=1, last=asked.transactions)
            compare(server, asked.rounds)


def compare(server: Sandbox, rounds: int) -> None:
    file = log_files(server)[-1]
    sent = SentBinlog(replace(server.target, socket="", host="127.0.0.1"), file.name)
    took: dict[str, list[float]] = {"files": [], "sent": [], "of it the copy": []}
    for _ in range(rounds):
        found = []
        took["files"].append(seconds(lambda found=found: found.append(read([file], SCHEMA, SECRET))))
        took["sent"].append(seconds(lambda found=found: found.append(sent.read(SCHEMA, SECRET))))
        with tempfile.TemporaryDirectory() as copies:
            took["of it the copy"].append(
                seconds(lambda copies=copies: dump.copy(sent.target, Path(copies), file.name))
            )
        assert found[0].seen.whole.tolist() == found[1].seen.whole.tolist() == found[0].order.tolist()
    megabytes = file.stat().st_size / 1e6
    for name, all_took in took.items():
        middle = statistics.median(all_took)
        print(f"{name:16} {middle:6.2f} s   {megabytes / middle:6.1f} MB/s   of {megabytes:.0f} MB")


if __name__ == "__main__":
    main()
