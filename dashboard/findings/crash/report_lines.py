"""The durability report of a server. Each line has the results of crash trials with exactly the server's version and
settings. If only a neighbour version was tried, the line says so."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dashboard.findings.crash.badges import TriedHere, TriedLike
from dashboard.findings.crash.rate import rate
from dashboard.findings.crash.reference import ReferenceCrashes
from dashboard.findings.crash.trials import Tried
from dashboard.findings.grouped import grouped
from dashboard.records.experiments.kind_names import number_of, plural
from workers.bench.plan import CONTROLS
from workers.crash.kinds import CRASH_KINDS
from workers.servers.durability import DurabilityStatement

OF_SANDBOXES = {key: kind for key, kind in CRASH_KINDS.items() if key not in CONTROLS and not kind.attached}
TRIED_BY = {  # what a line of the report speaks of: the crash kinds whose trials tell
    "process kill": [key for key, kind in OF_SANDBOXES.items() if kind.keeps_page_cache],
    "power loss": [key for key, kind in OF_SANDBOXES.items() if kind.cuts_power],
}
ENGINES = {"InnoDB": "innodb", "MyRocks": "rocksdb"}


@dataclass(frozen=True)
class MeasuredCrashes:
    """Trials of one crash kind. `state`: passed, failed or unknown; `detail`: crash kind and 95 % bounds; `cell`: the
    address of those in the newest experiment; `neighbour`: the version that was tried, "" for the server's own."""

    state: str
    says: str
    detail: str
    cell: str
    neighbour: str


@dataclass(frozen=True)
class ReportLine:
    """`measured` is empty where nothing was tried. `reference`: of crash kinds
    that were not tried here, what was measured elsewhere: (in words, where)."""

    statement: DurabilityStatement
    measured: tuple[MeasuredCrashes, ...]
    reference: tuple[tuple[str, ReferenceCrashes], ...]


def report_lines(
    report: Iterable[DurabilityStatement],
    tried: TriedLike,
    references: Sequence[ReferenceCrashes] = (),
    not_judged: str = "",
) -> list[ReportLine]:
    """`not_judged`: why settings do not tell what a power loss takes; "": they do."""
    told = (
        replace(one, outcome="unknown", says=not_judged, rests_on="", changes=())
        if not_judged and one.crash_class == "power loss"
        else one
        for one in report
    )
    return [ReportLine(one, tuple(_measured(one, tried)), tuple(_referred(one, references))) for one in told]


def _referred(
    statement: DurabilityStatement, references: Sequence[ReferenceCrashes]
) -> Iterable[tuple[str, ReferenceCrashes]]:
    engine, kinds = statement.engine, TRIED_BY.get(statement.crash_class, ())
    for one in references:
        lost = one.lost_in(statement.what)
        if lost is not None and one.crash in kinds and ENGINES.get(engine, one.engine) == one.engine:
            yield one.told(lost), one


def _measured(statement: DurabilityStatement, tried: TriedLike) -> Iterable[MeasuredCrashes]:
    """Of the line's engine; binlog and agreement are of the server, whatever the engine."""
    engine = statement.engine
    engines = [ENGINES.get(engine, engine)] if engine else list(tried)
    for kind in TRIED_BY.get(statement.crash_class, ()):
        like = [tried[name][kind] for name in engines if kind in tried.get(name, {})]
        for neighbour, found in grouped((one.neighbour, trial) for one in like for trial in one.trials).items():
            yield _counted(statement.what, kind, neighbour, found)


def _counted(what: str, kind: str, neighbour: str, found: list[TriedHere]) -> MeasuredCrashes:
    ended = [one.trial for one in found if one.trial.is_decided or one.trial.is_unknown]
    known = [bad for trial in ended if trial.is_decided and (bad := _is_bad(trial, what)) is not None]
    unknown = len(ended) - len(known)
    rated = rate(sum(known), len(known), unknown)
    verb = "disagree" if what == "agreement" else "lost commits"
    says = f"{verb} in {rated.k:,} of {number_of(kind, rated.n)}" if rated.n else f"{plural(kind)} unclear"
    detail = [rated.bounds(), f"{unknown:,} unclear" if unknown else ""]
    newest = max(found, key=lambda one: one.experiment_id)
    return MeasuredCrashes(rated.state(unknown), says, ", ".join(filter(None, detail)), newest.cell, neighbour)


def _is_bad(trial: Tried, what: str) -> bool | None:
    """Whether this part lost something, or engine and binlog disagree; None: the trial cannot tell."""
    if what == "agreement":
        both = (trial.lost_engine, trial.lost_binlog)
        return None if None in both else both[0] != both[1]
    lost = trial.lost(what)
    return None if lost is None else lost > 0
