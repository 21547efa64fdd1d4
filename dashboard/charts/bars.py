"""Lengths and places of bars to scale, in thousandths of the widest: the page draws them as SVG, without styles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

WIDTH = 1000
LEAST = 6  # a part that is there can be seen, however small


@dataclass(frozen=True)
class Part:
    """`look` is a class of crash.css: kept, lost, extra, or a step's name."""

    look: str
    name: str
    value: float
    x: float
    width: float


@dataclass(frozen=True)
class Bar:
    name: str
    tip: str
    parts: tuple[Part, ...]
    known: bool = True


def sets(data: Mapping[str, Any], acknowledged: int | None, lost_replica: int | None) -> list[Bar]:
    """What the client was told, and what engine, binlog and replica hold of it, to one scale."""
    found = data.get("sets") or {}
    told = found.get("acknowledged") if found.get("acknowledged") is not None else acknowledged
    if told is None:
        return []
    in_doubt = found.get("in_doubt") or 0
    holds = {place: _holds(found, place, told) for place in ("engine", "binlog")}
    if lost_replica is not None:
        holds["replica"] = [("kept", "acknowledged", told - lost_replica), ("lost", "lost", lost_replica)]
    rows = {"acknowledged": [("kept", "acknowledged", told), ("extra", "in doubt", in_doubt)], **holds}
    scale = max([sum(value for _, _, value in row) for row in rows.values() if row] + [1])
    return [Bar(name, TIPS[name], tuple(_parts(row or [], scale)), row is not None) for name, row in rows.items()]


TIPS = {
    "acknowledged": "what the client was told is committed; in doubt: sent, but the crash came before the answer",
    "engine": "rows found in the tables after recovery",
    "binlog": "transactions found in the binary log after recovery",
    "replica": "what a replica would hold if it were promoted",
}


def _holds(found: Mapping[str, Any], place: str, told: int) -> list[tuple[str, str, float]] | None:
    kept, all_of_it = found.get(f"acknowledged_in_{place}"), found.get(place)
    if kept is None:
        return None
    more = max(0, (all_of_it or kept) - kept)
    return [("kept", "acknowledged", kept), ("lost", "lost", told - kept), ("extra", "not acknowledged", more)]


def timeline(steps: Iterable[Mapping[str, Any]]) -> list[Bar]:
    """Each step of a trial where it began and as long as it took, to one scale."""
    known = list(steps)
    end = max((step["at_s"] + step["took_s"] for step in known), default=0) or 1
    return [Bar(step["name"], "", (_step(step, end),)) for step in known]


def _step(step: Mapping[str, Any], end: float) -> Part:
    width = max(step["took_s"] / end * WIDTH, LEAST)
    x = min(step["at_s"] / end * WIDTH, WIDTH - width)
    return Part(step["name"].replace(" ", "-"), step["name"], step["took_s"], round(x, 1), round(width, 1))


def _parts(row: list[tuple[str, str, float]], scale: float) -> Iterable[Part]:
    x = 0.0
    room = WIDTH - LEAST * len(row)  # so that widened parts still fit
    for look, name, value in row:
        if value:
            width = value / scale * room + LEAST
            yield Part(look, name, value, round(x, 1), round(width, 1))
            x += width
