"""Who may touch a server's host: one experiment at a time, or whoever puts back what an ended one owes."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.experiments.models import Experiment
from dashboard.fleet.site_names import LOCAL
from dashboard.holds.models import HostLease, PendingRestore
from dashboard.retry import patient
from dashboard.servers.models import Server
from workers.errors import Taken
from workers.servers import hosts

PAYING_LIMIT = timedelta(minutes=5)  # after this, whoever was putting settings back is taken for dead


def hosts_of(server: Server) -> set[str]:
    """What a lease is about: every address of the server's host; a sandbox is on the worker's, which others of its
    site may know as a server's. To be asked by a worker of the server's site: names lead elsewhere on another."""
    if server.is_sandbox or server.socket or hosts.is_local(server.host):
        return {of_worker(socket.gethostname())} | set(_at(server.site, hosts.own()))
    return set(_at(server.site, hosts.addresses(server.host)))


def of_worker(host: str) -> str:
    return f"worker {host}"


def _at(site: str, addresses: Iterable[str]) -> Iterator[str]:
    """Two sites may use the same private addresses for different machines."""
    yield from (address if site == LOCAL else f"{site}: {address}" for address in addresses)


def is_of_another_host(server: Server, experiment: Experiment) -> bool:
    """Whether the server's address means the host of the worker that ran the experiment, and this is another one."""
    means_its_worker = bool(server.socket) or hosts.says_here(server.host)
    return means_its_worker and experiment.worker is not None and experiment.worker.host != socket.gethostname()


def holder(names: Iterable[str]) -> HostLease | None:
    """A lease on any of these hosts."""
    return HostLease.objects.filter(host__in=names).select_related("experiment").first()


@patient
def unpaid(experiment_id: int, names: set[str]) -> Server | None:
    """A server on these hosts that an ended experiment owes something to, and nobody has tried to restore it yet. An
    experiment that began first would keep the restore waiting for hours. Its own servers it restores itself."""
    since = timezone.now() - PAYING_LIMIT  # whoever restores may be away; that stops nobody for longer
    fresh = PendingRestore.objects.filter(
        restored_at=None, problem="", experiment__ended_at__gt=since, server__site=settings.SITE
    )
    debts = list(fresh.exclude(experiment=experiment_id).select_related("server", "experiment__worker"))
    own = _own(experiment_id) if debts else []
    ours = (one for one in debts if one.server_id not in own and not is_of_another_host(one.server, one.experiment))
    return next((one.server for one in ours if names & hosts_of(one.server)), None)


def _own(experiment_id: int) -> list[int]:
    plan = Experiment.objects.values_list("plan", flat=True).get(pk=experiment_id)
    return [target["server_id"] for target in plan["targets"]]


def take(experiment: Experiment, names: Iterable[str], mark: datetime) -> None:
    """`mark`: the moment by which these leases are known. Raises IntegrityError when somebody else was faster. All
    take them in the same order: two who each have one and want the other's would wait for ever."""
    rows = (HostLease(host=name, experiment=experiment, taken_at=mark) for name in sorted(set(names)))
    HostLease.objects.bulk_create(rows)


@contextmanager
def to_pay(server: Server, experiment: Experiment) -> Iterator[Callable[[], None] | None]:
    """Keep experiments off the server while what this one owes is put back; None when its host is busy. What is given
    raises Taken once the lease is gone: a payer that was stopped for minutes must not go on."""
    names, mark = hosts_of(server), timezone.now()
    try:
        with transaction.atomic():
            take(experiment, names, mark)
    except IntegrityError:
        yield None
        return
    try:
        yield partial(_must_hold, experiment, mark)
    finally:
        _give_back(experiment, mark)


@patient
@transaction.atomic
def _must_hold(experiment: Experiment, mark: datetime) -> None:
    if not HostLease.objects.select_for_update().filter(experiment=experiment, taken_at=mark).first():
        raise Taken("Somebody else took over what this worker was putting back.", "Nothing was changed any more.")


@patient
def _give_back(experiment: Experiment, mark: datetime) -> None:
    HostLease.objects.filter(experiment=experiment, taken_at=mark).delete()


def clear() -> None:
    """Leases of experiments that are over: left behind by somebody who died while paying."""
    long_ago = timezone.now() - PAYING_LIMIT
    HostLease.objects.exclude(experiment__state=Experiment.State.RUNNING).filter(taken_at__lt=long_ago).delete()
