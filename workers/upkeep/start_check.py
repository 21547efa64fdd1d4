"""What is looked at before a worker joins: better an error in a terminal than an experiment that fails at night."""

import socket

import redis
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu.utils.url import maybe_sanitize_url

from dashboard.installation import newer_database, usable, vault
from dashboard.installation.home import home
from dashboard.records.fleet import database_clock, redis_answers, site_names, sites
from dashboard.records.notifications.models import Channel
from dashboard.records.servers.models import Server
from workers.errors import DurascopeError
from workers.host.ability import lacking
from workers.sandbox.disk import ability as disk
from workers.topology.network import ability as network

CLOCK_OFF_S = 5.0
REDIS_LIMIT_S = 5.0
LOOKED_AT = 20  # sealed passwords: one that opens is enough


class CannotJoin(DurascopeError):
    """A worker was not started: it could not have done its work, or would have done harm."""

    def __init__(self, why: str, fix: str = "") -> None:
        super().__init__(f"The worker was not started: {why}", fix)
        self.why = why


def check(site: str) -> None:
    """Raises DurascopeError: no worker of this site can be started here as it is."""
    check_name(site)
    usable.check_installation()
    check_database()
    check_version()
    check_clock()
    check_keys()
    check_redis()
    check_alone(site)


def check_name(site: str) -> None:
    try:
        site_names.check(site)
    except ValidationError as wrong:
        raise CannotJoin(wrong.messages[0]) from wrong


def check_database() -> None:
    try:
        connection.ensure_connection()
    except DatabaseError as silent:
        raise CannotJoin(
            f"the database does not answer ({str(silent).strip()}).", "Start the database, or correct DATABASE_URL."
        ) from silent


def check_version() -> None:
    newer_database.check()
    executor = MigrationExecutor(connection)
    if unapplied := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CannotJoin(
            f"it is newer than the database, which lacks {unapplied[0][0]}.",
            "Update the web server's host first, and run there: manage.py migrate.",
        )


def check_clock() -> None:
    """Nights, leases and results bear the time of the host that writes them."""
    ahead_s = database_clock.ahead_s()
    if abs(ahead_s) > CLOCK_OFF_S:
        raise CannotJoin(
            f"this host's clock is {abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} the database's.",
            "Synchronise both clocks with a time server.",
        )


def check_keys() -> None:
    file = home() / vault.NAME
    if not vault.in_environment() and not file.exists():
        if connection.vendor == "sqlite":
            return  # everything is on this machine: the first password makes the key
        raise CannotJoin(
            f"the key of stored passwords is not here, neither in {vault.ENVIRONMENT} nor in {file}.",
            "Copy it from the web server's host. If that host has no key, make one there: manage.py rotatekeys.",
        )
    if not vault.in_environment() and file.stat().st_mode & 0o077:
        raise CannotJoin(f"others can read {file}.", f"chmod 600 {file}")
    vault.box(vault.keys())
    sealed = _sealed()
    if sealed and all(map(vault.problem_with, sealed)):
        raise CannotJoin(
            "its key opens none of the stored passwords.",
            f"Copy {vault.ENVIRONMENT}, or the file {vault.NAME} of the home, from the web server's host.",
        )


def _sealed() -> list[bytes]:
    servers = Server.objects.exclude(password_sealed=b"").order_by("-pk").values_list("password_sealed", flat=True)
    channels = Channel.objects.exclude(address_sealed=b"").order_by("-pk").values_list("address_sealed", flat=True)
    return [bytes(one) for one in (*servers[:LOOKED_AT], *channels[:LOOKED_AT])]


def check_redis() -> None:
    try:
        redis_answers.must_take_tasks(redis.Redis.from_url(settings.REDIS_URL, socket_timeout=REDIS_LIMIT_S))
    except (redis.RedisError, OSError, ValueError) as silent:
        what, fix = redis_answers.why(silent)
        raise CannotJoin(
            f"Redis at {maybe_sanitize_url(settings.REDIS_URL)} cannot be used: it {what} ({silent}).",
            "Start Redis, or correct DURASCOPE_REDIS." if what == redis_answers.SILENT else fix,
        ) from silent


def check_power_loss() -> None:
    """For a worker that is there for these crashes. Others start without, and their page says what is missing."""
    if missing := lacking() or " ".join(dict.fromkeys(filter(None, (disk.missing(), network.missing())))):
        raise CannotJoin(
            f"it was started for power losses, and cannot simulate them here. {missing}",
            "In a container it needs all that deploy/compose.crash.yaml gives it.",
        )


def check_alone(site: str) -> None:
    """A server at localhost is another one on each host: a restore must not be made on another."""
    others = {worker.host for worker in sites.listening(site)} - {socket.gethostname()}
    attached = Server.objects.filter(site=site, kind=Server.Kind.ATTACHED)
    local = sorted(server.name for server in attached if server.means_its_worker)
    if others and local:
        raise CannotJoin(
            f"{', '.join(local)} of site {site} is registered at a socket or at localhost, "
            f"and a worker on {', '.join(sorted(others))} takes that for its own host.",
            "Register it under an address that all hosts of the site reach, or give this host a site of its own.",
        )
