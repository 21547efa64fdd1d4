"""The certificates and keys that servers show now, as `server pin` prints them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.conf import settings

from dashboard.records.servers import pins
from dashboard.records.servers.models import Server
from workers.errors import DurascopeError, PlanError
from workers.servers import keys
from workers.servers.keys import SeenKeys
from workers.servers.target import Target

AT_ONCE = 16


@dataclass(frozen=True)
class ShownKeys:
    """`seen`: None: they are not known, and `why` says so."""

    server: Server
    seen: SeenKeys | None
    why: str = ""

    @property
    def lines(self) -> Iterator[str]:
        yield f"{self.server} ({self.server.where})"
        if self.seen is None:
            yield f"  not read: {self.why}"
            return
        found = pins.compared(self.server, self.seen)
        yield from _pair("certificate", found.certificate, found.confirmed_certificate)
        yield from _pair("key", found.key, found.confirmed_key)
        if not self.seen:
            yield "  It shows none that stays the same. It gets only scrambles of the password, which hide it."
        if not found.is_open:
            yield "  confirmed"
        if found.changed:
            yield f'  changed: confirm it only if the server was given it: manage.py server pin "{self.server}"'

    def to_confirm(self, *, by_name: bool) -> SeenKeys | None:
        """None: nothing. What changed is confirmed by the name of its server only."""
        found = pins.compared(self.server, self.seen) if self.seen is not None else None
        return self.seen if found and found.is_open and (by_name or not found.changed) else None


def _pair(what: str, shown: str | None, confirmed: str) -> Iterator[str]:
    if shown:
        yield f"  {what} SHA-256 {shown}"
    if confirmed and confirmed != shown:
        yield f"  {what} that was confirmed SHA-256 {confirmed}"


def chosen(name: str, *, every: bool) -> list[Server]:
    """Raises PlanError."""
    if every == bool(name):
        raise PlanError("Name one server, or give --all. Nothing was confirmed.")
    attached = Server.objects.filter(kind=Server.Kind.ATTACHED)
    found = list(attached if every else attached.filter(name=name))
    if not every and not found:
        raise PlanError(f"There is no attached server {name}. Nothing was confirmed.")
    if not every and not pins.is_needed(found[0]):
        raise PlanError(f"{name} needs no confirmed key: a socket or a verified certificate proves it.")
    return [server for server in found if pins.is_needed(server)]


def read(servers: Iterable[Server]) -> list[ShownKeys]:
    """Asks the servers of this site, several at once. Of others their newest test tells."""
    servers = list(servers)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = pool.map(_asked, (one.way() for one in servers if one.site == settings.SITE))
        return [_answered(one, next(asked)) if one.site == settings.SITE else _of_test(one) for one in servers]


def _asked(target: Target) -> SeenKeys | DurascopeError:
    try:
        return keys.seen(target)
    except DurascopeError as error:
        return error


def _answered(server: Server, found: SeenKeys | DurascopeError) -> ShownKeys:
    return ShownKeys(server, None, str(found)) if isinstance(found, DurascopeError) else ShownKeys(server, found)


def _of_test(server: Server) -> ShownKeys:
    return ShownKeys(server, pins.seen_by_test(server), "Test its connection first: a worker of its site reads them.")
