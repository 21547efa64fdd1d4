"""Our binlog reader / the vendor's tool, on the same file of 100 000 transactions of the witness.

    python tests/bench/binlog.py [--transactions 100000] [--rounds 5]

Makes the file with a sandbox, then lets both read it in turn: ours up to the witness's transactions, the vendor's
tool printing events to /dev/null, with checksums verified as ours does. Both in a process of their own, start
included, and ours once more without. Goal: a ratio of at least 1.

Measured on 2 busy cores, 35 MB of MariaDB 10.11: ours 0.88 s, the tool 1.70 s.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real.binlog_server import SCHEMA, SECRET, commit, log_files, prepare
from workers.crash.binlog import read
from workers.sandbox.builds import find
from workers.sandbox.server import Sandbox

ROOT = Path(__file__).resolve().parents[2]
QUICK = {"log_bin": "ON", "sync_binlog": "0", "innodb_flush_log_at_trx_commit": "0", "max_binlog_size": "1G"}
OURS = (
    "import sys, pathlib; from workers.crash.binlog import read; "
    "read([pathlib.Path(sys.argv[1])], sys.argv[2], sys.argv[3].encode())"
)


def main() -> None:
    asked = arguments()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        Path(folder).chmod(0o755)
        file = make_file(Path(folder), asked.transactions)
        print(f"{asked.transactions} transactions, {file.stat().st_size / 1e6:.0f} MB", flush=True)
        compare(file, asked.rounds)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transactions", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def make_file(root: Path, transactions: int) -> Path:
    with Sandbox.create(root, find("system-mariadb"), QUICK, name="bench", trace=False) as sandbox:
        prepare(sandbox)
        commit(sandbox, client=0, first=1, last=transactions)
        sandbox.stop()
        largest = max(log_files(sandbox), key=lambda file: file.stat().st_size)
        return Path(shutil.copy(largest, root / largest.name))


def compare(file: Path, rounds: int) -> None:
    ours = [sys.executable, "-c", OURS, str(file), SCHEMA, SECRET.decode()]
    tools = {
        "ours": ours,
        "mariadb-binlog": ["mariadb-binlog", "--verify-binlog-checksum", str(file)],
        "mariadb-binlog -v": ["mariadb-binlog", "-v", "--base64-output=decode-rows", str(file)],
    }
    took = {name: [] for name in tools}
    inside = []
    for _ in range(rounds):
        for name, argv in tools.items():
            took[name].append(
                seconds(lambda argv=argv: subprocess.run(argv, stdout=subprocess.DEVNULL, check=True, cwd=ROOT))
            )
        inside.append(seconds(lambda: read([file], SCHEMA, SECRET)))
    print(f"ours, without the start of Python: {statistics.median(inside):.2f} s")
    for name, all_took in took.items():
        ratios = [theirs / mine for theirs, mine in zip(all_took, took["ours"], strict=True)]
        print(f"{name:18} {statistics.median(all_took):6.2f} s   {statistics.median(ratios):5.2f} times ours")
    print(f"memory of this process at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def seconds(act: "callable") -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
