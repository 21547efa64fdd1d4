"""Results of crash trials of this installation with the version and the durability settings that a server has now.

If a crash kind was tried only on other versions of the same series, the trials of the nearest version count, and its
number is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.findings.crash.durability import Durability, agree, of_server, of_trial
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.crash.trials import Tried, plain_trials
from dashboard.findings.crash.tried_settings import counted, experiments_like
from dashboard.findings.tested import planned_variant
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.kind_names import in_order, title
from dashboard.records.experiments.models import Environment, Experiment, Trial
from dashboard.records.servers.models import Server
from dashboard.text.words import listed
from workers.bench.plan import CONTROLS, Plan
from workers.servers.answered import AnsweredFacts
from workers.servers.facts import Version

NAMES = {"rocksdb": "MyRocks, "}
MOST_NAMED = 3  # servers


@dataclass(frozen=True)
class Badge:
    """One crash kind. `state`: passed, failed or unknown; `experiment_id`: the newest experiment of its trials; `cell`:
    the address of the very trials in it; `neighbour`: the version of the trials, "" for the server's own.
    `look`: a class of badges.css; `where`: the servers that were crashed."""

    kind: str
    state: str
    says: str
    experiment_id: int
    cell: str
    experiments: int
    neighbour: str
    look: str
    where: str


@dataclass(frozen=True)
class TriedHere:
    """`variant`, `server`: places in the plan of its experiment."""

    experiment_id: int
    variant: int
    server: int
    trial: Tried

    @property
    def cell(self) -> str:
        """The address of all trials of this setting and crash kind in the experiment."""
        place = {"variant": self.variant, "server": self.server, "crash": self.trial.kind}
        return f"{reverse('results:trials', args=[self.experiment_id])}?{urlencode(place)}"


@dataclass(frozen=True)
class LikeTrials:
    """Trials of one engine and crash kind, the newest experiment first. `neighbour`: their version, "" for the server's
    own."""

    trials: tuple[TriedHere, ...]
    neighbour: str


Place: TypeAlias = tuple[int, str]  # server, variant
Ran: TypeAlias = tuple[str, Version]  # an engine with the wanted settings, and its version
TriedLike: TypeAlias = Mapping[str, Mapping[str, LikeTrials]]  # engine -> crash kind -> its trials


def tried_like(server: Server, *, own: bool = False) -> TriedLike:
    """The trials here with the settings of this server; no engine: it was never asked for its settings. `own`: only
    those that crashed this server."""
    answer = server.last_answer
    found = tried_as(of_server(answer.known if answer else AnsweredFacts()))
    return {engine: _of(server.pk, kinds) for engine, kinds in found.items()} if own else found


def _of(server_id: int, kinds: Mapping[str, LikeTrials]) -> dict[str, LikeTrials]:
    mine = {kind: tuple(one for one in like.trials if one.trial.server_id == server_id) for kind, like in kinds.items()}
    return {kind: LikeTrials(trials, kinds[kind].neighbour) for kind, trials in mine.items() if trials}


def tried_as(present: Durability) -> TriedLike:
    """The trials here with these settings on this version."""
    found: dict[str, dict[str, dict[Version, list[TriedHere]]]] = {engine: {} for engine in present.engines}
    for (engine, version), one in _like(present) if found else ():
        found[engine].setdefault(one.trial.kind, {}).setdefault(version, []).append(one)
    return {
        engine: {kind: _nearest(present.version, by_version) for kind, by_version in kinds.items()}
        for engine, kinds in found.items()
    }


def _nearest(version: Version, by_version: Mapping[Version, list[TriedHere]]) -> LikeTrials:
    """Of two neighbours at the same distance the newer one."""
    nearest = min(by_version, key=lambda one: (abs(one[2] - version[2]), -one[2]))
    return LikeTrials(tuple(by_version[nearest]), "" if nearest == version else ".".join(map(str, nearest)))


def badges(tried: TriedLike) -> list[Badge]:
    """Of each engine and crash kind, all checks together."""
    ids = {one.trial.server_id for kinds in tried.values() for like in kinds.values() for one in like.trials}
    names = dict(Server.everything.filter(pk__in=ids).values_list("pk", "name")) if ids else {}
    return [_badge(engine, kind, kinds[kind], names) for engine, kinds in tried.items() for kind in in_order(kinds)]


def _like(present: Durability) -> list[tuple[Ran, TriedHere]]:
    """All trials with these settings, in experiments whose self-test did not fail."""
    answer = []
    candidates = _candidates(present)
    trials = plain_trials(Trial.objects.filter(experiment__in=[experiment_id for experiment_id, _, _ in candidates]))
    for experiment_id, plan, places in candidates:
        variants, servers = [one.name for one in plan.variants], [one.server_id for one in plan.targets]
        of_all = trials.get(experiment_id, [])
        for trial in of_all if not self_test(of_all).failed else ():
            ran = places.get((trial.server_id, trial.variant)) if trial.counts else None
            if ran and trial.kind not in CONTROLS:
                place = (variants.index(trial.variant), servers.index(trial.server_id))
                answer.append((ran, TriedHere(experiment_id, *place, trial)))
    return answer


def _candidates(present: Durability) -> list[tuple[int, Plan, dict[Place, Ran | None]]]:
    """The newest experiments with such trials, each with its places; None: other settings, or two versions."""
    newest = experiments_like(present)
    places = counted().filter(experiment__in=newest).order_by()
    combinations = places.values_list("experiment_id", "server_id", "variant", "environment_id").distinct()
    rows = Experiment.objects.filter(pk__in=newest).values_list("pk", "plan")
    plans = {pk: Plan.from_dict(plan) for pk, plan in rows}
    environments = Environment.objects.in_bulk({one[3] for one in combinations})
    found: dict[int, dict[Place, Ran | None]] = {pk: {} for pk in newest}
    for experiment_id, server_id, variant, environment_id in combinations:
        ran = _agreed(present, plans[experiment_id], variant, environments[environment_id].known)
        tried, place = found[experiment_id], (server_id, variant)
        tried[place] = ran if tried.get(place, ran) == ran else None  # the build was updated during the experiment
    return [(pk, plans[pk], places) for pk, places in found.items() if any(places.values())]


def _agreed(present: Durability, plan: Plan, variant: str, environment: EnvironmentFacts) -> Ran | None:
    planned = planned_variant(plan, variant)
    if planned.topology:
        return None  # a failover says nothing of what one server keeps
    engine = planned.engine.lower()
    ran = of_trial(environment, planned.settings)
    return (engine, ran.version) if engine in present.engines and agree(engine, present, ran) else None


def _badge(engine: str, kind: str, like: LikeTrials, names: Mapping[int, str]) -> Badge:
    tally = Tally(0, "", kind, tuple(one.trial for one in like.trials))
    newest = like.trials[0]
    where = sorted({names[one.trial.server_id] for one in like.trials})
    name = NAMES.get(engine, "") + title(kind)
    says = f"{NAMES.get(engine, '')}{tally.outcome}{f' on {like.neighbour}' if like.neighbour else ''}"
    return Badge(
        kind=name,
        state=tally.invalid.state(tally.unknown),
        look=tally.invalid.look(tally.unknown),
        says=says,
        experiment_id=newest.experiment_id,
        cell=newest.cell,
        experiments=len({one.experiment_id for one in like.trials}),
        neighbour=like.neighbour,
        where=f"{len(where):,} servers" if len(where) > MOST_NAMED else listed(where),
    )
