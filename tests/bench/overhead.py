"""TPS through the product / TPS of bare sysbench, same arguments, interleaved.

    python tests/bench/overhead.py [--seconds 10] [--pairs 6] [--threads 8 64] [--flush-ms 5] [--regimes fsync CPU]

Two regimes: *fsync* (1/1: flushing is the limit) and *CPU* (0/0: the processor is). Where flushing is to be the limit,
it is: the data lie on a simulated disk whose flush takes --flush-ms, so that neither a busy machine nor the moods of
its own disk are what is measured (0: the host's disk). For each number of threads it prints the geometric mean of the
ratios of neighbouring runs, with its 95 % interval (Student's t of the logarithms) and their range; all default
metric sources are on, and which of the two goes first alternates. Goal: 0.99 where fsync is the limit, 0.97 where the
CPU is.
"""

import argparse
import contextlib
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


from tests.unit.bench.plans import plan as small_plan
from workers.bench import measure as measuring
from workers.bench import sysbench
from workers.bench.load import LoadRequest, LoadResult
from workers.bench.measure import Listener, LoadedTables
from workers.bench.plan import PlannedCell, PlanTarget, Variant, WorkloadChoice
from workers.bench.stage import SandboxStage
from workers.bench.workloads import LUA_FOLDER
from workers.sandbox.builds import find
from workers.sandbox.disk.volatile import VolatileDisk

REGIMES = {
    "fsync": {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"},
    "CPU": {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"},
}
SILENT = Listener(lambda activity: None, lambda second, warming: None, lambda: False)


def main() -> None:
    asked = arguments()
    for regime in asked.regimes:
        with folder_for(regime, asked.flush_ms) as folder, stages(folder) as (traced, untraced):
            for threads in asked.threads:
                compare(traced, untraced, regime, threads, asked)


@contextlib.contextmanager
def folder_for(regime: str, flush_ms: float) -> Iterator[Path]:
    """Where the servers lie: on a slow disk when fsync is to be the limit."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        Path(folder).chmod(0o755)
        if regime != "fsync" or not flush_ms:
            yield Path(folder)
            return
        with VolatileDisk.create(Path(folder) / "live" / "disk", DISK_BYTES) as disk:
            disk.storage(1000 * flush_ms)
            yield disk.mnt


@contextlib.contextmanager
def stages(folder: Path) -> Iterator[tuple[SandboxStage, SandboxStage]]:
    made: list[SandboxStage] = []
    with contextlib.ExitStack() as stack:
        for trace in (True, False):
            made.append(SandboxStage(folder, find("system-mariadb"), f"trace {trace}", "", trace=trace))
            stack.callback(made[-1].close)
        yield made[0], made[1]


def compare(traced, untraced, regime: str, threads: int, asked: argparse.Namespace) -> None:
    variant = Variant(regime, REGIMES[regime])
    argv = through_the_product(traced, variant, threads, 1).argv  # warms the server up, and tells the arguments
    argv = tuple(f"--time={asked.seconds}" if word.startswith("--time=") else word for word in argv)
    product, bare = [], []
    for pair in range(asked.pairs):
        for ours in (True, False) if pair % 2 else (False, True):
            if ours:
                load = through_the_product(traced, variant, threads, asked.seconds)
                product.append(load.transactions / load.elapsed_s)
            else:
                bare.append(bare_sysbench(untraced, variant, threads, asked.seconds, argv))
    ratios = [ours / theirs for ours, theirs in zip(product, bare, strict=True)]
    mean, low, high = interval(ratios)
    print(
        f"{regime:6} {threads:4} threads: product {statistics.median(product):8.0f} TPS, "
        f"bare {statistics.median(bare):8.0f} TPS, ratio {mean:.3f} (95 %: {low:.3f} to {high:.3f}; "
        f"{len(ratios)} pairs from {min(ratios):.3f} to {max(ratios):.3f})",
        flush=True,
    )


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """Geometric mean and its 95 % interval."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    half = STUDENT_T[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.inf
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def through_the_product(stage, variant: Variant, threads: int, seconds: int) -> LoadResult:
    """A cell as the worker measures it: warm-up, all default sources on, samples read along."""
    cell = PlannedCell(0, 0, PlanTarget(1, "bench"), variant, WorkloadChoice("update", "update-by-key", {}), threads, 1)
    plan = replace(small_plan(), warmup_s=1, measure_s=seconds, table_rows=ROWS, seed=next(SEEDS))
    return measuring.measure(stage, PREPARED.setdefault(stage, LoadedTables()), plan, cell, SILENT).load


def bare_sysbench(stage, variant: Variant, threads: int, seconds: int, argv: tuple[str, ...]) -> float:
    """The same argv run by hand on a server without the trace: no sources, output to a pipe that is read at the end."""
    stage.apply(variant)
    if stage not in PREPARED:
        schema = stage.schema("innodb")
        request = LoadRequest(stage.target, schema, "update-by-key", {}, "innodb", ROWS, threads, seconds, 7)
        sysbench.prepare(request, lambda: False)
        PREPARED[stage] = LoadedTables()
    own = [f"--mysql-socket={stage.target.socket}" if "--mysql-socket=" in word else word for word in argv]
    run_bare(stage, [f"--time={1}" if "--time=" in word else word for word in own], next(SEEDS))
    return run_bare(stage, own, next(SEEDS))


def run_bare(stage, argv: list[str], seed: int) -> float:
    argv = [f"--rand-seed={2 * seed}" if "--rand-seed=" in word else word for word in argv]
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "LUA_PATH": f"{LUA_FOLDER}/?.lua;;"}
    env["MYSQL_PWD"] = stage.target.password
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
    total = next(json.loads(line) for line in done.stdout.splitlines() if '"report":"total"' in line)
    return total["transactions"] / total["elapsed_s"]


ROWS = 10_000
DISK_BYTES = 3 << 30
# t of the 97.5th percentile by number of pairs; above 30 that of 30
STUDENT_T = dict.fromkeys(range(2, 1000), 2.045) | {
    **{2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262, 11: 2.228},
    **{12: 2.201, 13: 2.179, 14: 2.160, 15: 2.145, 16: 2.131, 17: 2.120, 18: 2.110, 19: 2.101, 20: 2.093},
}
SEEDS = itertools.count(1)
PREPARED: dict = {}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--threads", type=int, nargs="+", default=[8, 64])
    parser.add_argument("--flush-ms", type=float, default=5)
    parser.add_argument("--regimes", nargs="+", default=list(REGIMES), choices=REGIMES)
    return parser.parse_args()


if __name__ == "__main__":
    main()
