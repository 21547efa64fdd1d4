from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from dashboard.pages.accounts.gate import needs
from dashboard.records.accounts.roles import allowed
from dashboard.records.experiments import worker_lines
from dashboard.records.fleet import installation
from dashboard.records.holds.models import HostLease
from dashboard.records.retention import size
from dashboard.records.servers import builds
from workers.sandbox.storage import PAGE_BYTES, PROFILES, Profile, parse

LARGE_BYTES = 1 << 20


@dataclass(frozen=True)
class ProfileLine:
    """A storage profile with the fsync times that follow from it; `large_ms`: an fsync of 1 MiB, where the transfer
    rate R matters."""

    key: str
    profile: Profile
    fsyncs_per_s: float
    page_ms: float
    large_ms: float


@needs("see", "GET")
def workers(request: HttpRequest) -> HttpResponse:
    lines = worker_lines.lines()
    alive = [line for line in lines if line.is_alive]
    over = [line for line in lines if not line.is_alive]
    context = {
        "alive": alive,
        "over": over,
        "ended": sum(bool(line.worker.ended_at) for line in over),
        "dead": sum(not line.worker.ended_at for line in over),
        "sites_without_worker": worker_lines.sites_without_worker(),
        "used": size.used(timezone.now()) if allowed(request.user, "administer") else None,
        "kept": settings.KEEP_DAYS,
        "leases": HostLease.objects.select_related("experiment").order_by("taken_at"),
    }
    return render(request, "fleet/list.html", context)


@needs("see", "GET")
def builds_page(request: HttpRequest) -> HttpResponse:
    alive = worker_lines.alive()
    lines = builds.lines(alive)
    context = {
        "groups": builds.grouped(lines),
        "missing": builds.missing(lines),
        "catalogue": sum(line.origin.in_catalogue for line in lines),
        "total": len(lines),
        "installed": sum(bool(line.hosts) for line in lines),
        "years": [line.origin.year for line in lines if line.origin.in_catalogue],
        "hosts": sorted({worker.host for worker in alive}),
    }
    return render(request, "fleet/builds.html", context)


@needs("see", "GET")
def storage_page(request: HttpRequest) -> HttpResponse:
    unable = {worker.host: why for worker in worker_lines.alive() if (why := worker.able.disk_missing)}
    return render(request, "fleet/storage.html", {"profiles": profiles(), "unable": unable})


def held_copy(request: HttpRequest) -> dict[str, Callable[[], bool]]:
    """Context processor for pages with a login. It only reads."""
    return {"held_copy": installation.would_be_held}


def profiles() -> list[ProfileLine]:
    """The slowest device first."""
    known = [(key, profile, parse(key)) for key, profile in PROFILES.items()]
    lines = [
        ProfileLine(key, profile, device.fsyncs_per_s, device.fsync_ms(PAGE_BYTES), device.fsync_ms(LARGE_BYTES))
        for key, profile, device in known
    ]
    return sorted(lines, key=lambda line: line.fsyncs_per_s)
