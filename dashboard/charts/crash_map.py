"""The crash points of a recorded load as dots: redo log flushed against binlog flushed, failures above the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from workers.crash.points.story import JudgedPoint

SIZE = 1000
EDGE = 25  # so that no dot is cut off
RADII = {"kept": 7, "unclear": 7, "other": 11, "lost": 11}  # the last is drawn on top
LOOKS = {"valid": "kept", "unknown": "unclear", "invalid": "other"}


@dataclass(frozen=True)
class MapDot:
    """`look` is a class of crash.css: kept, unclear, other (a check failed), lost."""

    look: str
    x: float
    y: float
    radius: int


@dataclass(frozen=True)
class CrashMap:
    """Bytes at the ends of both axes. Without a binlog the second axis is the time, `seconds` at its end."""

    dots: tuple[MapDot, ...]
    redo_bytes: int
    binlog_bytes: int
    seconds: float


def crash_map(states: Sequence[JudgedPoint]) -> CrashMap:
    redo = max((state.redo for state in states), default=0)
    binlog = max((state.binlog for state in states), default=0)
    seconds = max((state.at_s for state in states), default=0.0)
    upward = [(state.binlog, binlog) if binlog else (max(state.at_s, 0), seconds) for state in states]
    dots = (
        MapDot(look, _place(state.redo, redo), SIZE - _place(*height), RADII[look])
        for state, height in zip(states, upward, strict=True)
        if (look := look_of(state))
    )
    return CrashMap(tuple(sorted(dots, key=lambda dot: list(RADII).index(dot.look))), redo, binlog, seconds)


def paths(drawn: CrashMap) -> tuple[tuple[str, str], ...]:
    """For a small map: of each look its dots as one path, those at nearly the same place as one dot."""
    places = {
        look: dict.fromkeys((_near(dot.x), _near(dot.y)) for dot in drawn.dots if dot.look == look) for look in RADII
    }
    return tuple((look, "".join(f"M{x} {y}h0" for x, y in dots)) for look, dots in places.items() if dots)


def _near(place: float) -> int:
    return 10 * round(place / 10)


def look_of(state: JudgedPoint) -> str:
    return "lost" if state.has_lost else LOOKS[state.verdict]


def _place(value: float, most: float) -> float:
    return round(EDGE + value / (most or 1) * (SIZE - 2 * EDGE), 1)
