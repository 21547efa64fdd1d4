"""Which worker runs an experiment: one at the site of its servers that can do all of it, on a free host. Another worker
that gets the task passes it on. Housekeeping sends a lost task again."""

import contextlib
from collections.abc import Iterable, Mapping

from dashboard.installation import newer_database
from dashboard.records.experiments import leases, lifecycle, why_queued
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import sites, task_queue
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Server
from workers.bench.needs import Needs
from workers.bench.plan import Plan
from workers.bench.site_review import apart, nobody_can
from workers.errors import DurascopeError, PlanError

Servers = Mapping[int, Server]


def is_ours(experiment_id: int, plan: Plan, servers: Servers, worker: Worker) -> bool:
    """Whether this worker may take the experiment. If not, it was passed on or refused for good."""
    here = {server.name: server.site for server in servers.values()}
    if refusal := apart(here):  # a server was given another site since it was planned
        lifecycle.refuse(experiment_id, PlanError(refusal))
        return False
    if set(here.values()) != {worker.site}:
        _send(experiment_id, next(iter(here.values()), None))
        return False
    return not worker.listens or _can(experiment_id, plan, servers, worker)


def _can(experiment_id: int, plan: Plan, servers: Servers, worker: Worker) -> bool:
    """The only host of the site runs it anyway: the error from trying is better than its list of abilities."""
    needs = _needs(plan, servers)
    living = _by_host(sites.listening(worker.site))
    lacking = {host: needs.lacking(one.able) for host, one in living.items()}
    if not lacking.get(worker.host) or len(living) < 2:
        return True
    able = [one for host, one in living.items() if not lacking[host]]
    if not able:
        lifecycle.refuse(experiment_id, PlanError(nobody_can(worker.site, lacking)))
        return False
    chosen = next(iter(_free(able)), able[0])
    lifecycle.say(Experiment(pk=experiment_id), why_queued.for_worker_on(chosen.host))
    _send(experiment_id, chosen.site, chosen.host)
    return False


def pass_on(experiment_id: int, plan: Plan, servers: Servers, worker: Worker) -> None:
    """This host is busy. Sandboxes can be made on another host; an experiment on an attached server waits."""
    waits = Experiment.objects.filter(pk=experiment_id, state=Experiment.State.QUEUED).exists()
    if not waits or not worker.listens or not all(server.is_sandbox for server in servers.values()):
        return
    needs = _needs(plan, servers)
    living = _by_host(sites.listening(worker.site)).values()
    for free in _free(one for one in living if one.host != worker.host and not needs.lacking(one.able)):
        _send(experiment_id, free.site, free.host)
        return


def leave_to_newer(experiment_id: int, worker: Worker, why: DurascopeError) -> None:
    """This worker is too old. A worker of the database's version on another host gets the task at once. One on this
    host listens to the same queues, so housekeeping sends the task again."""
    lifecycle.say(Experiment(pk=experiment_id), why_queued.for_newer_than(worker, why))
    version = newer_database.migrated_by()
    if version == worker.version:
        return
    for other in sites.listening(worker.site):
        if other.version == version and other.host != worker.host:
            _send(experiment_id, other.site, other.host)
            return


def _needs(plan: Plan, servers: Servers) -> Needs:
    return Needs.of(plan, {key: server.build for key, server in servers.items() if server.is_sandbox})


def _by_host(workers: Iterable[Worker]) -> dict[str, Worker]:
    """The newest worker of each host: its abilities are the latest."""
    return {one.host: one for one in reversed(list(workers))}


def _free(workers: Iterable[Worker]) -> list[Worker]:
    busy = set(HostLease.objects.values_list("host", flat=True))
    return [one for one in workers if leases.of_worker(one.host) not in busy]


def _send(experiment_id: int, site: str | None, host: str = "") -> None:
    with contextlib.suppress(task_queue.QueueDown):
        task_queue.send(task_queue.EXPERIMENT, experiment_id, site, host)
