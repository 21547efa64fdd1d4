"""Each invariant is broken on purpose: its check must call it, and must be silent again afterwards."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from django.db import transaction
from django.utils import timezone

from dashboard.records.experiments.models import Cell, Experiment, Run, Trial
from dashboard.records.holds.models import HostLease, PendingRestore
from tests.bench.chaos.installation import Installation
from tests.bench.chaos.invariants import INVARIANTS, KEPT, MESSAGES
from tests.bench.chaos.story import Said, Story

LEFT = "durascope-left-behind"
Breaking = Callable[[Installation, Story], AbstractContextManager[None]]


@contextmanager
def _settings(here: Installation, story: Story) -> Iterator[None]:
    here.target.ask("SET GLOBAL sync_binlog = 1")
    yield
    here.target.ask("SET GLOBAL sync_binlog = 7")


@contextmanager
def _schemas(here: Installation, story: Story) -> Iterator[None]:
    here.target.ask("CREATE DATABASE durascope_left")
    yield
    here.target.ask("DROP DATABASE durascope_left")


@contextmanager
def _processes(here: Installation, story: Story) -> Iterator[None]:
    """It has told that it runs: while a program is loaded, /proc has no command line of it."""
    argv = [sys.executable, "-c", "print(flush=True); input()"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(argv, cwd=here.place.home, **pipes) as left:
        assert left.stdout and left.stdout.readline()
        yield
        left.kill()


@contextmanager
def _mounts(here: Installation, story: Story) -> Iterator[None]:
    with _folder(here, story):
        point = here.place.sandboxes / "live" / LEFT
        subprocess.run(["mount", "-t", "tmpfs", "chaos", point], check=True)
        yield
        subprocess.run(["umount", point], check=True)


@contextmanager
def _loop_devices(here: Installation, story: Story) -> Iterator[None]:
    file = here.place.base / "image"
    file.write_bytes(bytes(1 << 20))
    device = subprocess.run(["losetup", "--find", "--show", file], check=True, capture_output=True, text=True).stdout
    yield
    subprocess.run(["losetup", "--detach", device.strip()], check=True)
    file.unlink()


@contextmanager
def _folder(here: Installation, story: Story) -> Iterator[None]:
    folder = here.place.sandboxes / "live" / LEFT
    folder.mkdir(parents=True)
    yield
    if folder.exists():  # a sweep may have been faster
        folder.rmdir()


@contextmanager
def _temporary(here: Installation, story: Story) -> Iterator[None]:
    file = here.place.temporary / LEFT
    file.touch()
    yield
    file.unlink()


@contextmanager
def _undone() -> Iterator[None]:
    """What is written inside is seen by the checks of this process only."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def _restores(here: Installation, story: Story) -> Iterator[None]:
    with _undone():
        PendingRestore.objects.create(
            server=here.attached, kind=PendingRestore.Kind.VARIABLE, name="sync_binlog", old="7"
        )
        yield


@contextmanager
def _leases(here: Installation, story: Story) -> Iterator[None]:
    with _undone():
        HostLease.objects.create(host=LEFT, experiment_id=story.experiments[0])
        yield


@contextmanager
def _still_running(here: Installation, story: Story) -> Iterator[None]:
    with _undone():
        Experiment.objects.filter(pk=story.experiments[0]).update(state="running")
        yield


@contextmanager
def _lost(here: Installation, story: Story) -> Iterator[None]:
    with _undone():
        Run.objects.filter(cell__experiment=story.experiments[0])[0].delete()
        yield


@contextmanager
def _measured_again(here: Installation, story: Story) -> Iterator[None]:
    with _undone():
        Cell.objects.filter(experiment=story.experiments[0]).update(started_at=timezone.now())
        yield


@contextmanager
def _never_measured(here: Installation, story: Story) -> Iterator[None]:
    with _undone():
        fields = {"server": here.sandbox, "variant": "v", "kind": "process-kill", "repeat": 1, "seed": 1}
        Trial.objects.create(experiment_id=story.experiments[0], position=99, **fields)
        yield


def _saying(text: str) -> Breaking:
    @contextmanager
    def breaking(here: Installation, story: Story) -> Iterator[None]:
        said = Said("cell 1", "failed", text)
        story.said.add(said)
        yield
        story.said.remove(said)

    return breaking


@contextmanager
def _touched(here: Installation, story: Story) -> Iterator[None]:
    story.unkept.append("a password was sent")
    yield
    story.unkept.clear()


@contextmanager
def _down(here: Installation, story: Story) -> Iterator[None]:
    pid = here.parts.pids()["beat"]
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    yield
    here.until(lambda: not here.parts.not_ready(), 60)


CONTROLS: Mapping[str, tuple[Breaking, ...]] = {
    "settings are restored": (_settings,),
    "schemas are dropped": (_schemas,),
    "no process is left": (_processes,),
    "no mount is left": (_mounts,),
    "no loop device is left": (_loop_devices,),
    "no folder is left": (_folder,),
    "no temporary file is left": (_temporary,),
    "nothing is still to be restored": (_restores,),
    "leases are returned": (_leases,),
    "experiments end": (_still_running,),
    "no cell or trial is lost or doubled": (_lost, _measured_again, _never_measured),
    MESSAGES: (_saying(""), _saying("Unexpected: KeyError: 7")),
    KEPT: (_touched,),
    "every part answers": (_down,),
}
ONLY_ROOT = ("no mount is left", "no loop device is left")


def unseen(here: Installation, story: Story) -> list[str]:
    """The controls that their check does not tell from peace. `story`: a round with cells in which nothing broke."""
    wrong = []
    for name, breakings in CONTROLS.items():
        if name in ONLY_ROOT and os.getuid() != 0:
            continue
        for number, breaking in enumerate(breakings):
            before = set(INVARIANTS[name](here, story))
            with breaking(here, story):
                seen = set(INVARIANTS[name](here, story)) - before
            still = set(INVARIANTS[name](here, story)) - before
            if not seen or still:
                wrong.append(f"{name}, control {number}: called {seen}, afterwards {still}")
    return wrong + [f"{name} has no control" for name in INVARIANTS.keys() - CONTROLS.keys()]
