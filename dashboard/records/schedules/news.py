"""The news of a night."""

from collections.abc import Iterator, Sequence

from django.urls import reverse

from dashboard.records.experiments.kind_names import title
from dashboard.records.experiments.models import DECIDED, Cell, Experiment, Trial, Trials
from dashboard.records.experiments.states import BROKEN_OFF
from dashboard.records.notifications.events import News, notify
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.schedules.queries import written

State = Experiment.State
Key = tuple[int, str, str]  # server, variant, kind of crash
LOOKED_BACK = 30  # nights, for the last verdict of a setting and crash


def tell(night: Night) -> None:
    for event in events(night):
        notify(event)


def tell_missed(schedule: Schedule, nights: Sequence[Night]) -> None:
    times = ", ".join(written(night.due_at, schedule.zone) for night in nights[-3:])
    rest = f" and {len(nights) - 3} before" if len(nights) > 3 else ""
    what = "a run was" if len(nights) == 1 else f"{len(nights)} runs were"
    text = f"{times}{rest}. {nights[-1].reason}"
    notify(News("night_missed", f"{schedule}: {what} missed", text, _page(schedule), _facts(nights[-1])))


def events(night: Night) -> Iterator[News]:
    """None for a night that succeeded or that a person cancelled."""
    name = f"{night.schedule}, {written(night.due_at, night.schedule.zone)}"
    if night.state == Night.State.SKIPPED:
        yield News("night_missed", f"{name}: skipped", night.reason, _page(night.schedule), _facts(night))
    elif night.state == Night.State.REFUSED:
        yield News("night_failed", f"{name}: refused", night.reason, _page(night.schedule), _facts(night))
    elif night.experiment is not None:
        yield from _of_experiment(night, night.experiment, name)


def _of_experiment(night: Night, experiment: Experiment, name: str) -> Iterator[News]:
    page = reverse("experiments:show", args=[experiment.pk])
    if experiment.state in BROKEN_OFF or (experiment.state == State.CANCELLED and night.reason):
        text = night.reason or f"{experiment.error} {experiment.fix}".strip()
        yield News("night_failed", f"{name}: {experiment.get_state_display()}", text, page, _facts(night))
    if experiment.level == "missed" and _level_before(night) != "missed":
        yield News("level_missed", f"{name}: the service level is missed", experiment.finding, page, _facts(night))
    if turned := turned_invalid(night, experiment):
        text = "\n".join(map(_says, turned))
        named = [{"server": one.server.name, "variant": one.variant, "kind": one.kind} for one in turned]
        facts = {**_facts(night), "turned": named}
        yield News("verdict_invalid", f"{name}: a setting fails a crash now", text, page, facts)


def _level_before(night: Night) -> str:
    """Of the last earlier night that says whether the level is met."""
    earlier = Night.objects.filter(schedule=night.schedule, due_at__lt=night.due_at).exclude(experiment__level="")
    known = earlier.filter(experiment__level__in=("met", "missed")).order_by("-due_at")
    return known.values_list("experiment__level", flat=True).first() or ""


def turned_invalid(night: Night, experiment: Experiment) -> list[Trial]:
    """The first invalid trial of each setting and crash that had none at the last look."""
    before = _invalid_before(night)
    found: dict[Key, Trial] = {}
    for trial in _judged(Trial.objects.filter(experiment=experiment, verdict=Trial.Verdict.INVALID)):
        if before.get(_key(trial)) is False:
            found.setdefault(_key(trial), trial)
    return list(found.values())


def _invalid_before(night: Night) -> dict[Key, bool]:
    """(Server, variant, kind) -> whether a trial was invalid in the last earlier night with verdicts."""
    before = Night.objects.filter(schedule=night.schedule, due_at__lt=night.due_at, experiment__isnull=False)
    earlier = before.exclude(experiment__in=Experiment.deleted.ids())
    found: dict[Key, bool] = {}
    for experiment_id in earlier.order_by("-due_at").values_list("experiment", flat=True)[:LOOKED_BACK]:
        judged = list(_judged(Trial.objects.filter(experiment=experiment_id)))
        invalid = {_key(trial) for trial in judged if trial.verdict == Trial.Verdict.INVALID}
        found = {_key(trial): _key(trial) in invalid for trial in judged} | found
    return found


def _judged(trials: Trials) -> Trials:
    """A trial with the verdict unknown changes nothing."""
    return trials.of_the_plan().filter(state=Cell.State.DONE, verdict__in=DECIDED).select_related("server")


def _key(trial: Trial) -> Key:
    return trial.server_id, trial.variant, trial.kind


def _says(trial: Trial) -> str:
    return f"{trial.variant} on {trial.server}, {title(trial.kind)}: nothing lost before, {trial.verdict_label} now."


def _page(schedule: Schedule) -> str:
    return reverse("schedules:show", args=[schedule.pk])


def _facts(night: Night) -> dict[str, object]:
    return {
        "schedule": night.schedule.name,
        "due_at": night.due_at.isoformat(),
        "state": night.state,
        "experiment": night.experiment_id,
    }
