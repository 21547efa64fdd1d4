"""Host leases: at any time only one experiment loads a host, or one worker restores a server there."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.installation.retry import retried
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.site_names import LOCAL
from dashboard.records.holds.models import HostLease, PendingRestore
from dashboard.records.servers.models import Server
from workers.errors import Taken
from workers.servers import hosts

RESTORE_LIMIT = timedelta(minutes=5)  # the worker of a longer restore counts as dead


def hosts_of(server: Server) -> set[str]:
    """The names under which the server's host is leased: all its addresses. A sandbox is on the worker's host. Only a
    worker of the server's site may ask: on another site a name can mean another host."""
    if server.is_sandbox or server.socket or hosts.is_local(server.host):
        return {of_worker(socket.gethostname())} | set(_at(server.site, hosts.own()))
    return set(_at(server.site, hosts.addresses(server.host)))


def of_worker(host: str) -> str:
    return f"worker {host}"


def _at(site: str, addresses: Iterable[str]) -> Iterator[str]:
    """Two sites may use the same private address for different hosts."""
    yield from (address if site == LOCAL else f"{site}: {address}" for address in addresses)


def is_of_another_host(server: Server, experiment: Experiment | None) -> bool:
    """Whether the server's address means the host of the worker that ran the experiment, and this host is another."""
    worker = experiment.worker if experiment else None
    return server.means_its_worker and worker is not None and worker.host != socket.gethostname()


def lease_on(names: Iterable[str]) -> HostLease | None:
    """A lease on any of these hosts."""
    return HostLease.objects.filter(host__in=names).select_related("experiment").first()


@retried
def pending_restore(experiment_id: int, names: set[str]) -> Server | None:
    """A server on these hosts with a pending restore of an ended experiment that no worker has tried yet. An experiment
    that began first would delay the restore for hours. Servers of this experiment do not count: it restores them
    itself."""
    since = timezone.now() - RESTORE_LIMIT  # the restoring worker may have died
    fresh = PendingRestore.objects.filter(
        restored_at=None, problem="", experiment__ended_at__gt=since, server__site=settings.SITE
    )
    found = list(fresh.exclude(experiment=experiment_id).select_related("server", "experiment__worker"))
    own = Experiment.objects.only("plan").get(pk=experiment_id).server_ids if found else []
    ours = (one for one in found if one.server_id not in own and not is_of_another_host(one.server, one.experiment))
    return next((one.server for one in ours if names & hosts_of(one.server)), None)


def take(experiment: Experiment, names: Iterable[str], mark: datetime) -> None:
    """`mark`: the time that identifies these leases. Raises IntegrityError if another process was faster. Names are
    sorted, so that two processes cannot deadlock."""
    rows = (HostLease(host=name, experiment=experiment, taken_at=mark) for name in sorted(set(names)))
    HostLease.objects.bulk_create(rows)


@contextmanager
def to_restore(server: Server, experiment: Experiment) -> Iterator[Callable[[], None] | None]:
    """Keep experiments off the server during a restore. Yields None if the host is busy. Otherwise yields a function
    that raises Taken once the lease is lost, because a worker that was frozen for minutes must stop."""
    names, mark = hosts_of(server), timezone.now()
    try:
        with transaction.atomic():
            take(experiment, names, mark)
    except IntegrityError:
        yield None
        return
    try:
        yield partial(_require_lease, experiment, mark)
    finally:
        _give_back(experiment, mark)


@retried
@transaction.atomic
def _require_lease(experiment: Experiment, mark: datetime) -> None:
    if not HostLease.objects.select_for_update().filter(experiment=experiment, taken_at=mark).first():
        raise Taken("Another worker took over this restore.", "This worker changed nothing more.")


@retried
def _give_back(experiment: Experiment, mark: datetime) -> None:
    HostLease.objects.filter(experiment=experiment, taken_at=mark).delete()


def delete_stale() -> None:
    """Delete leases of ended experiments: their worker died during a restore."""
    long_ago = timezone.now() - RESTORE_LIMIT
    HostLease.objects.exclude(experiment__state=Experiment.State.RUNNING).filter(taken_at__lt=long_ago).delete()
