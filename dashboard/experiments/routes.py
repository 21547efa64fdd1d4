"""Where a doorbell rings: at the site of the servers that its row is about; what is about none, at any worker."""

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.experiments.models import Cell, Trial
from dashboard.fleet import site_names, task_queue
from dashboard.schedules.models import Schedule
from dashboard.servers.models import Preflight, Server


def site_of_experiment(experiment_id: int) -> str | None:
    """Its servers share one site: review and workers see to that. None: it has neither cells nor trials."""
    for rows in (Cell.objects, Trial.objects):
        site = rows.filter(experiment=experiment_id).values_list("server__site", flat=True).first()
        if site:
            return site
    return None


def site_of_preflight(preflight_id: int) -> str | None:
    return Preflight.objects.filter(pk=preflight_id).values_list("server__site", flat=True).first()


def site_of_schedule(schedule_id: int) -> str | None:
    schedule = Schedule.objects.get(pk=schedule_id)
    return Server.objects.filter(pk__in=schedule.server_ids).values_list("site", flat=True).first()


SITES: dict[str, Callable[[int], str | None]] = {
    task_queue.EXPERIMENT: site_of_experiment,
    task_queue.PREFLIGHT: site_of_preflight,
    task_queue.SCHEDULE: site_of_schedule,
}


def route(name: str, args: Sequence[Any], kwargs: object, options: object, **_: object) -> dict[str, str] | None:
    """Celery's router. A queue that the caller names goes before this."""
    site = SITES[name](args[0]) if name in SITES else None
    return {"queue": site_names.queue(site)} if site else None
