"""The laboratory of failovers: how often each topology loses acknowledged commits.

    python -m tests.bench.failovers [--trials 20] [--build system-mariadb] [NAME ...]

Prints a line of a Markdown table for each case, as in docs/research/topology.md. A case that this host or build cannot
do is named with the reason.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from workers.errors import DurascopeError
from workers.sandbox import builds, storage
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverResult, FailoverSetup
from workers.topology.topology import parse

DURABLE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
SLOW = storage.parse("k=2ms")  # a flush takes 2 ms: else a replica has applied everything before its power is gone
RELAXED = "replica.innodb_flush_log_at_trx_commit=0+replica.sync_binlog=0"
CASES: dict[str, tuple[str, str] | tuple[str, str, storage.Storage]] = {
    "async": ("async+rtt=20ms", "primary-host-loss"),
    "after-commit": ("semi-sync+rtt=20ms+wait=AFTER_COMMIT", "primary-host-loss"),
    "after-sync": ("semi-sync+rtt=20ms", "primary-host-loss"),
    "old-as-replica": ("semi-sync+rtt=20ms+policy=old-as-replica", "primary-host-loss"),
    "stop-first": ("semi-sync+rtt=4ms+behind+policy=stop-first", "primary-host-loss"),
    "apply-first": ("semi-sync+rtt=4ms+behind", "primary-host-loss"),
    "behind-and-killed": ("semi-sync+rtt=4ms+behind", "total-kill"),
    "all-without-power": ("semi-sync+rtt=4ms", "total-power-loss"),
    "all-without-power-slow-disks": ("semi-sync+rtt=4ms", "total-power-loss", SLOW),
    "unfenced": ("async+rtt=4ms+policy=unfenced", "partition"),
    "switchover": ("async+rtt=20ms", "switchover"),
    "in-place": ("semi-sync+rtt=4ms+policy=in-place", "primary-kill"),
    "far-replica": ("semi-sync+rtt=20ms+first-rtt=200ms+replicas=2+policy=first-replica", "primary-host-loss"),
    "replica-killed": (f"async+keyless+{RELAXED}", "replica-kill"),
    "replica-killed-file": (f"async+keyless+position=file+{RELAXED}", "replica-kill"),
    "replica-killed-table": (f"async+keyless+position=table+{RELAXED}", "replica-kill"),
    "replica-without-power": ("async+keyless", "replica-power-loss"),
    "replica-without-power-file": ("async+keyless+position=file", "replica-power-loss"),
    "replica-without-power-flush-2": (
        "async+keyless+replica.innodb_flush_log_at_trx_commit=2+replica.sync_binlog=1", "replica-power-loss",
    ),
}  # fmt: skip
COLUMNS = (
    "case", "topology", "fault", "trials that lost", "lost", "of acknowledged", "trials with phantoms", "ghosts",
    "replicas that lack commits or have them twice", "writes refused, median", "node that was down", "seconds a trial",
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("names", nargs="*", choices=[[], *CASES], default=[], metavar="NAME")
    asked.add_argument("--trials", type=int, default=20)
    asked.add_argument("--build", default="system-mariadb")
    given = asked.parse_args(argv)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    with tempfile.TemporaryDirectory(prefix="durascope-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        for name in given.names or CASES:
            print(_case(Path(folder), given.build, name, given.trials), flush=True)


def _case(root: Path, build: str, name: str, trials: int) -> str:
    topology, fault, *device = CASES[name]
    began = time.monotonic()
    try:
        found = [_trial(root, build, topology, fault, seed, *device) for seed in range(1, trials + 1)]
    except DurascopeError as why:
        return f"| {name} | {topology} | {fault} | not possible: {why} |"
    return _row(name, topology, fault, found, (time.monotonic() - began) / trials)


def _trial(
    root: Path, build: str, topology: str, fault: str, seed: int, device: storage.Storage | None = None
) -> FailoverResult:
    server = builds.find(build)
    own = {"gtid_strict_mode": "ON"} if server.flavour == "mariadb" else {}
    setup = FailoverSetup(
        root=root, build=server, name="bench", topology=parse(topology), settings=DURABLE | own, fault=fault, seed=seed,
        storage=device,
    )  # fmt: skip
    return run_failover(setup, lambda step: None, lambda: False)


def _row(name: str, topology: str, fault: str, found: list[FailoverResult], took_s: float) -> str:
    known = [one for one in found if one.lost]
    lost = [one.lost.transactions for one in known if one.lost]
    outages = [one.story.outage.total_s for one in known if one.story.outage]
    broken = len(found) - len(known)
    returns = sorted({_return(one) for one in known})
    wrong = [count for one in known if (count := _wrong(one))]
    row = (
        name,
        f"`{topology}`",
        fault,
        f"{sum(count > 0 for count in lost)} of {len(known)}" + (f", {broken} broke off" if broken else ""),
        _range([count for count in lost if count]),
        _range([one.acknowledged for one in known]),
        f"{sum(bool(one.story.phantoms) for one in known)} of {len(known)}",
        _range([one.story.ghosts or 0 for one in known]),
        f"{len(wrong)} of {len(known)} ({_range(wrong)})" if wrong else "",
        f"{median(outages):.2f} s" if outages else "",
        ", ".join(returns),
        f"{took_s:.1f}",
    )
    return f"| {' | '.join(row)} |"


def _range(counts: list[int]) -> str:
    return f"{min(counts)} to {max(counts)}" if counts else ""


def _wrong(one: FailoverResult) -> int:
    """Acknowledged commits that a crashed replica lacks or has twice, although it caught up."""
    missing = one.lost_replica.transactions if one.lost_replica else 0
    return missing + ((one.story.rejoin.doubled or 0) if one.story.rejoin else 0)


def _return(one: FailoverResult) -> str:
    if one.story.rejoin is None:
        return "does not return"
    if one.story.rejoin.state != "caught up":
        return f"{one.story.rejoin.state} ({one.story.rejoin.says[:5]})"
    return "rows differ, no error" if one.story.rejoin.different_rows else "equal rows"


if __name__ == "__main__":
    main()
