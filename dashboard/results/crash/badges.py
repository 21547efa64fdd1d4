"""Which crashes this installation itself has tried with the durability settings that a server has now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from dashboard.experiments.models import Environment, Experiment, Trial
from dashboard.results.crash.detector import detector
from dashboard.results.crash.kinds import in_order, title
from dashboard.results.crash.statistics import Tally
from dashboard.results.crash.trials import Tried, trials_of
from dashboard.servers.models import Server
from dashboard.servers.queries import last_answer
from workers.bench.plan import CONTROLS
from workers.servers.look import version_of

SETTINGS = {  # what decides over a commit, by engine
    "innodb": ("innodb_flush_log_at_trx_commit", "sync_binlog"),
    "rocksdb": ("rocksdb_flush_log_at_trx_commit", "rocksdb_manual_wal_flush", "sync_binlog"),
}
DEFAULTS = {"rocksdb_manual_wal_flush": "ON"}  # what a variant ran with that does not name it
NAMES = {"rocksdb": "MyRocks, "}
MOST_EXPERIMENTS = 50  # the newest; older ones are still in their own pages


@dataclass(frozen=True)
class Badge:
    """One crash class. `state`: passed, failed or unknown; `url`: the newest experiment that it rests on."""

    kind: str
    state: str
    says: str
    url: str
    experiments: int


def badges(server: Server) -> list[Badge]:
    """Empty: the server was never asked for its settings, or nothing like it was ever crashed here."""
    answer = last_answer(server)
    present = {known: engine for engine in SETTINGS if answer and (known := _present(answer.facts, engine))}
    if not present:
        return []
    found: dict[str, dict[str, list[tuple[int, Tried]]]] = {engine: {} for engine in SETTINGS}
    for engine, experiment_id, trial in _like(present):
        found[engine].setdefault(trial.kind, []).append((experiment_id, trial))
    return [_badge(engine, kind, kinds[kind]) for engine, kinds in found.items() for kind in in_order(kinds)]


def _present(facts: Mapping[str, Any], engine: str) -> tuple[str, ...] | None:
    """(engine, flavour, series, value of each setting); None where one of them is not known."""
    settings, names = {**DEFAULTS, **(facts.get("settings") or {})}, SETTINGS[engine]
    if not facts.get("flavour") or any(settings.get(name) is None for name in names):
        return None
    release = series(facts.get("version_text") or "")
    return (engine, facts["flavour"], release, *(str(settings[name]) for name in names))


def series(version_text: str) -> str:
    """The major version, by whose name people know a release: 10.11.6-MariaDB is of 10.11, 8.0.33 of 8.0."""
    major, minor, _ = version_of(version_text)
    return f"{major}.{minor}"


def _like(present: Mapping[tuple[str, ...], str]) -> list[tuple[str, int, Tried]]:
    """(Engine, experiment, trial) of all trials that ran with these settings, of experiments that can be believed."""
    answer = []
    for experiment, places in _candidates(present):
        trials = trials_of(experiment)
        if not detector(trials).failed:
            found = ((places.get((trial.server_id, trial.variant)), trial) for trial in trials)
            answer += [(engine, experiment.pk, one) for engine, one in found if engine and one.kind not in CONTROLS]
    return answer


def _candidates(present: Mapping[tuple[str, ...], str]) -> list[tuple[Experiment, dict[tuple[int, str], str]]]:
    """The newest experiments with trials, each with the (server, variant) that ran with these settings, and in which
    engine."""
    ended = Trial.objects.exclude(verdict="").exclude(environment=None)
    for elsewhere in (Experiment.deleted, Experiment.imported):
        ended = ended.exclude(experiment__in=elsewhere.ids())
    known = ended.order_by("-experiment_id").values_list("experiment_id", flat=True).distinct()
    newest = list(known[:MOST_EXPERIMENTS])
    places = ended.filter(experiment__in=newest).order_by("-experiment_id")
    combinations = list(places.values_list("experiment_id", "server_id", "variant", "environment_id").distinct())
    experiments = Experiment.objects.defer("analysis").in_bulk(newest)
    environments = Environment.objects.in_bulk({one[3] for one in combinations})
    found: dict[int, dict[tuple[int, str], str]] = {}
    for experiment_id, server_id, variant, environment_id in combinations:
        ran_with = _ran_with(experiments[experiment_id].plan, variant, environments[environment_id].data)
        if ran_with in present:
            found.setdefault(experiment_id, {})[server_id, variant] = present[ran_with]
    return [(experiments[pk], places) for pk, places in found.items()]


def _ran_with(plan: Mapping[str, Any], variant: str, environment: Mapping[str, Any]) -> tuple[str, ...] | None:
    """As `_present`; None for a variant of an engine whose commits these settings do not describe."""
    server = environment.get("server") or {}
    planned = next((one for one in plan["variants"] if one["name"] == variant), {})
    engine = planned.get("engine", "innodb").lower()
    if engine not in SETTINGS:
        return None
    settings = {**(server.get("variables") or {}), **planned.get("settings", {})}
    facts = {"flavour": server.get("flavour"), "version_text": server.get("version"), "settings": settings}
    return _present(facts, engine)


def _badge(engine: str, kind: str, found: list[tuple[int, Tried]]) -> Badge:
    tally = Tally(0, "", kind, tuple(trial for _, trial in found))
    experiments = list(dict.fromkeys(experiment_id for experiment_id, _ in found))
    state = "unknown" if not tally.invalid.n else "failed" if tally.invalid.k else "passed"
    name = NAMES.get(engine, "") + title(kind)
    says = f"{name}: failed in {tally.invalid.text}" if tally.invalid.n else f"{name}: not known"
    return Badge(name, state, says, reverse("results:page", args=[experiments[0]]), len(experiments))
