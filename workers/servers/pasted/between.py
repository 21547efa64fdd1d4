"""Versions between two servers of the table: a value is known if both servers make the same of it."""

from dataclasses import replace

from workers.servers.compared import name_of
from workers.servers.deciding import SOMETIMES
from workers.servers.facts import Version
from workers.servers.pasted.lines import WrittenOption, as_text
from workers.servers.pasted.option_names import FoundName, found_name
from workers.servers.pasted.option_values import MadeValue, made
from workers.servers.pasted.options import ServerOptions
from workers.servers.settings import switch


def value_by(line: WrittenOption, found: FoundName, server: ServerOptions, newer: ServerOptions | None) -> MadeValue:
    """`newer`: None: the version is one of `server`."""
    value = _made(line, found, server)
    later = found_name(line.name, newer) if newer else FoundName("")
    if newer is None or not later.name or _is_the_same(value, _made(line, later, newer)):
        return value
    shown = f"{found.name}={as_text(line.value or '')}"
    return MadeValue(
        is_unknown=True, says=f"{shown}: versions {server.text} and {newer.text} take it differently: it is unknown."
    )


def value_by_newer(
    line: WrittenOption, newer: ServerOptions, version: Version
) -> tuple[FoundName, MadeValue] | tuple[None, None]:
    """Of a name that only the newer server has: a version that starts with it has it. None: no setting of the audit."""
    found = found_name(line.name, newer)
    if not name_of(found.name):
        return None, None
    value, row = _made(line, found, newer), SOMETIMES.get(found.name)
    if row and row.is_versioned and row.exists(newer.flavour, version):
        return found, value
    says = f"{as_text(line.name)} is an option of version {newer.text}: whether this version has it is not known here."
    return found, replace(value, refused="", is_unknown=found.is_loose or bool(value.refused), says=says)


def _made(line: WrittenOption, found: FoundName, server: ServerOptions) -> MadeValue:
    """Some servers start with a wrong value behind `loose-`."""
    value = made(found, line.value, server.options[found.name], server)
    starts = found.is_loose and not value.no_value and server.habit("loose_wrong") == "read"
    return replace(value, refused="") if starts else value


def _is_the_same(one: MadeValue, other: MadeValue) -> bool:
    return _decides(one) == _decides(other)


def _decides(value: MadeValue) -> tuple[str | None, bool, bool]:
    return None if value.value is None else switch(value.value), bool(value.refused), value.is_unknown
