"""A whole experiment as one JSON document: enough to check every figure without this installation."""

from django.db.models import QuerySet

from dashboard.findings.analysis import stored
from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.records.experiments.models import Environment, Experiment, Run
from dashboard.records.holds.models import PendingRestore

FORMAT = "durascope-experiment-1"
_EXPERIMENT = (
    "name", "recipe", "recipe_size", "state", "error", "created_at", "started_at", "ended_at", "imported_at",
    "imported_from",
)  # fmt: skip
_RUN = (
    "cell__position", "cell__block", "cell__server_id", "cell__variant", "cell__workload", "cell__threads",
    "cell__repeat", "started_at", "elapsed_s", "transactions", "errors", "tps", "latency_ms", "figures", "latencies",
    "environment_id", "probe_id", "load_average", "effective", "series__columns", "evidence__command",
    "evidence__my_cnf", "evidence__output", "evidence__histogram",
)  # fmt: skip
_TRIAL = (
    "id", "position", "server_id", "variant", "kind", "repeat", "seed", "repeat_of_id", "state", "error", "fix",
    "started_at", "ended_at", "verdict", "sent", "acknowledged", "in_doubt", "lost_engine", "lost_engine_ms",
    "lost_binlog", "lost_binlog_ms", "lost_replica", "phantoms", "recovery_s", "environment_id",
    "evidence__data",
)  # fmt: skip


def not_restored(experiment: Experiment) -> QuerySet[PendingRestore]:
    """What it changed or created on attached servers, and what is still so."""
    return experiment.pending_restores.filter(restored_at=None).order_by("noted_at")


def everything(experiment: Experiment) -> dict[str, object]:
    """Times are ISO 8601 in UTC; runs refer to `environments` and `probes` by id."""
    runs = Run.objects.filter(cell__experiment=experiment).order_by("cell__position")
    rows = [{name.rpartition("__")[2]: value for name, value in row.items()} for row in runs.values(*_RUN)]
    trials = [
        {**row, "evidence": row.pop("evidence__data")} for row in experiment.trials.order_by("position").values(*_TRIAL)
    ]
    environments = Environment.objects.filter(pk__in={row["environment_id"] for row in (*rows, *trials)} - {None})
    unmeasured = experiment.cells.filter(run=None).values(
        "position", "server_id", "variant", "workload", "threads", "repeat", "state", "error", "fix"
    )
    outcomes = [one.as_dict() for one in outcomes_of(experiment)]
    return {
        "format": FORMAT,
        "experiment": {name: getattr(experiment, name) for name in _EXPERIMENT},
        "plan": experiment.plan,
        "analysis": stored(experiment),
        "claims": {**experiment.claims, "outcomes": outcomes} if experiment.claims else None,
        "environments": dict(environments.values_list("id", "data")),
        "probes": dict(experiment.probes.values_list("id", "data")),
        "watches": list(experiment.watches.values("server_id", "data")),
        "runs": rows,
        "trials": trials,
        "unmeasured": list(unmeasured),
        "not_restored": list(not_restored(experiment).values("server_id", "kind", "name", "old", "problem")),
    }
