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

SETTINGS = ("innodb_flush_log_at_trx_commit", "sync_binlog")
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
    present = _present(answer.facts) if answer else None
    if present is None:
        return []
    found: dict[str, list[tuple[int, Tried]]] = {}
    for experiment_id, trial in _like(present):
        found.setdefault(trial.kind, []).append((experiment_id, trial))
    return [_badge(kind, found[kind]) for kind in in_order(found)]


def _present(facts: Mapping[str, Any]) -> tuple[str, ...] | None:
    """(flavour, series, value of each setting); None where one of them is not known."""
    settings = facts.get("settings") or {}
    if not facts.get("flavour") or any(settings.get(name) is None for name in SETTINGS):
        return None
    return (facts["flavour"], series(facts.get("version_text") or ""), *(str(settings[name]) for name in SETTINGS))


def series(version_text: str) -> str:
    """The major version, by whose name people know a release: 10.11.6-MariaDB is of 10.11, 8.0.33 of 8.0."""
    major, minor, _ = version_of(version_text)
    return f"{major}.{minor}"


def _like(present: tuple[str, ...]) -> list[tuple[int, Tried]]:
    """(Experiment, trial) of all trials that ran with these settings, of experiments that can be believed."""
    answer = []
    for experiment, places in _candidates(present):
        trials = trials_of(experiment)
        if not detector(trials).failed:
            found = (trial for trial in trials if (trial.server_id, trial.variant) in places)
            answer += [(experiment.pk, trial) for trial in found if trial.kind not in CONTROLS]
    return answer


def _candidates(present: tuple[str, ...]) -> list[tuple[Experiment, set[tuple[int, str]]]]:
    """The newest experiments with trials, each with the (server, variant) that ran with these settings."""
    ended = Trial.objects.exclude(verdict="").exclude(environment=None)
    known = ended.order_by("-experiment_id").values_list("experiment_id", flat=True).distinct()
    newest = list(known[:MOST_EXPERIMENTS])
    places = ended.filter(experiment__in=newest).order_by("-experiment_id")
    combinations = list(places.values_list("experiment_id", "server_id", "variant", "environment_id").distinct())
    experiments = Experiment.objects.defer("analysis").in_bulk(newest)
    environments = Environment.objects.in_bulk({one[3] for one in combinations})
    found: dict[int, set[tuple[int, str]]] = {}
    for experiment_id, server_id, variant, environment_id in combinations:
        if _ran_with(experiments[experiment_id].plan, variant, environments[environment_id].data) == present:
            found.setdefault(experiment_id, set()).add((server_id, variant))
    return [(experiments[pk], places) for pk, places in found.items()]


def _ran_with(plan: Mapping[str, Any], variant: str, environment: Mapping[str, Any]) -> tuple[str, ...] | None:
    """As `_present`; None for a variant of another engine, whose commits these settings do not describe."""
    server = environment.get("server") or {}
    planned = next((one for one in plan["variants"] if one["name"] == variant), {})
    if planned.get("engine", "innodb") != "innodb":
        return None
    settings = {**(server.get("variables") or {}), **planned.get("settings", {})}
    return _present({"flavour": server.get("flavour"), "version_text": server.get("version"), "settings": settings})


def _badge(kind: str, found: list[tuple[int, Tried]]) -> Badge:
    tally = Tally(0, "", kind, tuple(trial for _, trial in found))
    experiments = list(dict.fromkeys(experiment_id for experiment_id, _ in found))
    state = "unknown" if not tally.invalid.n else "failed" if tally.invalid.k else "passed"
    says = f"{title(kind)}: failed in {tally.invalid.text}" if tally.invalid.n else f"{title(kind)}: not known"
    return Badge(title(kind), state, says, reverse("results:page", args=[experiments[0]]), len(experiments))
