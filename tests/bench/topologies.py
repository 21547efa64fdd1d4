"""What a failover trial takes beside its load, and what trials leave behind.

    python -m tests.bench.topologies speed [--trials 5]
    python -m tests.bench.topologies leavings [--cycles 50] [--topology galera+rtt=2ms] [--build system-mariadb]

Goals on 2 quiet cores, beside the load: MariaDB pair 3 s, MySQL pair 8 s, Galera 7 s, crash of a replica 4 s (MariaDB)
and 8 s (MySQL). `leavings` ends trials in four ways by turns (success, an error in the middle, cancelled, the worker
killed) and then counts processes, namespaces, mounts, loop devices, links of the host, folders of sandboxes and
temporary files of its own: goal 0.
"""

import argparse
import multiprocessing
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from workers.errors import Cancelled, DurascopeError
from workers.sandbox import builds
from workers.sandbox.sweep import sweep
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverResult, FailoverSetup
from workers.topology.topology import parse

DURABLE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
LOAD_S, LONGEST_S = 0.6, 12.0
TEMPORARY = "temporary"  # in the root: TMPDIR of this process and of the workers that it kills
SPEED = {
    "MariaDB pair": ("system-mariadb", "semi-sync", "primary-host-loss"),
    "MySQL pair": ("mysql-8.0.33", "semi-sync", "primary-host-loss"),
    "Galera": ("system-mariadb", "galera", "total-kill"),
    "MariaDB, crash of a replica": ("system-mariadb", "async", "replica-kill"),
    "MySQL, crash of a replica": ("mysql-8.0.33", "async", "replica-kill"),
}
WORKERS = [os.getpid()]
Left = dict[str, int]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=("speed", "leavings"))
    arguments.add_argument("--trials", type=int, default=5)
    arguments.add_argument("--cycles", type=int, default=50)
    arguments.add_argument("--topology", default="galera+rtt=2ms")
    arguments.add_argument("--build", default="system-mariadb", help="of leavings; speed has its own")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="durascope-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        if given.what == "speed":
            speed(Path(folder), given.trials)
        else:
            leavings(Path(folder), given.build, given.topology, given.cycles)


def asked(root: Path, build: str, topology: str, fault: str, seed: int, settings: Mapping[str, str]) -> FailoverSetup:
    return FailoverSetup(
        root=root, build=builds.find(build), name="bench", topology=parse(topology), settings=settings, fault=fault,
        seed=seed, load_s=LOAD_S,
    )  # fmt: skip


def trial(
    root: Path, build: str, topology: str, fault: str, seed: int, cancelled: Callable[[], bool] = lambda: False
) -> FailoverResult:
    setup = asked(root, build, topology, fault, seed, DURABLE)
    return run_failover(setup, lambda step: None, cancelled)


def speed(root: Path, trials: int) -> None:
    for name, (build, topology, fault) in SPEED.items():
        try:
            found = [timed(root, build, topology, fault, seed) for seed in range(trials + 1)][
                1:
            ]  # the first makes images
        except DurascopeError as why:
            print(f"{name}: not possible: {why}")
            continue
        beside = [took_s for took_s, _ in found]
        steps = {step.name: step.took_s for step in found[-1][1].steps}
        parts = ", ".join(f"{step} {took_s:.2f}" for step, took_s in steps.items() if step != "load")
        print(
            f"{name}: {statistics.median(beside):.1f} s beside the load ({min(beside):.1f} to {max(beside):.1f}; load "
            f"average {os.getloadavg()[0]:.0f}); the last: {parts}",
            flush=True,
        )


def timed(root: Path, build: str, topology: str, fault: str, seed: int) -> tuple[float, FailoverResult]:
    began = time.monotonic()
    result = trial(root, build, topology, fault, seed)
    if result.error:
        raise SystemExit(result.error)
    return time.monotonic() - began - sum(step.took_s for step in result.steps if step.name == "load"), result


def leavings(root: Path, build: str, topology: str, cycles: int) -> None:
    (root / TEMPORARY).mkdir(mode=0o1777)
    os.environ["TMPDIR"] = tempfile.tempdir = str(root / TEMPORARY)
    trial(root, build, topology, "total-power-loss", 0)  # makes images
    before = left(root)
    for number in range(cycles):
        name, end = list(ENDS.items())[number % len(ENDS)]
        end(root, build, topology, number)
        more = {what: count - before[what] for what, count in left(root).items()}
        print(f"{number + 1} {name}: {'nothing' if not any(more.values()) else more} left", flush=True)


def success(root: Path, build: str, topology: str, seed: int) -> None:
    trial(root, build, topology, "primary-kill", seed)


def error(root: Path, build: str, topology: str, seed: int) -> None:
    """A server that does not know its setting ends at its start."""
    setup = asked(root, build, topology, "primary-kill", seed, {"no_such_setting": "1"})
    if not run_failover(setup, lambda step: None, lambda: False).error:
        raise SystemExit("The trial did not fail.")


def cancel(root: Path, build: str, topology: str, seed: int) -> None:
    end = time.monotonic() + moment_s(seed)
    try:
        trial(root, build, topology, "total-power-loss", seed, lambda: time.monotonic() > end)
    except Cancelled:
        return


def worker_killed(root: Path, build: str, topology: str, seed: int) -> None:
    worker = multiprocessing.get_context("spawn").Process(
        target=trial, args=(root, build, topology, "total-power-loss", seed)
    )
    worker.start()
    WORKERS.append(worker.pid or 0)
    worker.join(moment_s(seed))
    worker.kill()
    worker.join()
    time.sleep(1.0)
    sweep(root)


def moment_s(seed: int) -> float:
    return random.Random(seed).uniform(0.2, LONGEST_S)


ENDS = {"success": success, "error": error, "cancelled": cancel, "worker killed": worker_killed}


def left(root: Path) -> Left:
    """Of this root: what `/proc`, the mounts and the loop devices of the host say."""
    places = [place for place in Path("/proc").iterdir() if place.name.isdecimal()]
    ours = [place for place in places if is_ours(command(place), root)]
    spaces = {(place / "ns/net").readlink() for place in ours if (place / "ns/net").is_symlink()}
    own = Path("/proc/self/ns/net").readlink()
    loops = subprocess.run(["losetup", "--list", "--noheadings"], capture_output=True, text=True).stdout
    return {
        "processes": len(ours),
        "namespaces": len(spaces - {own}),
        "mounts": Path("/proc/self/mounts").read_text().count(str(root)),
        "loop devices": loops.count(str(root)),
        "links": len(list(Path("/sys/class/net").iterdir())),
        "folders": len(list((root / "live").glob("*"))),
        "temporary files": len(list((root / TEMPORARY).iterdir())),
    }


def is_ours(words: str, root: Path) -> bool:
    """A server or disk of this root, or a process of a network, which bears the id of its worker."""
    of_network = "workers.topology.network" in words and not {*map(str, WORKERS)}.isdisjoint(words.split())
    return str(root) in words or of_network


def command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    main()
