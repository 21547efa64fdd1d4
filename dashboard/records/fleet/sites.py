"""Sites: all workers of a site reach the same servers."""

from collections.abc import Iterable

from dashboard.records.fleet.models import Worker
from dashboard.records.fleet.site_names import LOCAL


def listening(site: str) -> list[Worker]:
    """The living workers of a site that take tasks, newest first."""
    return list(Worker.objects.alive().filter(site=site, listens=True).order_by("-pk"))


def manned() -> set[str]:
    """The sites that have a living worker which takes tasks."""
    return set(Worker.objects.alive().filter(listens=True).values_list("site", flat=True))


def no_worker_message(site: str) -> str:
    """A sentence if the site has no living worker; "" if it has one."""
    return "" if Worker.objects.alive().filter(site=site, listens=True).exists() else start_worker_message(site)


def start_worker_message(site: str) -> str:
    command = "manage.py worker" if site == LOCAL else f"manage.py worker --site {site}"
    return f"No worker is alive on site {site}; start one there: {command}"


def known(others: Iterable[str] = ()) -> list[str]:
    """Names of the sites that have a living worker, and of `others`; the local site first."""
    alive = Worker.objects.alive().values_list("site", flat=True)
    return sorted({LOCAL, *alive, *others}, key=lambda name: (name != LOCAL, name))
