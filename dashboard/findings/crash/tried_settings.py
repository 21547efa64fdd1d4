"""The settings under which experiments were crashed, noted at their end. So the trials with the settings of a server
are found, however old, without reading the plans of other experiments."""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from dashboard.findings.crash.durability import DECIDING, Durability, key_of, of_trial
from dashboard.records.experiments.models import WORDS, Environment, Experiment, Trial, TriedSettings
from workers.bench.plan import CONTROLS

MOST_EXPERIMENTS = 50  # of each crash kind, the newest; older ones are still in their own pages


def counted() -> QuerySet[Trial]:
    """Trials that tell about settings."""
    return Trial.objects.of_the_plan().exclude(verdict="").exclude(environment=None)


@transaction.atomic
def note_tried_settings(experiment: Experiment) -> None:
    TriedSettings.objects.filter(experiment=experiment).delete()
    if not experiment.is_imported:
        TriedSettings.objects.bulk_create(
            TriedSettings(experiment=experiment, kind=kind, key=key) for kind, key in sorted(_tried(experiment))
        )


def _tried(experiment: Experiment) -> set[tuple[str, str]]:
    """(Crash kind, key). A failover says nothing of what one server keeps."""
    variants = {one.name: one for one in experiment.as_plan().variants if not one.topology}
    rows = counted().filter(experiment=experiment, variant__in=variants).exclude(kind__in=CONTROLS).order_by()
    places = list(rows.values_list("variant", "kind", "environment_id").distinct())
    environments = Environment.objects.in_bulk({environment_id for _, _, environment_id in places})
    ran = [
        (kind, variants[name].engine.lower(), of_trial(environments[pk].known, variants[name].settings))
        for name, kind, pk in places
    ]
    return {(kind, key_of(engine, one)) for kind, engine, one in ran if engine in DECIDING and one.flavour}


def experiments_like(present: Durability) -> list[int]:
    """The newest first: those noted with the settings of this server, and those that are not noted yet."""
    keys = [key_of(engine, present) for engine in present.engines]
    noted = TriedSettings.objects.filter(key__in=keys).exclude(experiment__in=Experiment.deleted.ids())
    found = set(_not_noted()) if keys else set()
    for key, kind in noted.values_list("key", "kind").distinct() if keys else ():
        newest = noted.filter(key=key, kind=kind).order_by("-experiment_id")
        found |= set(newest.values_list("experiment_id", flat=True)[:MOST_EXPERIMENTS])
    return sorted(found, reverse=True)


def _not_noted() -> QuerySet[Experiment, int]:
    """Of an installation whose notes are complete: those under way."""
    waiting = Experiment.objects.filter(finding_words__lt=WORDS, imported_at=None)
    tried = waiting.filter(Exists(counted().filter(experiment=OuterRef("pk"))))
    return tried.order_by("-pk").values_list("pk", flat=True)[:MOST_EXPERIMENTS]
