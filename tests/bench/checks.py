"""The checks on a million acknowledged transactions: python tests/bench/checks.py

Goal of issue 3: under 10 s and 1 GiB. The evidence is spoilt in every tenth transaction's place, so that every check
has offenders to sort out.
"""

import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from workers.crash.checks import run_checks
from workers.crash.evidence import BinlogSeen, Evidence, Oddities, Seen
from workers.crash.ledger import ClientLedger, Ledger

CLIENTS, EACH = 16, 62_500


def main() -> None:
    times = np.append(np.linspace(0, 60, EACH), np.nan)
    ledger = Ledger(tuple(ClientLedger(client, EACH + 1, times) for client in range(CLIENTS)))
    acknowledged = ledger.acknowledged()
    engine = Seen(np.delete(acknowledged, np.s_[::10]), parts=acknowledged[::100])
    binlog = Seen(np.delete(acknowledged, np.s_[5::10]), twice=acknowledged[::1000])
    gtids = {f"0-1-{number}": int(key) for number, key in enumerate(acknowledged, 1)}
    order = acknowledged[np.argsort(ledger.told_at_s(acknowledged), kind="stable")]
    log = BinlogSeen(binlog, gtids, "open", "binlog.000001:4", order=order)
    evidence = Evidence(engine, log, prepared_left=0, tables_ok=True, rewritten=Oddities())
    began = time.monotonic()
    results = run_checks(ledger, evidence)
    took_s = time.monotonic() - began
    for result in results:
        print(f"{result.outcome:8} {result.key:18} {result.count:8} {result.says}")
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(acknowledged)} acknowledged: {took_s:.2f} s, {peak_mb:.0f} MiB at the most (with the evidence itself)")


if __name__ == "__main__":
    main()
