"""One round: an experiment, faults while it runs, and then the invariants."""

from collections.abc import Iterable
from random import Random

from django.db import IntegrityError

from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import task_queue
from tests.bench.chaos import invariants, logs
from tests.bench.chaos.faults import FAULTS
from tests.bench.chaos.installation import Installation
from tests.bench.chaos.plans import SHAPES, Started
from tests.bench.chaos.scene import Fault, Scene
from tests.bench.chaos.story import Story
from workers.errors import PlanError

OVER_LIMIT_S = 180
SETTLE_S = 90
MOST_RESUMES = 6
BETWEEN_S = 4


def possible(installation: Installation) -> dict[str, Fault]:
    return {name: fault for name, fault in FAULTS.items() if not fault.missing(installation)}


def shapes_for(fault: Fault) -> list[str]:
    return [name for name, shape in SHAPES.items() if fault.fits(shape) and not shape.missing()]


def play(installation: Installation, number: int, chance: Random, shape: str, names: Iterable[str]) -> Story:
    """Faults that do not fit the shape are left out."""
    story, before = Story(number, shape), logs.sizes(installation)
    started = SHAPES[shape].start(installation)
    story.experiments.append(started.experiment.pk)
    for name in names:
        if FAULTS[name].fits(SHAPES[shape]):
            started = _running(installation, story, started)
            _inject(installation, story, started, name, chance)
    _finish(installation, story, started)
    _judge(installation, story)
    story.tracebacks = logs.tracebacks(installation, before)
    return story


def _inject(installation: Installation, story: Story, started: Started, name: str, chance: Random) -> None:
    installation.pause(chance.uniform(0, min(BETWEEN_S, installation.longest_s / 2)))
    installation.ask(story.look)
    note = FAULTS[name].inject(Scene(installation, chance, started.terminal, story.unkept))
    if note is None:
        story.missed.append(name)
    else:
        story.faults.append((name, note))
    installation.ask(story.look)


def _running(installation: Installation, story: Story, started: Started) -> Started:
    """An experiment that runs: the same, resumed if it ended badly, or another once it is done."""
    if _is_finished(installation, story):
        installation.until(lambda: not installation.parts.not_ready(), OVER_LIMIT_S)
        started = SHAPES[story.shape].start(installation)
        story.experiments.append(started.experiment.pk)
    elif _state(installation, story) not in ("queued", "running"):
        _resume(installation, story)
    installation.until(lambda: _state(installation, story) != "queued", OVER_LIMIT_S)
    return started


def _finish(installation: Installation, story: Story, started: Started) -> None:
    """Until it is done, as a person would do it: wait for its end, then Resume."""
    while True:
        if started.terminal:
            installation.until(lambda: started.terminal.status is not None, OVER_LIMIT_S)
        installation.until(lambda: _state(installation, story) not in ("queued", "running"), OVER_LIMIT_S)
        installation.ask(story.look)
        if _is_finished(installation, story) or story.resumes >= MOST_RESUMES:
            return
        if not _resume(installation, story):
            return


def _judge(installation: Installation, story: Story) -> None:
    installation.until(lambda: not _may_heal(installation, story), SETTLE_S)
    if story.broken:
        for pk in story.experiments:
            actions.cancel(installation.ask(lambda pk=pk: Experiment.objects.get(pk=pk)), None)


def _may_heal(installation: Installation, story: Story) -> bool:
    """Whether waiting is of use. What was said remains said, and what was touched, touched."""
    story.broken = invariants.broken(installation, story)
    return bool(story.broken.keys() - {invariants.MESSAGES, invariants.KEPT})


def _state(installation: Installation, story: Story) -> str:
    rows = Experiment.objects.filter(pk=story.experiments[-1]).values_list("state", flat=True)
    return installation.ask(rows.first)


def _is_finished(installation: Installation, story: Story) -> bool:
    return not installation.ask(lambda: invariants.unfinished(story.experiments)) and (
        _state(installation, story) == "done"
    )


def _resume(installation: Installation, story: Story) -> bool:
    """False: it cannot be resumed, and the invariants will say that it did not end."""
    story.resumes += 1
    experiment = installation.ask(lambda: Experiment.objects.get(pk=story.experiments[-1]))
    try:
        installation.ask(lambda: actions.resume(experiment, None))
    except task_queue.QueueDown:
        pass  # a worker rings by itself
    except (PlanError, IntegrityError) as refused:
        story.broken["resume"] = [str(refused)]
        return False
    return True
