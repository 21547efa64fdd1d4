"""Which crashes this installation itself has tried with the durability settings that a server has now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.findings.crash.durability import Durability, agree, of_server, of_trial
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.crash.trials import Tried, trials_of
from dashboard.records.experiments.crash_kinds import in_order, title
from dashboard.records.experiments.models import Environment, Experiment, Trial
from dashboard.records.experiments.verdict_label import COMMITS_LOST
from dashboard.records.servers.models import Server
from dashboard.records.servers.queries import last_answer
from workers.bench.plan import CONTROLS, Plan, Variant

NAMES = {"rocksdb": "MyRocks, "}
MOST_EXPERIMENTS = 50  # the newest; older ones are still in their own pages


@dataclass(frozen=True)
class Badge:
    """One crash class. `state`: passed, failed or unknown; `experiment_id`: the newest that it rests on."""

    kind: str
    state: str
    says: str
    experiment_id: int
    experiments: int


TriedLike = Mapping[str, Mapping[str, list[tuple[int, Tried]]]]  # engine -> crash kind -> (experiment, trial)


def tried_like(server: Server) -> TriedLike:
    """The trials here with the version and settings of this server; no engine: it was never asked for its settings."""
    answer = last_answer(server)
    present = of_server(answer.facts if answer else {})
    found: dict[str, dict[str, list[tuple[int, Tried]]]] = {engine: {} for engine in present.engines}
    for engine, experiment_id, trial in _like(present) if found else ():
        found[engine].setdefault(trial.kind, []).append((experiment_id, trial))
    return found


def badges(tried: TriedLike) -> list[Badge]:
    """Of each engine and crash kind, all checks together."""
    return [_badge(engine, kind, kinds[kind]) for engine, kinds in tried.items() for kind in in_order(kinds)]


def _like(present: Durability) -> list[tuple[str, int, Tried]]:
    """(Engine, experiment, trial) of all trials that ran with these settings, of experiments that can be believed."""
    answer = []
    for experiment, places in _candidates(present):
        trials = trials_of(experiment)
        if not self_test(trials).failed:
            found = ((places.get((trial.server_id, trial.variant)), trial) for trial in trials if trial.counts)
            answer += [(engine, experiment.pk, one) for engine, one in found if engine and one.kind not in CONTROLS]
    return answer


def _candidates(present: Durability) -> list[tuple[Experiment, dict[tuple[int, str], str]]]:
    """The newest experiments with trials, each with the engine of every (server, variant) that ran with these settings,
    "" for the others."""
    ended = Trial.objects.of_the_plan().exclude(verdict="").exclude(environment=None)
    for elsewhere in (Experiment.deleted, Experiment.imported):
        ended = ended.exclude(experiment__in=elsewhere.ids())
    known = ended.order_by("-experiment_id").values_list("experiment_id", flat=True).distinct()
    newest = list(known[:MOST_EXPERIMENTS])
    places = ended.filter(experiment__in=newest).order_by("-experiment_id")
    combinations = list(places.values_list("experiment_id", "server_id", "variant", "environment_id").distinct())
    experiments = Experiment.objects.defer("analysis").in_bulk(newest)
    plans = {pk: Plan.from_dict(one.plan) for pk, one in experiments.items()}
    environments = Environment.objects.in_bulk({one[3] for one in combinations})
    found: dict[int, dict[tuple[int, str], str]] = {}
    for experiment_id, server_id, variant, environment_id in combinations:
        engine = _agreed(present, plans[experiment_id], variant, environments[environment_id].data)
        tried, place = found.setdefault(experiment_id, {}), (server_id, variant)
        tried[place] = engine if tried.get(place, engine) == engine else ""  # the build was updated on the way
    return [(experiments[pk], places) for pk, places in found.items() if any(places.values())]


def _agreed(present: Durability, plan: Plan, variant: str, environment: Mapping[str, Any]) -> str:
    """The engine of a variant that ran with these settings; "" where it did not, or its engine's are not known."""
    planned = next((one for one in plan.variants if one.name == variant), Variant("", {}))
    engine = planned.engine.lower()
    ran = of_trial(environment, planned.settings)
    return engine if engine in present.engines and agree(engine, present, ran) else ""


def _badge(engine: str, kind: str, found: list[tuple[int, Tried]]) -> Badge:
    tally = Tally(0, "", kind, tuple(trial for _, trial in found))
    experiments = list(dict.fromkeys(experiment_id for experiment_id, _ in found))
    name = NAMES.get(engine, "") + title(kind)
    lost = sum(trial.verdict_label == COMMITS_LOST for trial in tally.decided)
    says = f"{name}: {tally.invalid.outcome(lost, tally.unknown)}"
    state = "failed" if tally.invalid.k else "passed" if tally.invalid.n and not tally.unknown else "unknown"
    return Badge(name, state, says, experiments[0], len(experiments))
