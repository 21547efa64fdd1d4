"""The load of one cell from several workers at once. The one that runs the experiment offers the other parts, waits
until all are ready, opens the barrier, puts its own part on, and makes one measurement of all.

Whatever happens, no part of an ended cell is taken later, and every sysbench ends before the server is touched again.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path

from django.db import transaction
from django.db.models import QuerySet

from dashboard.installation.retry import retried
from dashboard.records.experiments import claiming
from dashboard.records.experiments.lifecycle import RESUME
from dashboard.records.experiments.models import Cell, Part
from dashboard.records.experiments.states import move
from dashboard.records.fleet import sites, task_queue
from dashboard.records.fleet.models import Worker
from workers.bench import site_review, sysbench
from workers.bench.load import AskedSeldom, IsCancelled, Load, LoadRequest, LoadSecond, OnSecond
from workers.bench.merge import PartLoad, merge, split
from workers.errors import Cancelled, TogetherError
from workers.host.until import until
from workers.servers.target import Target
from workers.together import joiner
from workers.together.barrier import TOLD, Barrier

READY_S = 30.0
NOTIFY_EVERY_S = 1.0
MESSAGE_KEPT_S = 5.0
LOOK_EVERY_S = 0.1
LAST_S = 90.0  # after its own part: a joiner's last transaction may wait for a lock, and its result for the database
STOP_S = 20.0  # a living worker stops its sysbench within three; a dead one is known to be dead after this
State = Part.State


@dataclass(frozen=True)
class SharedLoad:
    """A `Gather` (workers.bench.load) for one claimed cell.

    `offer` has replaced the parts of an earlier claim. After `gather` every part is ready and nothing is loaded. `run`
    ends with a result of every part, or raises. After `dismiss`, which comes whatever raises, nobody works on a part.
    """

    cell: Cell
    worker: Worker
    count: int
    say: Callable[[str], None]
    ready_s: float = READY_S
    send: Callable[..., None] = task_queue.send

    @contextlib.contextmanager
    def __call__(self, request: LoadRequest, cancelled: IsCancelled) -> Iterator[Load]:
        """All workers are ready; the load raises TogetherError, and what sysbench.run raises."""
        self.must_be_enough()
        with _login(request.target) as login, Barrier() as barrier:
            requests = split(request, self.count)
            parts = self.offer(requests, login)
            try:
                self.gather(cancelled)
                yield lambda _, on_second, stop: merge(self._run(parts, barrier, requests[0], on_second, stop))
            finally:
                self.dismiss()

    @cached_property
    def _on_this_host(self) -> bool:
        """Whether workers on other hosts do not reach the server."""
        return self.cell.server.is_sandbox or self.cell.server.means_its_worker

    @cached_property
    def _failure(self) -> AskedSeldom[TogetherError]:
        """Why another part cannot end well."""
        return AskedSeldom(lambda: joiner.answered(self.look))

    def must_be_enough(self) -> None:
        here = (self.worker.host, self.worker.pid)
        alive = [one for one in sites.listening(self.worker.site) if (one.host, one.pid) != here]
        usable = [one for one in alive if not self._on_this_host or one.host == self.worker.host]
        names = sorted(map(str, (self.worker, *usable)))
        if len(set(names)) < self.count:
            where = self.worker.host if self._on_this_host else ""
            raise TogetherError(site_review.too_few(self.count, self.worker.site, names, where), RESUME)

    @retried
    @transaction.atomic
    def offer(self, requests: Sequence[LoadRequest], login: str) -> list[Part]:
        """Its own part is ready; the others wait to be taken. Those of an earlier claim of the cell are replaced."""
        if not claiming.claimed(self.cell).select_for_update().first():
            raise Cancelled("The cell was taken from this worker.")
        Part.objects.filter(cell=self.cell).delete()
        version = sysbench.version() or ""
        common = {"cell": self.cell, "attempt": self.cell.started_at, "login": login, "sysbench": version}
        made = [
            Part(number=number, threads=one.threads, request=_without_target(one), **common)
            for number, one in enumerate(requests)
        ]
        made[0].state, made[0].worker, made[0].by = State.READY, self.worker, str(self.worker)
        for part in made:
            part.save()
        return made

    def gather(self, cancelled: IsCancelled) -> None:
        self.say(f"waiting until {self.count} workers are ready")
        notify: AskedSeldom[bool] = AskedSeldom(self._notify, every_s=NOTIFY_EVERY_S)

        def ready() -> bool:
            notify()
            return self._rows().filter(state=State.READY).count() == self.count

        self._until(ready, self.ready_s, cancelled, self._missing)

    def _notify(self) -> None:
        site, host = self.worker.site, self.worker.host if self._on_this_host else ""
        for part in self._rows().filter(state=State.WAITING).values_list("pk", flat=True):
            try:
                self.send(task_queue.JOIN, part, site, host, MESSAGE_KEPT_S)
            except task_queue.QueueDown as silent:
                raise TogetherError(
                    f"The message queue (Redis) {silent.why}: no worker can be asked to join.",
                    f"{silent.fix} Then resume the experiment.",
                ) from silent

    def _missing(self) -> str:
        late = self._rows().exclude(state=State.READY)
        said = [f"part {one.number + 1} ({one.by or 'not started'})" for one in late]
        return f"Not all {self.count} workers were ready within {self.ready_s:.0f} s: {', '.join(said)} was missing."

    def _run(
        self, parts: list[Part], barrier: Barrier, request: LoadRequest, on_second: OnSecond, cancelled: IsCancelled
    ) -> list[PartLoad]:
        own, *others = parts
        if move(self._rows(), State.RUNNING) != self.count:
            raise self.look() or TogetherError("A worker that was ready stopped.", RESUME)
        opened = barrier.open(others)
        try:
            done = joiner.run(
                own,
                request,
                opened,
                lambda second: on_second(_summed(second, barrier.told(others))),
                lambda: cancelled() or self._failure() is not None,
            )
        except Cancelled:
            if self._failure.answer:
                raise self._failure.answer from None
            raise
        joiner.save(own, done)
        self._until(self._all_done, LAST_S, cancelled, lambda: "A worker did not report the result of its part.")
        return [done, *(part.load for part in self._rows().exclude(number=0))]

    def _all_done(self) -> bool:
        return self._rows().filter(state=State.DONE).count() == self.count

    def _until(self, true: Callable[[], bool], limit_s: float, cancelled: IsCancelled, late: Callable[[], str]) -> None:
        def must_go_on() -> None:
            if cancelled():
                raise Cancelled("The load was stopped because the experiment was cancelled.")
            if failure := self._failure():
                raise failure

        if not until(lambda: joiner.answered(true), limit_s, LOOK_EVERY_S, must_go_on):
            raise TogetherError(late(), RESUME)

    def look(self) -> TogetherError | None:
        others = self._rows().exclude(number=0)
        if failed := others.filter(state=State.FAILED).first():
            which = f"Part {failed.number + 1} of {self.count}, on {failed.by}, failed: {failed.error}"
            return TogetherError(which, failed.fix or RESUME)
        if dead := others.exclude(state=State.DONE).filter(worker__in=Worker.objects.dead()).first():
            return TogetherError(f"Worker {dead.by} ended during its part of the load.", RESUME)
        return None

    @retried
    def dismiss(self) -> None:
        """No part can be claimed any more. Joiners that hold one are stopped and waited for."""
        move(self._rows().filter(state=State.WAITING), State.FAILED, error="It was not needed any more.")
        others = self._rows().exclude(number=0)
        move(others, State.STOPPING)
        stopping = others.filter(state=State.STOPPING)
        until(lambda: not stopping.filter(worker__in=Worker.objects.alive()).exists(), STOP_S, LOOK_EVERY_S)
        move(self._rows(), State.FAILED, error="It was stopped.")

    def _rows(self) -> QuerySet[Part]:
        return Part.objects.filter(cell=self.cell, attempt=claiming.mark_of(self.cell))


def _without_target(request: LoadRequest) -> dict[str, object]:
    found = {one.name: getattr(request, one.name) for one in fields(request) if one.name != "target"}
    return {**found, "params": dict(request.params)}


def _summed(own: LoadSecond, others: Sequence[dict[str, float]]) -> LoadSecond:
    """For the live page: the newest second that each part told."""
    sums = {name: getattr(own, name) + sum(one[name] for one in others) for name in TOLD}
    return replace(own, p95_ms=None, **sums)


@contextlib.contextmanager
def _login(target: Target) -> Iterator[str]:
    """A file beside a sandbox that tells workers of the same account how to log in; "" for an attached server, whose
    password each opens from the vault."""
    if target.kind != "sandbox":
        yield ""
        return
    path = Path(target.socket).with_name("login.json")
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        # Only what is set: a worker of an older version does not know newer fields.
        json.dump({name: value for name, value in asdict(target).items() if value or name == "password"}, file)
    try:
        yield str(path)
    finally:
        path.unlink(missing_ok=True)
