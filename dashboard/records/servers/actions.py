"""Register, change, remove and test a server: one function each."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, ProtectedError
from django.utils import timezone

from dashboard.installation import vault
from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import NotAllowed, allowed, require
from dashboard.records.audit.models import record
from dashboard.records.fleet import task_queue
from dashboard.records.fleet.site_names import LOCAL
from dashboard.records.holds.models import PendingRestore
from dashboard.records.refused import Refused
from dashboard.records.servers import managers, programs, queries
from dashboard.records.servers.models import Preflight, Server
from workers.servers.answered import AnsweredFacts
from workers.servers.durability import DurabilityStatement
from workers.servers.keys import SeenKeys
from workers.servers.preflight import PreflightCheck
from workers.servers.printable import MOST_OF_A_SENTENCE, storable

ADDRESS = {"host", "port", "socket", "site"}
WAY = ADDRESS | {"user", "tls", "tls_ca"}  # where the password is sent, and how it is protected
ENTER_AGAIN = "The {} changed: enter the password again. The stored one is only sent to the old address."

MOST_CLAIMS = 2
GIVEN_UP = PreflightCheck(
    "reachability", "Reachable", "failed",
    "Two workers started this test, and neither finished it. The test was stopped.",
    "Look for hanging threads on the page Workers. Check address, socket and certificate of this server.",
)  # fmt: skip


@transaction.atomic
def register(user: Actor, server: Server, password: str) -> Server:
    require(user, "register_server")
    server.owner = account(user)
    if not server.is_sandbox:
        server.set_password(password)
    server.save()
    record(user, "registered", server, kind=server.kind, label=server.label)
    return server


@transaction.atomic
def change(user: Actor, server: Server, password: str, changed: Sequence[str]) -> Server:
    """Store an edited server: only the fields in `changed`, because another person may have changed others meanwhile.
    An empty password keeps the old one. A new address ends the mark *expendable*, and no key is confirmed there.

    Raises Refused for a new address while a restore is pending or an experiment runs at the present address. Raises
    ValidationError if the password must be entered again.
    """
    now = Server.objects.select_for_update().get(pk=server.pk)  # the present row, locked
    require(user, "change_server", now)
    fields, rerouted = set(changed) - {"password"}, _rerouted(now, server, changed, password)
    moved = sorted(ADDRESS & rerouted)
    if moved and (reason := queries.why_it_stays(now)):
        raise Refused(f"The {' and '.join(moved)} of {now} did not change: {reason}")
    if rerouted and not password and vault.has_password(now.password_sealed):
        raise ValidationError({"password": ENTER_AGAIN.format(" and ".join(sorted(rerouted)).replace("_", " "))})
    if "host" in rerouted:
        server.keep_hosts(now)
        fields.add("earlier_hosts")
    for name in fields:
        setattr(now, name, getattr(server, name))
    if password:
        now.set_password(password)
        fields.add("password_sealed")
    unmarked = now.expendable and bool(moved)
    if unmarked:
        now.expendable = False
        fields.add("expendable")
    if moved:
        now.certificate_pin, now.key_pin, now.any_key = "", "", False
        fields |= {"certificate_pin", "key_pin", "any_key"}
        now.preflights.update(keys=None)  # of the old address
        _ask_again(now)
    if now.expendable and now.label == Server.Label.PRODUCTION:
        raise Refused(f"{now} was not changed: it is marked expendable. Withdraw the mark on its page first.")
    now.save(update_fields=fields)
    record(user, "changed", now, fields=sorted(changed))
    if unmarked:
        record(user, "unmarked expendable", now, why="its address was changed")
    return now


def _ask_again(moved: Server) -> None:
    """The answer of a test that runs meanwhile is dropped: it comes from the old address. Housekeeping sends its task
    again."""
    moved.preflights.filter(state=Preflight.State.RUNNING).update(state=Preflight.State.QUEUED)


def _rerouted(now: Server, wanted: Server, changed: Sequence[str], password: str) -> set[str]:
    """The changed fields that decide where the password is sent. Raises Refused if another person changed one of them
    meanwhile: the password was typed for the address on the page."""
    others = {name for name in WAY if getattr(wanted, name) != getattr(now, name)}
    rerouted = others & set(changed)
    if others - rerouted and (rerouted or password):
        raise Refused(f"{now} was not changed: another person changed it at the same moment. Check it and try again.")
    return rerouted


@transaction.atomic
def hand_over(user: Actor, server: Server, to: User) -> None:
    """Give a server to another person. The mark *expendable* and its failover manager end, because the old owner set
    them."""
    require(user, "change_server", server)
    if not allowed(to, "register_server"):
        raise Refused(
            f"{server} was not handed over: {to} is not an operator. Ask an administrator to change the role first."
        )
    if server.owner_id == to.pk:
        return
    unmarked = Server.objects.filter(pk=server.pk, expendable=True).update(expendable=False)
    Server.objects.filter(pk=server.pk).update(owner=to)
    record(user, "handed over", server, to=to.get_username())
    if unmarked:
        record(user, "unmarked expendable", server, why="its owner changed")
    if managers.forget(server):
        record(user, "withdrew the failover manager", server, why="its owner changed")


@transaction.atomic
def mark_expendable(
    user: Actor, server: Server, crash: Sequence[str], start: Sequence[str], binlog_index: str = ""
) -> None:
    """Allow crash experiments to crash this server with these commands. `binlog_index`: path of its binary log index on
    the worker's machine, "" if not there. Raises NotAllowed for programs that this person may not use. Raises Refused,
    also if another person just labelled the server production."""
    require(user, "allow_crashes", server)
    if why := programs.why_not(user, crash, start):
        raise NotAllowed(why)
    if not crash or not start:
        raise Refused(f"{server} was not marked: it needs a crash command and a start command.")
    allowed = Server.objects.filter(pk=server.pk, kind=Server.Kind.ATTACHED).exclude(label=Server.Label.PRODUCTION)
    said = {"crash_command": list(crash), "start_command": list(start), "binlog_index": binlog_index}
    if not allowed.update(expendable=True, commands_by=account(user), **said):
        raise Refused(
            queries.why_not_expendable(server)
            or f"{server} was changed meanwhile and was not marked. Check it and try again."
        )
    more = {"binlog_index": binlog_index} if binlog_index else {}
    record(user, "marked expendable", server, crash=list(crash), start=list(start), **more)


@transaction.atomic
def start_now(user: Actor, server: Server) -> None:
    """Let a worker run the start command of a crashed server in its next round, instead of minutes later."""
    require(user, "allow_crashes", server)
    if not server.pending_restores.filter(kind=PendingRestore.Kind.START, restored_at=None).update(tried_at=None):
        raise Refused(f"{server} is not down after a crash. Nothing was done.")
    record(user, "asked to start", server)


@transaction.atomic
def withdraw_expendable(user: Actor, server: Server) -> None:
    """End the mark. The commands stay as a proposal for the next mark. A crashed server is still started."""
    require(user, "allow_crashes", server)
    if Server.objects.filter(pk=server.pk, expendable=True).update(expendable=False):
        record(user, "unmarked expendable", server)


@transaction.atomic
def remove(user: Actor, server: Server) -> None:
    """Delete a server. Raises Refused while a restore is pending or results refer to it."""
    require(user, "change_server", server)
    reason = queries.why_kept(server)
    if reason:
        raise Refused(reason)
    server.pending_restores.all().delete()
    try:
        server.delete()
    except ProtectedError as used:  # an experiment was planned meanwhile
        raise Refused(queries.why_kept(server) or "The server is in use.") from used
    record(user, "deleted", server)


def ask_preflight(user: Actor, server: Server) -> Preflight:
    """Queue a *Test connection*, or find the one that is queued or running, and notify the workers.

    Raises Refused for a sandbox, and if the message queue is down. Then the preflight stays queued, and housekeeping
    sends its task again.
    """
    require(user, "test_server", server)
    if server.is_sandbox:
        raise Refused("A sandbox exists only during a measurement. There is no connection to test.")
    preflight = server.preflights.exclude(state=Preflight.State.DONE).first()
    if preflight is None:
        preflight = Preflight.objects.create(server=server)
        record(user, "tested", server)
    _notify_workers(preflight)
    return preflight


def ask_preflights(user: Actor) -> int:
    """Queue a *Test connection* of every attached server; how many. Raises Refused as `ask_preflight`."""
    servers = Server.objects.filter(kind=Server.Kind.ATTACHED)
    return len([ask_preflight(user, server) for server in servers])


def _notify_workers(preflight: Preflight) -> None:
    try:
        task_queue.send(task_queue.PREFLIGHT, preflight.pk, preflight.server.site)
    except task_queue.QueueDown as silent:
        raise Refused(
            f"The test is queued, but the message queue (Redis) {silent.why}. Nothing was sent to the server. "
            f"{silent.fix} The test then runs by itself."
        ) from silent


def begin_preflight(preflight_id: int, worker: str = "", site: str = LOCAL) -> Server | None:
    """Claim a queued preflight of a server on this site. None if another worker has it, or if it is deleted or on
    another site."""
    here = Server.objects.filter(site=site)  # no join: PostgreSQL rereads only the row itself after a wait
    queued = Preflight.objects.filter(pk=preflight_id, state=Preflight.State.QUEUED, server__in=here)
    claimed = queued.update(
        state=Preflight.State.RUNNING, started_at=timezone.now(), worker=worker, claimed=F("claimed") + 1
    )
    return Server.objects.get(preflights=preflight_id) if claimed else None


def release_preflights(begun_before: datetime) -> None:
    """Queue preflights again whose worker did not answer. After MOST_CLAIMS claims a preflight is given up: it would
    block the thread of the next worker too."""
    late = Preflight.objects.filter(state=Preflight.State.RUNNING, started_at__lt=begun_before)
    late.filter(claimed__lt=MOST_CLAIMS).update(state=Preflight.State.QUEUED)
    given_up = late.filter(claimed__gte=MOST_CLAIMS)
    given_up.update(state=Preflight.State.DONE, done_at=timezone.now(), checks=[asdict(GIVEN_UP)])


def finish_preflight(
    preflight: Preflight,
    checks: Sequence[PreflightCheck],
    durability: Sequence[DurabilityStatement] = (),
    facts: AnsweredFacts | None = None,
    keys: SeenKeys | None = None,
) -> None:
    """Store a worker's answer. An answer after another worker's claim is dropped. `facts`: None if the server was not
    reached."""
    claimed = Preflight.objects.filter(pk=preflight.pk, state=Preflight.State.RUNNING, started_at=preflight.started_at)
    claimed.update(
        state=Preflight.State.DONE,
        done_at=timezone.now(),
        checks=storable([asdict(check) for check in checks], MOST_OF_A_SENTENCE),
        durability=storable([asdict(statement) for statement in durability], MOST_OF_A_SENTENCE),
        facts=storable(asdict(facts)) if facts else {},
        keys=None if keys is None else asdict(keys),
    )
