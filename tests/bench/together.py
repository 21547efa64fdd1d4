"""The same threads from one worker and from two, by turns, on one sandbox: what both commit per second.

    python tests/bench/together.py [SECONDS] [THREADS] [ROUNDS]

Both sysbench processes run on this host; they start as parts do, but without Redis and Celery in between. It prints
what it saw and judges nothing.
"""

import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from workers.bench import sysbench
from workers.bench.load import LoadRequest, LoadResult
from workers.bench.merge import PartLoad, merge, split
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers.connection import connect


def never() -> bool:
    return False


def load(request: LoadRequest, workers: int) -> LoadResult:
    parts: list[PartLoad | None] = [None] * workers
    barrier = threading.Barrier(workers)

    def run(number: int, part: LoadRequest) -> None:
        barrier.wait()
        opened, begun = time.monotonic(), []
        done = sysbench.run(part, lambda second: begun.append(time.monotonic() - second.t_s), never)
        parts[number] = PartLoad(str(number), begun[0] - opened, 0.0, done)

    running = [threading.Thread(target=run, args=one) for one in enumerate(split(request, workers))]
    for one in running:
        one.start()
    for one in running:
        one.join()
    return merge([part for part in parts if part])


def main(seconds: int = 10, threads: int = 64, rounds: int = 3) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        settings = {"log_bin": "ON", "sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1"}
        with Sandbox.create(Path(folder), builds.find("system-mariadb"), settings, name="bench") as server:
            with connect(server.target) as connection, connection.cursor() as cursor:
                cursor.execute("CREATE DATABASE bench_together")
            asked = LoadRequest(
                server.target, "bench_together", "update-by-key", {}, "innodb", 10_000, threads, seconds, 7
            )
            sysbench.prepare(asked, never)
            for turn in range(rounds):
                for workers in (1, 2):
                    found = load(replace(asked, seed=101 * turn + workers), workers)
                    tps, p99 = found.transactions / found.elapsed_s, found.percentiles_ms["p99"]
                    print(f"round {turn + 1}, from {workers}: {tps:.0f}/s, p99 {p99:.1f} ms", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
