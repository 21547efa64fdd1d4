"""Servers of a file: first what would be done for each, then the same again for good. The rules of each field are
those of the page *Register a server*."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction

from dashboard.pages.servers.forms import AttachedForm
from dashboard.records.accounts.actor import Actor
from dashboard.records.fleet.site_names import LOCAL
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from workers.errors import PlanError
from workers.servers.inventory.found import FoundServer
from workers.servers.printable import printable

Address = tuple[str, int, str, str]  # host, port, socket, site
NEW, NO_PASSWORD, KNOWN, REFUSED = "new", "password missing", "known already", "refused"
REGISTERED = (NEW, NO_PASSWORD)
NO_ACCOUNT = "The file names no account for it. Give one for servers without one (Account, --user)."
LABELS = {"prod": Server.Label.PRODUCTION, "stag": Server.Label.STAGING, "test": Server.Label.TEST}


@dataclass(frozen=True)
class Defaults:
    """For servers whose file does not say it."""

    user: str = ""
    password: str = ""
    label: str = Server.Label.PRODUCTION  # load on it must be confirmed
    site: str = LOCAL


@dataclass(frozen=True)
class ImportLine:
    """What would be done with a server of the file."""

    name: str
    where: str
    user: str
    state: str
    says: str
    form: AttachedForm | None = None


def plan(found: Sequence[FoundServer], defaults: Defaults) -> list[ImportLine]:
    """In the order of the file. Of two servers with one name or one address the first counts."""
    registered = Server.objects.filter(kind=Server.Kind.ATTACHED)
    taken = {_address(one): f"It is registered as {one}. Nothing changes." for one in registered}
    names: set[str] = set()
    lines = []
    for one in found:
        own = replace(one, user=one.user or defaults.user, password=one.password or defaults.password)
        lines.append(line := _line(own, defaults, taken, names))
        if line.form:
            taken[_address(line.form.instance)] = f"The file names this address twice, first as {line.name}."
            names.add(line.form.instance.name)
    return lines


def _line(found: FoundServer, defaults: Defaults, taken: Mapping[Address, str], names: set[str]) -> ImportLine:
    line = ImportLine(_short(found.name), _where(found), _short(found.user), REFUSED, "")
    form = AttachedForm(_values(found, defaults), instance=Server())
    valid = form.is_valid()
    known = taken.get(_address(form.instance)) if form.errors.keys() <= {"name", "user"} else None
    if known and not found.why:  # asked first: the name of a known server is taken
        return replace(line, state=KNOWN, says=known)
    if found.why or not valid:
        no_account = NO_ACCOUNT if form.errors.keys() == {"user"} and not found.user else ""
        return replace(line, says=found.why or no_account or _wrong(form))
    if form.instance.name in names:
        return replace(line, says="Another server of the file has this name.")
    unread = f" Not read: {_short(found.unread, 200)}. Check TLS on its page." if found.unread else ""
    if not found.password:
        says = f"To be registered without a password. Enter it on its page.{unread}"
        return replace(line, state=NO_PASSWORD, says=says, form=form)
    return replace(line, state=NEW, says=f"To be registered.{unread}", form=form)


def _values(found: FoundServer, defaults: Defaults) -> dict[str, str]:
    label = next((label for word, label in LABELS.items() if word in found.label.lower()), defaults.label)
    return {
        "name": found.name, "host": found.host, "port": found.port or "3306", "socket": found.socket,
        "site": defaults.site, "user": found.user, "password": found.password, "tls": found.tls or Server.Tls.PREFERRED,
        "tls_ca": found.tls_ca, "label": label, "note": "",
    }  # fmt: skip


def _wrong(form: AttachedForm) -> str:
    """The errors of its fields."""
    said = [
        f"{form.fields[name].label or name.capitalize()}: {error}"
        for name, errors in form.errors.items()
        for error in errors
    ]
    return _short(" ".join(said), 400)


def _address(server: Server) -> Address:
    return (server.host.lower(), 0 if server.socket else server.port, server.socket, server.site)


def _where(found: FoundServer) -> str:
    return _short(found.socket or f"{found.host}:{found.port or 3306}")


def _short(text: str, most: int = 120) -> str:
    """A line of a hostile file must not fill the page."""
    return printable(text[:most])


def register(user: Actor, lines: Sequence[ImportLine]) -> list[Server]:
    """All or none. Raises KeyMissing, Refused, and PlanError if a name was taken since the plan."""
    forms = [line.form for line in lines if line.form]
    try:
        with transaction.atomic():
            return [actions.register(user, form.instance, form.cleaned_data["password"]) for form in forms]
    except IntegrityError as wrong:
        names = [form.instance.name for form in forms]
        taken = sorted(Server.objects.filter(name__in=names).values_list("name", flat=True))
        said = ", ".join(taken[:20]) + (", …" if len(taken) > 20 else "")
        raise PlanError(
            f"Nothing was registered: these names were taken meanwhile: {_short(said, 1000)}.", "Read the file again."
        ) from wrong


def summary(lines: Sequence[ImportLine]) -> str:
    """2 new, 1 known already."""
    states = [line.state for line in lines]
    words = {NEW: NEW, NO_PASSWORD: "without a password", KNOWN: KNOWN, REFUSED: REFUSED}
    return ", ".join(f"{states.count(state):,} {said}" for state, said in words.items() if state in states)
