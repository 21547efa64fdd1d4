"""A change in words, for its line on the page and for its message."""

from collections.abc import Sequence

from dashboard.records.history.figures import FIGURES, HistoryFigure
from dashboard.records.history.models import Change, Track
from dashboard.records.history.queries import Difference
from dashboard.text.numbers import FORMATS, percent

MOST_NAMED = 6


def headline(change: Change) -> str:
    """Throughput of 1/1 fell by 21 %."""
    return f"{FIGURES[change.figure].title} of {change.track.variant} {moved(change)}"


def moved(change: Change) -> str:
    went = "rose" if change.after > change.before else "fell"
    if not change.before:
        return f"{went} from 0"
    return f"{went} by {percent(abs(change.after / change.before - 1))}"


def name(figure: HistoryFigure, track: Track) -> str:
    """commits per second, p99 latency."""
    return f"{track.counts} {figure.name}" if figure.counted else figure.name


def level(change: Change, value: float) -> str:
    figure = FIGURES[change.figure]
    return FORMATS[figure.form](value) + (figure.unit if figure.unit.startswith("/") else "")


def differed(found: Sequence[Difference], most: int = MOST_NAMED) -> str:
    """server version 10.11.6 -> 10.11.8, kernel 6.1 -> 6.8, and 3 more."""
    if not found:
        return "none recorded"
    named = [f"{what}: {before} \N{RIGHTWARDS ARROW} {after}" for what, before, after in found[:most]]
    rest = f", and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(named) + rest
