"""The comparison of a result page, from its rows."""

from collections.abc import Iterable, Sequence

from django.db.models.fields.json import KT

from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.crash.trials import Tried, engine_in
from dashboard.findings.flushing import level
from dashboard.findings.point import Point
from dashboard.findings.result.comparison import (
    ComparedSetting,
    Comparison,
    CrashMark,
    CrashOutcome,
    Moment,
    RecordedLoad,
    ReplicaOutcome,
    SettingSpeed,
)
from dashboard.findings.shown import ResultView
from dashboard.findings.tested import planned_variant
from dashboard.installation.stored import read_text
from dashboard.records.experiments.kind_names import HISTORIES, RECORDED
from dashboard.records.experiments.models import Trial, TrialEvidence
from workers.crash.points.story import JudgedPoint
from workers.crash.setup_and_result import LostWork

MOST_LOADS = 24  # whose moments are read for a page: the first of each setting, then the second ones


def comparison(view: ResultView, chosen: str = "") -> Comparison:
    """`chosen`: the setting that the page recommends, "" for none."""
    speeds = {(line.variant, line.server_id): line.points for line in view.lines}
    names = [variant.name for variant in view.plan.variants]
    rows = [_row(view, one, speeds, names.index(one.place.variant), chosen) for one in view.settings]
    found = Comparison(
        kind=view.choice.crash_kind,
        engine=engine_in(view.trials),
        counts=view.counts,
        threads=tuple(sorted({point.threads for points in speeds.values() for point in points})),
        at_threads=view.at_threads,
        rows=tuple(sorted(rows, key=_by_loss)),
        clients=view.plan.crash.clients,
        planned_s=view.plan.crash.load_s,
    )
    return found.with_moments(_moments(found.rows))


def _row(
    view: ResultView,
    one: CrashSetting,
    speeds: dict[tuple[str, int], tuple[Point, ...]],
    place: int,
    chosen: str,
) -> ComparedSetting:
    flush, sync = level(planned_variant(view.plan, one.place.variant).settings) or ("", "")
    recorded = one.recorded or (one.tally if one.tally.kind == RECORDED else None)
    return ComparedSetting(
        name=one.name,
        variant=one.place.variant,
        server_id=one.place.server_id,
        place=place,
        flush=flush,
        sync=sync,
        is_present=one.mine,
        speeds=tuple(map(_speed, speeds.get((one.place.variant, one.place.server_id), ()))),
        crashes=tuple(map(_mark, one.tally.trials)) if one.tally is not recorded else (),
        lost=one.tally.invalid,
        unclear=one.tally.unknown,
        loads=_loads(recorded),
        replica=_replica(one.tally),
        is_chosen=one.name == chosen,
    )


def _replica(tally: Tally) -> ReplicaOutcome:
    if tally.replica != "not tried":
        return tally.replica
    known = tally.would_differ
    if known is None:
        return ""
    concluded: dict[tuple[bool, bool], ReplicaOutcome] = {
        (False, False): "same", (True, False): "ahead", (False, True): "behind", (True, True): "both",
    }  # fmt: skip
    return concluded[known]


def _speed(point: Point) -> SettingSpeed:
    return SettingSpeed(point.threads, point.tps, point.lo, point.hi, point.repeats, point.ratio)


def _mark(trial: Tried) -> CrashMark:
    is_replicas = trial.is_of_replica
    return CrashMark(
        trial_id=trial.id,
        outcome=outcome_of(trial),
        engine=None if is_replicas else trial.lost_engine,
        binlog=None if is_replicas else trial.lost_binlog,
        replica=trial.lost_replica,
        acknowledged=trial.acknowledged,
        outage_s=trial.recovery_s,
    )


def outcome_of(trial: Tried) -> CrashOutcome:
    if trial.is_unknown:
        return "unclear"
    if trial.verdict == Trial.Verdict.INVALID:
        return "lost" if trial.lost("either") or trial.lost_replica or trial.phantoms else "other"
    return "kept" if trial.is_decided else "open"


def _loads(tally: Tally | None) -> tuple[RecordedLoad, ...]:
    """Small histories have no load."""
    if tally is None or tally.kind in HISTORIES:
        return ()
    return tuple(
        RecordedLoad(one.id, one.points.tried, one.points.lost, one.points.tried + one.points_left)
        for one in tally.trials
        if one.points
    )


def _by_loss(row: ComparedSetting) -> tuple[bool, bool, bool, float]:
    """The chosen one, then those that kept all, then by their loss; those without a trial last."""
    lost = max(row.median_lost("engine") or 0, row.median_lost("binlog") or 0)
    return not row.is_chosen, row.outcome == "open", row.outcome != "kept", lost


def _moments(rows: Sequence[ComparedSetting]) -> dict[int, tuple[Moment, ...]]:
    """Trial id -> its moments; one query. Their checks are most of the text, and are not read."""
    most = max((len(row.loads) for row in rows), default=0)
    in_turns = [row.loads[nth].trial_id for nth in range(most) for row in rows if nth < len(row.loads)]
    if not in_turns:
        return {}
    found = TrialEvidence.objects.filter(pk__in=in_turns[:MOST_LOADS]).values_list(
        "trial_id", KT("data__points__states")
    )
    return {pk: tuple(_in_time(read_text(tuple[JudgedPoint, ...], text))) for pk, text in found}


def _in_time(states: Iterable[JudgedPoint]) -> list[Moment]:
    return sorted(map(_moment, states), key=lambda one: one.at_s)


def _moment(state: JudgedPoint) -> Moment:
    engine, engine_s = _counted(state.lost_engine)
    binlog, binlog_s = _counted(state.lost_binlog)
    known: dict[str, CrashOutcome] = {"valid": "kept", "unknown": "unclear", "invalid": "other"}
    outcome = "lost" if state.has_lost else known[state.verdict]
    return Moment(state.at_s, outcome, engine, engine_s, binlog, binlog_s)


def _counted(lost: LostWork | None) -> tuple[int | None, float | None]:
    return (lost.transactions, lost.ms / 1000) if lost else (None, None)
