"""What must be true once the faults are over and everything had time to recover. Each returns what is broken."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from dashboard.records.experiments.models import Cell, Experiment, Run, Trial
from dashboard.records.holds.models import HostLease, PendingRestore
from tests.bench.chaos import found
from tests.bench.chaos.installation import Installation
from tests.bench.chaos.story import Story, judged, measured

OURS = re.compile(r"\.?(durascope|ds)[-_.]")  # temporary files; those of Python's multiprocessing are not
RIDDLES = re.compile(r"Traceback|Unexpected:|\[Errno|<class |object at 0x|\bNone\b|KeyError|AttributeError|TypeError")
MESSAGES = "messages say what happened"
KEPT = "what a fault must leave alone is left alone"
Check = Callable[[Installation, Story], list[str]]


def _settings(here: Installation, story: Story) -> list[str]:
    return [f"{name} is {value}" for name, value in here.target.changed().items()]


def _schemas(here: Installation, story: Story) -> list[str]:
    return sorted(here.target.added())


def _processes(here: Installation, story: Story) -> list[str]:
    return [f"{pid}: {line[:160]}" for pid, line in here.processes().items()]


def _mounts(here: Installation, story: Story) -> list[str]:
    return found.mounts(here.place.sandboxes)


def _loop_devices(here: Installation, story: Story) -> list[str]:
    return [one for one in found.loop_devices(here.place.base) if not one.endswith(f" {here.place.disk}")]


def _folders(here: Installation, story: Story) -> list[str]:
    return found.entries(here.place.sandboxes / "live", here.place.sandboxes / "images" / "making")


def _temporary(here: Installation, story: Story) -> list[str]:
    return [entry for entry in found.entries(here.place.temporary) if OURS.match(Path(entry).name)]


def _restores(here: Installation, story: Story) -> list[str]:
    owed = here.ask(lambda: list(PendingRestore.objects.filter(restored_at=None)))
    return [f"{debt.kind} {debt.name} of {debt.server_id}: {debt.problem}" for debt in owed]


def _leases(here: Installation, story: Story) -> list[str]:
    held = here.ask(lambda: list(HostLease.objects.values_list("host", "experiment")))
    return [f"{host} by experiment {experiment}" for host, experiment in held]


def _ended(here: Installation, story: Story) -> list[str]:
    rows = here.ask(lambda: list(Experiment.objects.filter(pk__in=story.experiments).values_list("pk", "state")))
    gone = set(story.experiments) - {pk for pk, _ in rows}
    return [f"experiment {pk} is gone" for pk in gone] + [
        f"experiment {pk} is {state} after {story.resumes} resumes" for pk, state in rows if state != "done"
    ]


def _rows(here: Installation, story: Story) -> list[str]:
    """Every cell has its one run, and what was measured or judged once was never measured again."""
    done = here.ask(lambda: measured(story.experiments))
    verdicts = here.ask(lambda: judged(story.experiments))
    left = here.ask(lambda: unfinished(story.experiments))
    runs = here.ask(lambda: Run.objects.filter(cell__experiment__in=story.experiments).count())
    broken = [f"cell {pk} is done without a run" for pk, (run, _) in done.items() if run is None]
    broken += [f"cell {pk} was {was}, is {done.get(pk)}" for pk, was in story.measured.items() if done.get(pk) != was]
    broken += [f"trial {pk} was {was}" for pk, was in story.verdicts.items() if verdicts.get(pk) != was]
    broken += [f"{runs} runs for {len(done)} measured cells"] if runs != len(done) else []
    return broken + left


def unfinished(experiments: list[int]) -> list[str]:
    rows = [
        (model.__name__.lower(), pk, state, error)
        for model in (Cell, Trial)
        for pk, state, error in model.objects.filter(experiment__in=experiments)
        .exclude(state="done")
        .values_list("pk", "state", "error")
    ]
    return [f"{kind} {pk} is {state}: {error}" for kind, pk, state, error in rows]


def _messages(here: Installation, story: Story) -> list[str]:
    """A cell, trial or experiment that ends badly says why, in words."""
    return [
        f"{said.of} {said.state}: {said.text or 'says nothing'}"
        for said in story.said
        if not said.text or RIDDLES.search(said.text)
    ]


def _kept(here: Installation, story: Story) -> list[str]:
    return story.unkept


def _parts(here: Installation, story: Story) -> list[str]:
    return [f"{name} does not answer" for name in here.parts.not_ready()]


INVARIANTS: Mapping[str, Check] = {
    "settings are restored": _settings,
    "schemas are dropped": _schemas,
    "no process is left": _processes,
    "no mount is left": _mounts,
    "no loop device is left": _loop_devices,
    "no folder is left": _folders,
    "no temporary file is left": _temporary,
    "nothing is still to be restored": _restores,
    "leases are returned": _leases,
    "experiments end": _ended,
    "no cell or trial is lost or doubled": _rows,
    MESSAGES: _messages,
    KEPT: _kept,
    "every part answers": _parts,
}


def broken(here: Installation, story: Story) -> dict[str, list[str]]:
    """Invariant -> what breaks it. An invariant that cannot be checked is broken."""
    result = {}
    for name, check in INVARIANTS.items():
        try:
            found_broken = check(here, story)
        except Exception as unknown:
            found_broken = [f"could not be checked: {unknown!r}"]
        if found_broken:
            result[name] = found_broken
    return result
