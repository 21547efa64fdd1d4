"""Confirms the certificate and the key that a server shows: only then passwords are sent that it could read."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.refused import Refused
from dashboard.records.servers.actions import ADDRESS
from dashboard.records.servers.models import Preflight, Server
from workers.servers.keys import SeenKeys
from workers.servers.pins import key_fingerprint


@dataclass(frozen=True)
class Keys:
    """What the newest test saw beside what was confirmed. Fingerprints; "": none; None: it was not asked for."""

    certificate: str | None
    key: str | None
    confirmed_certificate: str
    confirmed_key: str
    any_key: bool  # as in Target

    @property
    def shown(self) -> str:
        """What a person confirms. It names what they have seen."""
        return "/".join("-" if seen is None else seen for seen in (self.certificate, self.key))

    @property
    def is_new(self) -> bool:
        return any(seen != confirmed for seen, confirmed in self._asked())

    @property
    def changed(self) -> bool:
        """Another one than the confirmed one. A further one, such as a key beside the certificate, is only new."""
        return any(confirmed and seen != confirmed for seen, confirmed in self._asked())

    def _asked(self) -> Iterator[tuple[str, str]]:
        pairs = (self.certificate, self.confirmed_certificate), (self.key, self.confirmed_key)
        return ((seen, confirmed) for seen, confirmed in pairs if seen is not None)

    @property
    def is_open(self) -> bool:
        """Whether there is something to confirm."""
        return self.is_new or self.any_key


def keys(server: Server) -> Keys | None:
    """None: nothing was seen, or the server needs no pin."""
    seen = seen_by_test(server)
    return compared(server, seen) if seen is not None and is_needed(server) else None


def seen_by_test(server: Server) -> SeenKeys | None:
    newest = server.preflights.filter(state=Preflight.State.DONE).first()
    return newest.seen if newest else None


def compared(server: Server, seen: SeenKeys) -> Keys:
    confirmed = (server.certificate_pin, key_fingerprint(server.key_pin))
    return Keys(seen.certificate, seen.key_fingerprint, *confirmed, server.any_key)


def is_needed(server: Server) -> bool:
    return server.kind == Server.Kind.ATTACHED and bool(server.host) and server.tls != Server.Tls.VERIFY


def unconfirmed() -> QuerySet[Server]:
    """Servers of an older version that may show any key."""
    attached = Server.objects.filter(kind=Server.Kind.ATTACHED, any_key=True)
    return attached.exclude(Q(host="") | Q(tls=Server.Tls.VERIFY))


@transaction.atomic
def confirm(user: Actor, server: Server, shown: str) -> None:
    """Of the newest test. `shown`: what the person saw. Raises Refused if a test has seen something else since."""
    require(user, "change_server", server)
    seen = seen_by_test(server)
    if seen is None or compared(server, seen).shown != shown:
        raise Refused(f"{server} shows something else by now. Nothing was confirmed. Look at its fingerprint again.")
    pin(user, server, seen)


@transaction.atomic
def pin(user: Actor, server: Server, seen: SeenKeys) -> None:
    """Without a certificate and a key: any is refused from now on. What was not asked for stays as it was confirmed.
    Raises Refused if the address changed meanwhile."""
    require(user, "change_server", server)
    address = {name: getattr(server, name) for name in ("pk", *sorted(ADDRESS))}
    asked = {"certificate_pin": seen.certificate, "key_pin": seen.key}
    confirmed = {name: value for name, value in asked.items() if value is not None} | {"any_key": False}
    if not Server.objects.filter(**address).update(**confirmed):
        raise Refused(f"The address of {server} changed meanwhile. Nothing was confirmed.")
    told = {"certificate": seen.certificate, "key": seen.key_fingerprint}
    record(user, "confirmed the key", server, **{name: value for name, value in told.items() if value})
