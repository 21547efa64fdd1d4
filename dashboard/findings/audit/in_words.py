"""The audit as text for a terminal."""

from collections.abc import Iterable

from django.conf import settings

from dashboard.findings.audit.audit import Audit, AuditLine, ComparedServers
from workers.servers.durability import DERIVED
from workers.servers.printable import printable


def audit_lines(found: Audit, pairs: Iterable[ComparedServers] = ()) -> list[str]:
    """`pairs`: servers that a person chose, before the primaries and their replicas."""
    told = [found.finding, DERIVED, *filter(None, [found.torn])]
    for line in found.lines:
        told += ["", *_of_server(line)]
    for pair in pairs:
        told += ["", *_compared(pair, f"{pair.one} against {pair.other}")]
    for pair in found.replicas:
        told += ["", *_compared(pair, f"{pair.one} and its replica {pair.other}")]
    return [printable(line) for line in told]


def _of_server(line: AuditLine) -> Iterable[str]:
    yield " ".join(filter(None, (line.name, f"({line.version})" if line.version else "", line.flushes)))
    if line.answered:
        yield "    " + "; ".join(f"{title}: {one.outcome or one.says}" for title, one in line.crashes)
    yield f"    {line.finding}"
    if line.unclear:
        yield f"    {line.unclear}"
    if line.changes:
        yield f"    Change: {', '.join(line.changes)}"
    for note in line.notes:
        yield f"    {note}"
    if line.level:
        yield f"    Service level, {line.level.met}: {line.level.asked} {line.level.says}"
        yield from (f"        {one.met}: {one.asked}: {one.measured}" for one in line.level.targets)
    if line.answered:
        measured = "; ".join(
            f"{one.kind}: {one.says}, on {one.where} ({settings.ADDRESS}{one.cell})" for one in line.measured
        )
        yield f"    Measured here: {measured or 'nothing with this version and these settings'}"
        yield from (f"    Reference, not this server: {one.in_full}" for one in line.reference)


def _compared(pair: ComparedServers, title: str) -> Iterable[str]:
    if not pair.differences:
        yield f"{title}: no known setting differs."
        return
    yield f"{title}, settings that differ: {len(pair.differences)}"
    for one in pair.differences:
        yield f"    {one.setting}: {_value(one.one)} | {_value(one.other)}"


def _value(value: str | None) -> str:
    return "not known" if value is None else value or "(empty)"
