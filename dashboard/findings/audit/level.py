"""Whether the present settings of a server meet its service level, target by target, and which settings would.

The figures are of the newest result that measured the present settings on this server. A crash that was not tried there
may have been tried with these settings on another server of this installation. What
the rules of the durability report say of the present settings counts too: they need no measurement to miss a level."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dashboard.findings.audit.subject import AuditedServer
from dashboard.findings.audit.survival import LOST, Survivals
from dashboard.findings.crash.badges import tried_as
from dashboard.findings.crash.durability import DECIDING, of_facts, of_trial, spelled
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.present import is_set
from dashboard.findings.service_level import (
    LOOKS,
    NOT_TRIED,
    LevelTarget,
    Met,
    in_words,
    level_finding,
    targets_of,
    worst,
)
from dashboard.findings.shown import shown
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.kind_names import RECORDED_KINDS
from dashboard.records.experiments.models import Cell, Environment, Experiment, Run, Trial
from dashboard.records.experiments.states import OVER
from dashboard.records.servers.levels import Wanted
from dashboard.text.words import listed
from workers.bench.plan import Variant
from workers.servers.facts import Facts

MOST_RESULTS = 10  # the newest, in which the present settings are looked for


@dataclass(frozen=True)
class AuditedLevel:
    """`asked`: the level in a sentence. `targets`: of the present settings. `experiment_id`: the result of the figures,
    None: nothing was measured on this server. `tested`: the name of the present settings in it, "": it tested others
    only. `meet`: its settings that meet the level."""

    asked: str
    targets: tuple[LevelTarget, ...]
    experiment_id: int | None = None
    tested: str = ""
    meet: tuple[str, ...] = ()

    @property
    def met(self) -> Met:
        return worst([one.met for one in self.targets])

    @property
    def look(self) -> str:
        return LOOKS[self.met]

    @property
    def says(self) -> str:
        if self.experiment_id is None:
            return "No result has measured it yet."
        of = f"experiment {self.experiment_id}"
        tested = f"The present settings are {self.tested} in {of}."
        others = f"The newest result, {of}, tested other settings only."
        would = f"{listed(self.meet)} {'meets' if len(self.meet) == 1 else 'meet'} it."
        none = "No setting that it tested is known to meet it."
        return f"{tested if self.tested else others} {would if self.meet else none}"


def audited_level(subject: AuditedServer, wanted: Wanted, found: Survivals) -> AuditedLevel:
    server = subject.server
    results = _results(server.pk) if server else []
    if server is None or not results:
        return AuditedLevel(
            in_words(wanted), _by_rules(wanted, _tried_elsewhere(subject, wanted, targets_of(wanted)), found)
        )
    present = ((one, name) for one in results if (name := _present(subject, server.pk, one)))
    experiment, tested = next(present, (results[0], ""))
    view = shown(experiment)
    judged = level_finding(view, server.pk, wanted)
    targets = next((one.targets for one in judged.settings if one.name == tested), targets_of(wanted))
    targets = _tried_elsewhere(subject, wanted, targets)
    meet = tuple(one.name for one in judged.settings if one.met == "met")
    return AuditedLevel(judged.asked, _by_rules(wanted, targets, found), experiment.pk, tested, meet)


def _tried_elsewhere(
    subject: AuditedServer, wanted: Wanted, targets: tuple[LevelTarget, ...]
) -> tuple[LevelTarget, ...]:
    """A crash that was not tried on this server may have been tried with its settings on another one here, as on a
    sandbox. Recorded loads are left out: their crash points were not read. No other server stands for a managed one."""
    if subject.facts is None or subject.service or not wanted.survives:
        return targets
    facts = subject.facts
    like = tried_as(of_facts(facts))
    of_kinds = [(kind, one) for kinds in like.values() for kind, one in kinds.items() if kind not in RECORDED_KINDS]
    tallies = [Tally(0, "", kind, tuple(each.trial for each in one.trials)) for kind, one in of_kinds]
    others = targets_of(wanted, tried=tallies)
    return tuple(
        replace(other, measured=f"{other.measured}, on another server here with these settings")
        if one.measured == NOT_TRIED and other.measured != NOT_TRIED
        else one
        for one, other in zip(targets, others, strict=True)
    )


def _by_rules(wanted: Wanted, targets: Sequence[LevelTarget], found: Survivals) -> tuple[LevelTarget, ...]:
    """How much a crash may take is not known from settings: a level that allows a loss needs a measurement."""
    outcomes = {"kill": found.killed.outcome, "power": found.power_loss.outcome, "failover": found.failover.outcome}
    kept = len(targets) - len(wanted.survives)
    judged = (
        replace(one, met="missed", measured=f"{one.measured.removesuffix('.')}. By the settings, commits may be lost.")
        if outcomes.get(key) == LOST and not wanted.lost_s
        else one
        for key, one in zip(wanted.survives, targets[kept:], strict=True)
    )
    return (*targets[:kept], *judged)


def _results(server_id: int) -> list[Experiment]:
    """Ended experiments that measured or crashed this server, the newest first."""
    ended = Experiment.objects.filter(state__in=OVER, imported_at=None, ended_at__isnull=False)
    newest: set[int] = set()
    for rows in (Cell.objects.filter(server=server_id), Trial.objects.filter(server=server_id)):
        known = rows.filter(experiment__in=ended).order_by("-experiment_id").values_list("experiment_id", flat=True)
        newest |= set(known.distinct()[:MOST_RESULTS])
    return list(ended.filter(pk__in=newest).order_by("-ended_at", "-pk")[:MOST_RESULTS])


def _present(subject: AuditedServer, server_id: int, experiment: Experiment) -> str:
    """The variant that ran with the present settings of this server, "" if there is none."""
    if (facts := subject.facts) is None:
        return ""
    variants = [one for one in experiment.as_plan().variants if is_set(one, facts.variables)]
    return next((one.name for one in variants if _ran_as_now(facts, one, _environment(experiment, server_id, one))), "")


def _ran_as_now(facts: Facts, variant: Variant, environment: EnvironmentFacts) -> bool:
    """What the variant left to the server and decides durability was as now, and so was the series of the version."""
    ran, now = of_trial(environment, {}), facts.variables
    if ran.flavour and (ran.flavour, ran.version[:2]) != (facts.flavour, facts.version[:2]):
        return False
    names = [one for one in DECIDING.get(variant.engine.lower(), ()) if one not in variant.settings]
    return all(spelled(now[one]) == spelled(ran.settings[one]) for one in names if one in now and one in ran.settings)


def _environment(experiment: Experiment, server_id: int, variant: Variant) -> EnvironmentFacts:
    """Of a run or of a trial; empty if there is none."""
    place = {"experiment": experiment, "server": server_id, "variant": variant.name}
    runs = Run.objects.of_done_cells().filter(**{f"cell__{name}": one for name, one in place.items()})
    trials = Trial.objects.filter(**place).exclude(environment=None)
    pk = next(filter(None, (rows.values_list("environment_id", flat=True).first() for rows in (runs, trials))), None)
    return Environment.objects.get(pk=pk).known if pk else EnvironmentFacts()
