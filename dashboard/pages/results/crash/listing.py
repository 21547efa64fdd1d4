"""The trials of an experiment as a list: all of them, or those of one cell of the crash matrix."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.core.paginator import Paginator

from dashboard.findings.crash.recorded import noun_of
from dashboard.findings.crash.statistics import of, tallies
from dashboard.findings.crash.trials import REPLICAS_SAY, Tried
from dashboard.findings.shown import ResultView, at
from dashboard.findings.tested import engines
from dashboard.pages.results.page import shown_to
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments.kind_names import MUST_LOSE, title
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.experiments.verdict_label import REPLICA_STOPPED
from workers.bench.plan import CONTROLS
from workers.crash.setup_and_result import with_failed_step
from workers.topology.faults import FAULTS

ON_A_PAGE = 200
BADGE_OF = {"valid": "passed", "invalid": "failed", "unknown": "unknown"}


def badge(trial: Trial | Tried) -> str:
    """A class of badges.css."""
    return "warned" if trial.verdict_label == REPLICA_STOPPED else BADGE_OF.get(trial.verdict, trial.state)


def context(experiment: Experiment, query: Mapping[str, str], reader: Reader) -> dict[str, object]:
    """`query`: `variant` and `server` are places in the plan, `crash` is a crash kind. Unknown values are ignored."""
    view = shown_to(experiment, query, shared=reader.is_guest)
    variant = at(view.variants, query.get("variant"))
    kind = query.get("crash") if query.get("crash") in view.crash_kinds else None
    chosen = [trial for trial in view.trials if _is_asked(trial, variant, view.choice.server_id, kind)]
    page = Paginator(chosen, ON_A_PAGE).get_page(query.get("page"))
    named = engines(view.plan)
    return {
        "shared": reader.is_guest,
        "addresses": reader.addresses,
        "experiment": experiment,
        "name": view.clean(experiment.name),
        "page": page,
        "query": urlencode({name: query[name] for name in ("variant", "server", "crash") if query.get(name)}),
        "found": len(chosen),
        "title": _title(view, variant, kind),
        "tally": _tally(view, chosen, variant, kind),
        "trials": [_row(view, reader, trial) for trial in page],
        "engine": named[0] if len(named) == 1 else "the engine",
        "recorded": any(trial.points and trial.points.lost for trial in chosen),
        "total": len(view.trials),
        "failovers": any(trial.kind in FAULTS for trial in chosen),
        "replicas": any(trial.replica != "not tried" for trial in view.trials),
        "has_servers": len(view.names) > 1,
    }


def _is_asked(trial: Tried, variant: str | None, server_id: int | None, kind: str | None) -> bool:
    asked = ((variant, trial.variant), (server_id, trial.server_id), (kind, trial.kind))
    return all(wanted in (None, found) for wanted, found in asked)


def _title(view: ResultView, variant: str | None, kind: str | None) -> str:
    server = view.names.get(view.choice.server_id) if view.choice.server_id else ""
    parts = (view.clean(variant or ""), server, title(kind or ""))
    return ", ".join(part for part in parts if part)


def _tally(view: ResultView, chosen: list[Tried], variant: str | None, kind: str | None) -> str:
    """The sentence of one cell of the matrix; "" if the list holds the trials of several cells."""
    servers = {trial.server_id for trial in chosen}
    if variant is None or kind is None or len(servers) != 1:
        return ""
    return f"{view.clean(variant)} {of(tallies(chosen), (servers.pop(), variant, kind)).says}"


def _row(view: ResultView, reader: Reader, trial: Tried) -> dict[str, object]:
    as_expected = trial.kind in MUST_LOSE and trial.verdict == Trial.Verdict.INVALID  # no alarm: the checks work
    return {
        "trial": trial,
        "url": reader.addresses.trial(trial.id),
        "variant": view.clean(trial.variant),
        "error": view.clean(with_failed_step(trial.error)),
        "server": view.names[trial.server_id],
        "kind": title(trial.kind),
        "state": "passed" if as_expected else badge(trial),
        "word": "self-test passed: the loss was found" if as_expected else trial.verdict_label or trial.state,
        "points": _points(trial),
        "missing": trial.lost("engine"),
        "replica": REPLICAS_SAY[trial.replica],
        "is_control": trial.kind in CONTROLS,
    }


def _points(trial: Tried) -> str:
    """A recorded load has one row for many crash points."""
    if not trial.points or not trial.points.tried or trial.lost_engine is None:
        return ""
    noun = noun_of(trial.kind)
    if not trial.points.lost:
        return f"at {trial.points.tried:,} {noun}s"
    return f"at {trial.points.lost:,} of {trial.points.tried:,} {noun}s"
