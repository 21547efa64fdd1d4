"""Made-up crash trials of made-up experiments, stored as the worker stores them. `rates` is the crash matrix of
MariaDB 10.11 in small: losses of engine and binlog per trial, in turn."""

from dashboard.records.experiments.models import Experiment, Trial, TrialEvidence
from tests.unit.results import factory

HELD = [(0, 0)]
# variant -> kind -> (engine lost, binlog lost) of each trial
RATES = {
    "1/1": {"process-kill": HELD * 4, "power-loss": HELD * 30, "lying-disk": [(21000, 21000)] * 3,
            "graceful-restart": HELD * 3},
    "2/0": {"process-kill": HELD * 4, "power-loss": [(1162, 18000), (1400, 19000), (3630, 18500), (1250, 17000)]},
    "0/0": {"process-kill": [(948, 0), (4502, 0), (1100, 0), (1200, 0)],
            "power-loss": [(1897, 20000), (3665, 21000), (2500, 20000), (2100, 20000)]},
}  # fmt: skip
REPLICA = {"agree": 0, "diverge": 245}
STEPS = {"prepare": 0.3, "start": 0.4, "load": 1.7, "freeze": 0.01, "cut": 0.02, "kill": 0.03, "power on": 0.2,
         "recovery": 0.6, "evidence": 0.3, "checks": 0.1}  # fmt: skip


def experiment(rates=RATES, *, replica=True, measured=None, levels=None, **known) -> Experiment:
    """An experiment with cells of `levels` and trials of `rates`; None for a trial: it could not tell."""
    one = factory.experiment(levels or {name: level for name, level in factory.VARIANTS.items() if name in rates},
                             measured=measured, **known)  # fmt: skip
    one.plan = {**one.plan, "crash": {**one.plan["crash"], "trials": 30, "replica": replica}}
    one.save(update_fields=["plan"])
    add(one, rates)
    return one


def add(one, rates, environment=None):
    server_id = one.plan["targets"][0]["server_id"]
    environment = environment or factory.environment_row()
    asked = [
        (variant, kind, repeat, lost)
        for variant, kinds in rates.items()
        for kind, losses in kinds.items()
        for repeat, lost in enumerate(losses, start=1)
    ]
    first = one.trials.count()
    store(row(one, server_id, *each, position=first + nth, environment=environment) for nth, each in enumerate(asked))


def trial(one, server_id, variant, kind, repeat, lost, **fields):
    """`lost`: (engine, binlog), or None for a trial that broke off."""
    [made] = store([row(one, server_id, variant, kind, repeat, lost, position=one.trials.count(), **fields)])
    return made


def store(rows):
    """What `row` made, with two statements."""
    made = Trial.objects.bulk_create(rows)
    TrialEvidence.objects.bulk_create(
        TrialEvidence(trial=one, data=evidence(one, one.lost_engine != one.lost_binlog)) for one in made if one.verdict
    )
    return made


def row(one, server_id, variant, kind, repeat, lost, **fields):
    """It is not stored yet."""
    known = {
        "state": "done",
        "verdict": "unknown" if lost is None else "invalid" if any(lost) else "valid",
        "error": "evidence: the server did not answer" if lost is None else "",
        "sent": 22020, "acknowledged": 22000, "in_doubt": 16, "recovery_s": 0.6,
        **(dict(zip(("lost_engine", "lost_binlog"), lost, strict=True)) if lost else {}),
        **({"lost_engine_ms": lost[0] / 1.1, "lost_binlog_ms": lost[1] / 1.1} if lost else {}),
    } | fields  # fmt: skip
    return Trial(
        experiment=one, server_id=server_id, variant=variant, kind=kind, repeat=repeat, seed=90 + repeat,
        started_at=factory.STARTED, **known,
    )  # fmt: skip


def evidence(made, diverges):
    lost, gone = made.lost_engine or 0, made.lost_binlog or 0
    steps, at = [], 0.0
    for name, took in STEPS.items():
        steps.append({"name": name, "at_s": at, "took_s": took})
        at += took
    checks = [
        {"key": "lost-engine", "outcome": "invalid" if lost else "valid", "count": lost,
         "says": f"{lost} acknowledged transactions are gone from the engine." if lost else "All are in the engine.",
         "offenders": [[0, n] for n in range(1, min(lost, 20) + 1)]},
        {"key": "lost-binlog", "outcome": "invalid" if gone else "valid", "count": gone,
         "says": f"{gone} acknowledged transactions are gone from the binary log." if gone else "All are in it.",
         "offenders": [[1, n] for n in range(1, min(gone, 20) + 1)]},
        {"key": "order", "outcome": "valid", "count": 0, "says": "Nothing is missing in between.", "offenders": []},
    ]  # fmt: skip
    return {
        "checks": checks, "steps": steps, "crash_at_s": 1.7,
        "failed_at": "evidence" if made.verdict == "unknown" else "",
        "sets": {"sent": 22020, "acknowledged": 22000, "in_doubt": 16, "engine": 22003 - lost, "binlog": 22002 - gone,
                 "engine_and_binlog": 22000 - max(lost, gone), "acknowledged_in_engine": 22000 - lost,
                 "acknowledged_in_binlog": 22000 - gone, "acknowledged_in_neither": min(lost, gone)},
        "binlog": {"end": "zeros" if gone else "open", "end_at": "binlog.000001:4711", "unreadable": "", "reused": []},
        "replicas": [
            {"moment": "after recovery", "state": "stopped" if diverges else "caught up",
             "error": "1236 Got fatal error: bogus data in log event" if diverges else "",
             "different_rows": None if diverges else 0},
            {"moment": "after the primary wrote on", "state": "caught up", "error": "",
             "different_rows": REPLICA["diverge" if diverges else "agree"]},
        ],
        "gtid_before": "0-1-22003", "gtid_after": "0-1-3" if gone else "0-1-22003",
        "reissued": ["0-1-1"] if gone else [], "prepared_left": 0, "tables_ok": True,
        "recovery_lines": ["InnoDB: Starting crash recovery from checkpoint LSN=46846"],
        "log_lines": ["2026-03-01 12:00:00 0 [Note] Starting on db7.example.com in /srv/mysql/data"],
        "my_cnf": "[mysqld]\ndatadir=/srv/mysql/data\nsync_binlog=0\n", "notes": {"sectors lost": "1183"},
        "problems": [],
    }  # fmt: skip
