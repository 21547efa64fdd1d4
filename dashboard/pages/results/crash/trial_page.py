"""The context of the page of one crash trial: its verdict, with all evidence."""

from collections.abc import Sequence
from dataclasses import replace

from dashboard.charts.bars import sets, timeline
from dashboard.findings.crash.durability import of_trial
from dashboard.findings.crash.missing import BINLOG
from dashboard.findings.crash.trials import WITH_REPLICA
from dashboard.findings.crash.why import LOGS, Cause, Lost, causes
from dashboard.findings.tested import check_title, engine_of_tables, naming, planned_variant
from dashboard.installation.stored import read
from dashboard.pages.results.crash import failover, recorded_load
from dashboard.pages.results.crash.listing import BADGE_OF, badge
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments.environment import EnvironmentFacts, facts
from dashboard.records.experiments.kind_names import HISTORIES, RECORDED_KINDS, title
from dashboard.records.experiments.models import Trial
from dashboard.records.experiments.trial_evidence import StoredEvidence
from dashboard.text.numbers import duration, ms, whole
from workers.bench.plan import Variant
from workers.bench.replica_flushes import settings_of
from workers.crash.kinds import CRASH_KINDS
from workers.crash.left_out import LEFT_OUT
from workers.crash.outage import ClientOutage
from workers.crash.setup_and_result import TrialStep, step_in_words
from workers.crash.verdict import CheckResult
from workers.topology.faults import FAULTS

SHOWN_OFFENDERS = 20
REPLICA = "the replica"
SIGNS = {"passed": "true", "failed": "not true", "unknown": "unclear", "idle": "nothing to check"}


def context(trial: Trial, reader: Reader) -> dict[str, object]:
    """`trial` with its experiment, server, environment and evidence."""
    evidence = getattr(trial, "evidence", None)
    data = read(StoredEvidence, reader.data(evidence.data)) if evidence else StoredEvidence()
    is_sandbox = trial.server.is_sandbox
    load = recorded_load.view(data.points, engine_of_trial(trial)) if data.points else None
    keeps = not reader.is_guest and not trial.experiment.is_imported
    return {
        "trial": trial,
        "shared": reader.is_guest,
        "addresses": reader.addresses,
        "name": reader.text(trial.experiment.name),
        "variant": reader.text(trial.variant),
        "server": reader.names[trial.server_id],
        "error": reader.text(f"{trial.error} {trial.fix}".strip()),
        "kind": title(trial.kind),
        "state": badge(trial),
        "word": trial.verdict_label or trial.get_state_display(),
        "sentence": load.sentence if load else sentence(trial, data.checks, data.failed_at),
        "causes": (found := _causes(trial, load)),
        "together": len(found) > 1 and all(cause.prevented_by for cause in found),
        "failover": _failover(trial, data),
        "outage": _outage(data.outage) if data.outage else None,
        "load": load,
        "histories": trial.kind in HISTORIES,
        "of_a_replica": trial.kind in WITH_REPLICA,
        "kept_points": load.kept if load and keeps else (),
        "has_point_list": load and not reader.is_guest,
        "kept_recording": load.recording if load and keeps else None,
        "data": data,
        "checks": [_check(one, load.noun if load else "", engine_of_trial(trial)) for one in data.checks],
        "timeline": timeline(_steps(data.steps) if load else data.steps, data.crash_at_s, trial.recovery_s),
        "clients": _clients(trial),
        "engine": engine_of_trial(trial),
        "sets": sets(data.sets, trial.acknowledged, trial.lost_replica, engine_of_trial(trial)),
        "losses": [
            (f"Lost from {place}", lost, _worst(load, place, lost) or _when(trial, lost, took))
            for place, lost, took in _losses(trial)
        ],
        "replicas": data.replicas,
        "recovery_lines": reader.server_text("\n".join(data.recovery_lines), is_sandbox=is_sandbox),
        "log_lines": reader.server_text("\n".join(data.log_lines), is_sandbox=is_sandbox),
        "my_cnf": reader.server_text(data.my_cnf, is_sandbox=is_sandbox),
        "settings": reader.variables(_variant(trial).settings),
        "notes": [(name, note) for name, note in data.notes.items() if not name.startswith(LEFT_OUT)],
        "left_out": _left_out(data),
        "facts": {name: reader.text(fact) for name, fact in _facts(trial).items()},
        "repeated": reader.addresses.trial(trial.repeat_of_id) if trial.repeat_of_id else "",
        "again": [(one, reader.addresses.trial(one.pk)) for one in trial.trial_set.order_by("id")],
    }


def _steps(steps: Sequence[TrialStep]) -> list[TrialStep]:
    """Of a recorded load: its server is killed after the recording, and not in a crash."""
    return [replace(one, name="end of the recording") if one.name == "kill" else one for one in steps]


def _left_out(data: StoredEvidence) -> list[tuple[str, str]]:
    """(A part that the trial left out, why)."""
    return [(name.removeprefix(LEFT_OUT), why) for name, why in data.notes.items() if name.startswith(LEFT_OUT)]


def _failover(trial: Trial, data: StoredEvidence) -> failover.FailoverView | None:
    if data.failover is None or trial.kind not in FAULTS:
        return None
    return failover.view(data.failover, trial.kind, _variant(trial).topology, data.crash_at_s, trial.acknowledged or 0)


def sentence(trial: Trial, checks: Sequence[CheckResult], failed_at: str) -> str:
    """The outcome of this trial in one sentence, without its full stop."""
    crash, wrong = title(trial.kind), naming(engine_of_trial(trial), _first_wrong(checks))
    if trial.verdict == Trial.Verdict.VALID and _is_of_replica(trial) and trial.lost_replica is None:
        return f"After this {crash} the replica stopped with an error: it must be rebuilt"
    if trial.verdict == Trial.Verdict.VALID:
        return f"All {whole(trial.acknowledged)} acknowledged commits survived this {crash}"
    if trial.verdict == Trial.Verdict.INVALID:
        if trial.kind in FAULTS and not _is_of_replica(trial) and trial.lost_engine:
            return failover.sentence(trial.acknowledged or 0, trial.lost_engine, trial.lost_engine_ms, crash)
        worst_first = sorted(_places(trial), key=lambda one: -(one[1] or 0))
        found = [(place, n, _when(trial, n, took)) for place, n, took in worst_first if n]
        lost = [(whole(n), f"from {place}{f' ({when})' if when else ''}") for place, n, when in found]
        if lost:
            (count, where), *others = lost
            of_all = f"{count} of {whole(trial.acknowledged)} acknowledged commits {where}"
            return f"This {crash} took {' and '.join([of_all, *map(' '.join, others)])}"
        if _stays_down(checks):
            engine = engine_of_trial(trial)
            return f"The server does not start after this {crash}, so the commits in {engine} cannot be counted"
        if _places(trial)[0][1] is None and trial.kind in FAULTS:
            return f"The commits on {_places(trial)[0][0]} could not be counted, and {wrong}"
        if trial.lost_engine is None:
            return f"The commits in {engine_of_trial(trial)} could not be counted after this {crash}, and {wrong}"
        return f"No acknowledged commit was lost in this {crash}, but {wrong}"
    if trial.verdict or trial.state == Trial.State.FAILED:
        where = f": the trial broke off at the step {step_in_words(failed_at)}" if failed_at else ""
        return f"Unclear whether acknowledged commits survived this {crash}{where}"
    return f"This {crash} is {trial.get_state_display()}"


def _is_of_replica(trial: Trial) -> bool:
    return trial.kind in FAULTS and FAULTS[trial.kind].of_replica


def _places(trial: Trial) -> Sequence[tuple[str, int | None, float | None]]:
    """(Place, commits lost from it, the time in which they were committed)."""
    if _is_of_replica(trial):
        return ((REPLICA, trial.lost_replica, None),)
    if trial.kind in FAULTS:
        return (("the new primary", trial.lost_engine, trial.lost_engine_ms),)
    return (
        (engine_of_trial(trial), trial.lost_engine, trial.lost_engine_ms),
        (BINLOG, trial.lost_binlog, trial.lost_binlog_ms),
    )


def engine_of_trial(trial: Trial) -> str:
    """The storage engine of the tables, as people write it."""
    return engine_of_tables(_variant(trial), trial.kind)


def _when(trial: Trial, lost: int | None, took_ms: float | None) -> str:
    """Which of the acknowledged commits were lost."""
    if not lost or took_ms is None:
        return ""
    return "all of them" if lost == trial.acknowledged else f"committed in the last {ms(took_ms)} of the load"


def _worst(load: recorded_load.LoadView | None, place: str, lost: int | None) -> str:
    """Of a recorded load: at which crash point most was lost. Each place has one of its own."""
    if load is None or lost is None:
        return ""
    at = load.worst_at.get({BINLOG: "lost_binlog", REPLICA: "lost_replica"}.get(place, "lost_engine"))
    return f"worst {load.noun}: {at}" if at else f"at all {load.noun}s"


def _stays_down(checks: Sequence[CheckResult]) -> bool:
    return any(check.key == "stays-down" and check.outcome == "invalid" for check in checks)


def _first_wrong(checks: Sequence[CheckResult]) -> str:
    wrong = [check.says for check in checks if check.outcome == "invalid"]
    return f"a check failed: {wrong[0].rstrip('.')}" if wrong else "a check failed"


def _losses(trial: Trial) -> list[tuple[str, int | None, float | None]]:
    replica = (REPLICA, trial.lost_replica, None)
    return list(dict.fromkeys((*_places(trial), *((replica,) if trial.lost_replica is not None else ()))))


def _check(one: CheckResult, point: str, engine: str) -> dict[str, object]:
    """`point`: it counts crash points or kill points, and the transactions are those of the first; "": it does not."""
    offenders = [f"transaction {n:,} of client {client}" for client, n in one.offenders]
    state = "idle" if one.vacuous else BADGE_OF[one.outcome]
    return {
        "state": state,
        "word": SIGNS[state],
        "name": check_title(one.key, engine),
        "says": naming(engine, one.says),
        "folded": f"Transactions at this {point}" if point else _transactions(one.count),
        "offenders": offenders[:SHOWN_OFFENDERS],
        "more": 0 if point else max(0, one.count - len(offenders[:SHOWN_OFFENDERS])),
    }


def _clients(trial: Trial) -> str:
    """A simulated disk is not as fast as that of the speed measurements."""
    count, crash = trial.experiment.as_plan().crash.clients, CRASH_KINDS.get(trial.kind)
    where = "; do not read this as speed: the disk is simulated" if crash and crash.needs_disk else ""
    until = " until the end of the load" if trial.kind in RECORDED_KINDS else ""
    return f"commits of {'1 client' if count == 1 else f'{count:,} clients'}{until}{where}"


def _transactions(count: int) -> str:
    return "1 transaction" if count == 1 else f"{count:,} transactions"


def _causes(trial: Trial, load: recorded_load.LoadView | None) -> tuple[Cause, ...]:
    """Why commits were lost, from the settings that the server ran with."""
    planned = _variant(trial)
    ran = of_trial(trial.environment.known if trial.environment else EnvironmentFacts(), planned.settings).settings
    own = settings_of(trial.experiment.as_plan().crash, planned.engine)
    if trial.kind in HISTORIES:  # no load, so no time of it
        return causes(trial.kind, "innodb", ran, Lost(trial.lost_engine, None, trial.lost_binlog, None), own)
    lost = Lost(
        trial.lost_engine,
        trial.lost_engine_ms,
        trial.lost_binlog,
        trial.lost_binlog_ms,
        trial.lost_replica if trial.kind in WITH_REPLICA else None,
        trial.acknowledged,
        frozenset(log for log in LOGS if load and f"lost_{log}" in load.all_before),
    )
    return causes(trial.kind, planned.engine.lower(), ran, lost, own)


def _facts(trial: Trial) -> dict[str, str]:
    return facts(trial.environment.known) if trial.environment else {}


def _variant(trial: Trial) -> Variant:
    return planned_variant(trial.experiment.as_plan(), trial.variant)


def _outage(outage: ClientOutage) -> dict[str, object]:
    known = [
        ("Last acknowledged commit before", _moment(outage.last_s)),
        ("First acknowledged commit afterwards", _moment(outage.first_s)),
        ("Failed attempts", f"{whole(outage.failed)} logins or statements"),
        ("In doubt", f"{whole(outage.in_doubt)} sent, no answer"),
        ("Acknowledged afterwards", _after_outage(outage)),
        ("Why the outage is unknown", outage.why),
    ]
    took = "unknown" if outage.seconds is None else duration(outage.seconds)
    return {"took": took, "facts": [(name, says) for name, says in known if says]}


def _moment(at_s: float | None) -> str:
    return "" if at_s is None else f"{duration(at_s)} after the load began"


def _after_outage(outage: ClientOutage) -> str:
    if outage.first_s is None:
        return ""
    known = {None: "unclear whether they are there", 0: "all are there"}
    return f"{whole(outage.after)}, {known.get(outage.missing) or f'{whole(outage.missing)} are missing'}"
