"""The rows of the page of workers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from dashboard.records.experiments.kind_names import title
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import sites
from dashboard.records.fleet.models import Worker
from dashboard.records.fleet.site_names import LOCAL
from dashboard.records.servers.models import Preflight, Server
from workers.bench.abilities import Abilities

REMEMBERED = timedelta(days=1)  # dead workers are shown for this long


@dataclass(frozen=True)
class WorkerLine:
    """A worker, its present tasks, and the last experiment that it ended."""

    worker: Worker
    is_alive: bool
    experiments: tuple[Experiment, ...]
    preflights: tuple[Preflight, ...]
    last: Experiment | None

    @property
    def is_idle(self) -> bool:
        return not self.experiments and not self.preflights

    @cached_property
    def able(self) -> Abilities:
        return self.worker.able

    @property
    def impossible(self) -> Mapping[str, list[str]]:
        """Reason -> crashes that it makes impossible there. Reasons about the disk are left out."""
        found: dict[str, list[str]] = {}
        for kind, why in self.able.crash_missing.items():
            if why != self.able.disk_missing:
                found.setdefault(why, []).append(title(kind))
        return found


def lines() -> list[WorkerLine]:
    """Living workers first, then workers that ended or died within the last day; newest first."""
    ended = Experiment.objects.filter(worker=OuterRef("pk"), ended_at__isnull=False).order_by("-ended_at")
    recent = Worker.objects.filter(beat_at__gt=timezone.now() - REMEMBERED)
    rows = list(recent.order_by("-started_at", "-pk"))
    last = recent.annotate(last=Subquery(ended.values("pk")[:1])).values("last")
    done = {one.worker_id: one for one in Experiment.objects.filter(pk__in=last).defer("plan", "analysis")}
    living = set(recent.alive().values_list("pk", flat=True))
    running = Experiment.objects.filter(state=Experiment.State.RUNNING, worker__in=rows).defer("plan", "analysis")
    measured = list(running)
    tested = list(Preflight.objects.filter(state=Preflight.State.RUNNING).select_related("server"))
    newest = {str(worker): worker.pk for worker in reversed(rows)}  # a frozen worker goes on as a new row
    found = [
        WorkerLine(
            worker,
            worker.pk in living,
            tuple(one for one in measured if one.worker_id == worker.id),
            tuple(one for one in tested if newest.get(one.worker) == worker.pk),
            done.get(worker.pk),
        )
        for worker in rows
    ]
    return sorted(found, key=lambda line: not line.is_alive)


def alive() -> list[Worker]:
    return list(Worker.objects.alive().order_by("host", "pk"))


def sites_without_worker() -> list[str]:
    """A sentence for each site that has servers and no living worker. The local site is left out."""
    used = Server.objects.exclude(site=LOCAL).order_by().values_list("site", flat=True).distinct()
    return [sites.start_worker_message(site) for site in sorted(set(used) - sites.manned())]
