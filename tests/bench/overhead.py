"""TPS through the product / TPS of bare sysbench, same arguments, interleaved, on one sandbox.

    python tests/bench/overhead.py [--seconds 10] [--pairs 6] [--threads 8 64]

Two regimes: *fsync* (1/1: flushing is the limit) and *CPU* (0/0: the processor is). For each number of threads
it prints the median of the ratios of neighbouring runs with all default metric sources on. Goal: 0.99 where
fsync is the limit, 0.97 where the CPU is.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


from tests.unit.bench.plans import plan as small_plan
from workers.bench import measure as measuring
from workers.bench import sysbench
from workers.bench.load import LoadRequest, LoadResult
from workers.bench.measure import Listener, Prepared
from workers.bench.plan import PlannedCell, PlanTarget, Variant, WorkloadChoice
from workers.bench.stage import SandboxStage
from workers.bench.workloads import LUA_FOLDER
from workers.sandbox.builds import find

REGIMES = {
    "fsync": {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"},
    "CPU": {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"},
}
SILENT = Listener(lambda phase: None, lambda second, warming: None, lambda: False)


def main() -> None:
    asked = arguments()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ds-bench-") as folder:
        Path(folder).chmod(0o755)
        stage = SandboxStage(Path(folder), find("system-mariadb"), "bench", "", trace=True)
        untraced = SandboxStage(Path(folder), find("system-mariadb"), "untraced", "", trace=False)
        try:
            for regime, settings in REGIMES.items():
                for threads in asked.threads:
                    compare(stage, untraced, regime, Variant(regime, settings), threads, asked)
        finally:
            stage.close()
            untraced.close()


def compare(stage, untraced, regime: str, variant: Variant, threads: int, asked: argparse.Namespace) -> None:
    product, bare = [], []
    for _ in range(asked.pairs):
        load = through_the_product(stage, variant, threads, asked.seconds)
        product.append(load.transactions / load.elapsed_s)
        bare.append(bare_sysbench(untraced, variant, threads, asked.seconds, load.argv))
    ratios = [ours / theirs for ours, theirs in zip(product, bare, strict=True)]
    print(
        f"{regime:6} {threads:4} threads: product {statistics.median(product):8.0f} TPS, "
        f"bare {statistics.median(bare):8.0f} TPS, ratio {statistics.median(ratios):.3f} "
        f"({min(ratios):.3f} to {max(ratios):.3f})",
        flush=True,
    )


def through_the_product(stage, variant: Variant, threads: int, seconds: int) -> LoadResult:
    """A cell as the worker measures it: warm-up, all default sources on, samples read along."""
    cell = PlannedCell(0, 0, PlanTarget(1, "bench"), variant, WorkloadChoice("update", "update-by-key", {}), threads, 1)
    plan = replace(small_plan(), warmup_s=1, measure_s=seconds, table_rows=ROWS, seed=next(SEEDS))
    return measuring.measure(stage, PREPARED.setdefault(stage, Prepared()), plan, cell, SILENT).load


def bare_sysbench(stage, variant: Variant, threads: int, seconds: int, argv: tuple[str, ...]) -> float:
    """The same argv run by hand on a server without the trace: no sources, output to a pipe that is read at the end."""
    stage.apply(variant)
    if stage not in PREPARED:
        schema = stage.schema("innodb")
        request = LoadRequest(stage.target, schema, "update-by-key", {}, "innodb", ROWS, threads, seconds, 7)
        sysbench.prepare(request, lambda: False)
        PREPARED[stage] = Prepared()
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
SEEDS = itertools.count(1)
PREPARED: dict = {}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--threads", type=int, nargs="+", default=[8, 64])
    return parser.parse_args()


if __name__ == "__main__":
    main()
