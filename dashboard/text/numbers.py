"""Numbers as people read them, in sentences, tables and templates.

An unknown number (None, NaN) is a dash everywhere, never a zero.
"""

import math
from collections.abc import Callable
from typing import Any

UNKNOWN = "\N{EN DASH}"
CONFIDENCE = "95\N{NO-BREAK SPACE}%"  # of every interval
TINY = 0.001
_SCALES = ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")


def _known(value: object) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _fixed(number: float, decimals: int) -> str:
    return f"{number:,.{max(decimals, 0)}f}".replace("-", "\N{MINUS SIGN}")


def _decimals(number: float, digits: int) -> int:
    """Decimals for `digits` significant digits after rounding (9.996 becomes 10.0, with one decimal less)."""
    if number == 0:
        return 0
    return digits - 1 - math.floor(math.log10(abs(float(f"{number:.{digits - 1}e}"))))


def sig(value: object, digits: int = 3) -> str:
    """Rounded to that many significant digits: 1234.5 -> 1,230 and 0.012345 -> 0.0123. For sentences."""
    number = _known(value)
    if number is None:
        return UNKNOWN
    decimals = _decimals(number, digits)
    return _fixed(round(number, decimals), decimals)


def number(value: object, digits: int = 4) -> str:
    """At least that many significant digits; whole digits are never rounded: 12345.6 -> 12,346. For tables. Numbers
    below a thousandth get two digits, because many zeros are hard to read."""
    known = _known(value)
    if known is None:
        return UNKNOWN
    digits = 2 if abs(known) < TINY else digits
    return _fixed(known, 0 if known == int(known) else _decimals(known, digits))


def whole(value: object) -> str:
    known = _known(value)
    return UNKNOWN if known is None else _fixed(known, 0)


def unit(value: object, name: str) -> str:
    """The number with its unit: 12345.6|unit:"/s" -> 12,346/s, |unit:"calls" -> 12,346 calls."""
    text = number(value)
    if text == UNKNOWN:
        return text
    return text + name if name.startswith(("/", "%")) else f"{text}\N{NO-BREAK SPACE}{name}"


def percent(value: object, digits: int = 2) -> str:
    """A share of one as percent: 0.0123 -> 1.2 %."""
    known = _known(value)
    return UNKNOWN if known is None else f"{sig(known * 100, digits)}\N{NO-BREAK SPACE}%"


def duration(seconds: object) -> str:
    """In units for people: 0.00123 -> 1.23 ms, 75 -> 1 min 15 s, 3700 -> 1 h 2 min."""
    known = _known(seconds)
    if known is None:
        return UNKNOWN
    size = abs(known)
    if size < 59.95:
        return _short(known)
    big, big_name, small, small_name = next(one for one in _SCALES if round(size / one[2]) * one[2] >= one[0])
    most, rest = divmod(round(size / small), big // small)
    tail = f" {rest} {small_name}" if rest else ""
    return ("\N{MINUS SIGN}" if known < 0 else "") + f"{most:,} {big_name}{tail}"


def _short(seconds: float) -> str:
    size = abs(seconds)
    if size == 0:
        return "0 s"
    if size < 0.9995e-3:
        return f"{sig(seconds * 1e6)} µs"
    if size < 0.9995:
        return f"{sig(seconds * 1e3)} ms"
    return f"{sig(seconds)} s" if size < 9.95 and size != int(size) else f"{sig(seconds, 2)} s"


def ms(value: object) -> str:
    """Milliseconds in units for people: 0.25 -> 250 µs, 1650 -> 1.65 s."""
    known = _known(value)
    return UNKNOWN if known is None else duration(known / 1000)


def size(value: object) -> str:
    """Bytes with a binary unit: 1536 -> 1.5 KiB."""
    known = _known(value)
    if known is None:
        return UNKNOWN
    steps = 0 if abs(known) < 1024 else min(int(math.log(abs(known), 1024)), len(_BYTES) - 1)
    return f"{sig(known / 1024**steps)} {_BYTES[steps]}"


def mib(value: object) -> str:
    """Whole mebibytes: 56 -> 56 MiB."""
    return unit(round(known), "MiB") if (known := _known(value)) is not None else UNKNOWN


def times(value: object) -> str:
    """A ratio: 6.123 -> 6.12 with the multiplication sign."""
    text = sig(value)
    return text if text == UNKNOWN else f"{text}\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}"


def at(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads:,} threads"


FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "number": number,
    "whole": whole,
    "ms": ms,
    "times": times,
    "p": lambda value: "< 0.001" if value < 0.001 else sig(value, 2),
    "percent": percent,
    "size": size,
}
