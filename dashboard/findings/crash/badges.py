"""Results of crash trials of this installation with the version and the durability settings that a server has now.

If a crash kind was tried only on other versions of the same series, the trials of the nearest version count, and its
number is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from dashboard.findings.crash.durability import Durability, agree, of_server, of_trial
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.crash.trials import Tried, trials_of
from dashboard.records.experiments.kind_names import in_order, title
from dashboard.records.experiments.models import Environment, Experiment, Trial
from dashboard.records.servers.models import Server
from workers.bench.plan import CONTROLS, Plan, Variant
from workers.servers.facts import Version

NAMES = {"rocksdb": "MyRocks, "}
MOST_EXPERIMENTS = 50  # the newest; older ones are still in their own pages


@dataclass(frozen=True)
class Badge:
    """One crash kind. `state`: passed, failed or unknown; `experiment_id`: the newest experiment of its trials;
    `neighbour`: the version of the trials, "" for the server's own."""

    kind: str
    state: str
    says: str
    experiment_id: int
    experiments: int
    neighbour: str


@dataclass(frozen=True)
class LikeTrials:
    """Trials of one engine and crash kind. `neighbour`: their version, "" for the server's own."""

    trials: tuple[tuple[int, Tried], ...]  # (experiment, trial)
    neighbour: str


Place: TypeAlias = tuple[int, str]  # server, variant
Ran: TypeAlias = tuple[str, Version]  # an engine with the wanted settings, and its version
TriedLike: TypeAlias = Mapping[str, Mapping[str, LikeTrials]]  # engine -> crash kind -> its trials


def tried_like(server: Server) -> TriedLike:
    """The trials here with the settings of this server; no engine: it was never asked for its settings."""
    answer = server.last_answer
    return tried_as(of_server(answer.facts if answer else {}))


def tried_as(present: Durability) -> TriedLike:
    """The trials here with these settings on this version."""
    found: dict[str, dict[str, dict[Version, list[tuple[int, Tried]]]]] = {engine: {} for engine in present.engines}
    for (engine, version), experiment_id, trial in _like(present) if found else ():
        found[engine].setdefault(trial.kind, {}).setdefault(version, []).append((experiment_id, trial))
    return {
        engine: {kind: _nearest(present.version, by_version) for kind, by_version in kinds.items()}
        for engine, kinds in found.items()
    }


def _nearest(version: Version, by_version: Mapping[Version, list[tuple[int, Tried]]]) -> LikeTrials:
    """Of two neighbours at the same distance the newer one."""
    nearest = min(by_version, key=lambda one: (abs(one[2] - version[2]), -one[2]))
    return LikeTrials(tuple(by_version[nearest]), "" if nearest == version else ".".join(map(str, nearest)))


def badges(tried: TriedLike) -> list[Badge]:
    """Of each engine and crash kind, all checks together."""
    return [_badge(engine, kind, kinds[kind]) for engine, kinds in tried.items() for kind in in_order(kinds)]


def _like(present: Durability) -> list[tuple[Ran, int, Tried]]:
    """(Engine and version, experiment, trial) of all trials with these settings, in experiments whose self-test did not
    fail."""
    answer = []
    for experiment, places in _candidates(present):
        trials = trials_of(experiment)
        if not self_test(trials).failed:
            found = ((places.get((trial.server_id, trial.variant)), trial) for trial in trials if trial.counts)
            answer += [(ran, experiment.pk, one) for ran, one in found if ran and one.kind not in CONTROLS]
    return answer


def _candidates(present: Durability) -> list[tuple[Experiment, dict[Place, Ran | None]]]:
    """The newest experiments with trials, each with its places; None: other settings, or two versions."""
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
    found: dict[int, dict[Place, Ran | None]] = {}
    for experiment_id, server_id, variant, environment_id in combinations:
        ran = _agreed(present, plans[experiment_id], variant, environments[environment_id].data)
        tried, place = found.setdefault(experiment_id, {}), (server_id, variant)
        tried[place] = ran if tried.get(place, ran) == ran else None  # the build was updated during the experiment
    return [(experiments[pk], places) for pk, places in found.items() if any(places.values())]


def _agreed(present: Durability, plan: Plan, variant: str, environment: Mapping[str, Any]) -> Ran | None:
    planned = next((one for one in plan.variants if one.name == variant), Variant("", {}))
    if planned.topology:
        return None  # a failover says nothing of what one server keeps
    engine = planned.engine.lower()
    ran = of_trial(environment, planned.settings)
    return (engine, ran.version) if engine in present.engines and agree(engine, present, ran) else None


def _badge(engine: str, kind: str, like: LikeTrials) -> Badge:
    tally = Tally(0, "", kind, tuple(trial for _, trial in like.trials))
    experiments = list(dict.fromkeys(experiment_id for experiment_id, _ in like.trials))
    name = NAMES.get(engine, "") + title(kind)
    says = f"{NAMES.get(engine, '')}{tally.outcome}{f' on {like.neighbour}' if like.neighbour else ''}"
    return Badge(name, tally.invalid.state(tally.unknown), says, experiments[0], len(experiments), like.neighbour)
