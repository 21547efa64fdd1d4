"""Who may touch a server's host: one experiment at a time, or whoever puts back what an ended one owes."""

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.experiments.models import Experiment
from dashboard.fleet.models import HostLease
from dashboard.servers.models import Server
from workers.servers import hosts

PAYING_LIMIT = timedelta(minutes=5)  # after this, whoever was putting settings back is taken for dead


def hosts_of(server: Server) -> set[str]:
    """What a lease is about: every address of the server's host; a sandbox is on the worker's."""
    if server.is_sandbox or server.socket or hosts.is_local(server.host):
        return {f"worker {socket.gethostname()}"}
    return hosts.addresses(server.host)


def holder(names: Iterable[str]) -> HostLease | None:
    """A lease on any of these hosts."""
    return HostLease.objects.filter(host__in=names).select_related("experiment").first()


def take(experiment: Experiment, names: Iterable[str]) -> datetime:
    """The moment that marks these leases. Raises IntegrityError when somebody else was faster."""
    now = timezone.now()
    HostLease.objects.bulk_create(HostLease(host=name, experiment=experiment, taken_at=now) for name in set(names))
    return now


@contextmanager
def to_pay(server: Server, experiment: Experiment) -> Iterator[bool]:
    """Keep experiments off the server while what this one owes is put back; False when its host is busy."""
    names = hosts_of(server)
    try:
        with transaction.atomic():
            taken_at = take(experiment, names)
    except IntegrityError:
        yield False
        return
    try:
        yield True
    finally:
        HostLease.objects.filter(host__in=names, experiment=experiment, taken_at=taken_at).delete()


def clear() -> None:
    """Leases of experiments that are over: left behind by somebody who died while paying."""
    long_ago = timezone.now() - PAYING_LIMIT
    HostLease.objects.exclude(experiment__state=Experiment.State.RUNNING).filter(taken_at__lt=long_ago).delete()
