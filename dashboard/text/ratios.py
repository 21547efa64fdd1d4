"""A ratio and its 95 % interval as people read them: rounded the same way in sentences and tables."""

from collections.abc import Callable

from dashboard.text.numbers import sig

WIDE = 2  # upper over lower end of an interval


def is_wide(lo: float, hi: float) -> bool:
    """Whether the interval leaves the first digit of the ratio open."""
    return hi > WIDE * lo


def rounded(
    value: float,
    lo: float | None = None,
    hi: float | None = None,
    told: Callable[[float | None, int], str] = sig,
    digits: int = 0,
) -> tuple[str, str]:
    """Value and interval, "" if there is none. Three digits for ratios near 1, else two. Where the interval excludes 1,
    its ends have enough digits to show it. `told`: as a number or as percent."""
    if lo is None or hi is None:
        return told(value, digits or _digits(value)), ""
    digits = digits or (2 if is_wide(lo, hi) else _digits(value))
    while not lo <= 1 <= hi and told(1, digits) in (told(lo, digits), told(hi, digits)):
        digits += 1
    return told(value, digits), f"{told(lo, digits)} to {told(hi, digits)}"


def times_as_fast(value: float, lo: float | None, hi: float | None) -> str:
    """`6.1 times as fast`; with "about" where the interval is wide."""
    about = "about " if lo and hi and is_wide(lo, hi) else ""
    return f"{about}{rounded(value, lo, hi)[0]} times as fast"


def _digits(ratio: float) -> int:
    return 2 if ratio >= 2 else 3
