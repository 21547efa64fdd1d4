"""The board on the first page: its strips, and the servers of one page of the list, as the address chooses them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator

from dashboard.findings.board.rows import BoardRow, rows
from dashboard.findings.board.values import CRASHES, LABELS, WORST_FIRST, Board, BoardServer, Crash, Outcome

ROWS_A_PAGE = 25
MOST_SQUARES = 400  # above it a strip shows counts by label
COUNTED: tuple[Outcome, ...] = ("lost", "unknown", "kept")


@dataclass(frozen=True)
class BoardChoice:
    """Which servers the list shows; "": all."""

    label: str = ""
    crash: str = ""
    outcome: str = ""
    tested: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "BoardChoice":
        """Unknown values are ignored."""
        allowed = {"label": LABELS, "crash": CRASHES, "outcome": WORST_FIRST, "tested": ("yes", "no")}
        asked = {name: query.get(name, "") for name in allowed}
        return cls(**{name: value for name, value in asked.items() if value in allowed[name]})

    @property
    def address(self) -> str:
        return f"?{urlencode({name: value for name, value in vars(self).items() if value})}"

    def shows(self, one: BoardServer) -> bool:
        return (
            self.label in ("", one.label)
            and (not self.outcome or one.has(self.crash, self.outcome))
            and (not self.tested or one.is_tested == (self.tested == "yes"))
        )


@dataclass(frozen=True)
class Counted:
    """`address`: the list of these servers."""

    outcome: Outcome
    count: int
    address: str


@dataclass(frozen=True)
class Strip:
    """A crash. `by_label`: label -> its counts, where there are too many servers for squares."""

    crash: Crash
    counts: tuple[Counted, ...]
    by_label: Mapping[str, tuple[Counted, ...]]


@dataclass(frozen=True)
class Filter:
    """`key`: of its words in the template."""

    key: str
    count: int
    choice: BoardChoice
    is_chosen: bool


def context(found: Board, query: Mapping[str, str], now: datetime) -> dict[str, object]:
    choice = BoardChoice.of(query)
    shown = [one for one in found.servers if choice.shows(one)] if choice != BoardChoice() else found.servers
    page: Page[BoardServer] = Paginator(shown, ROWS_A_PAGE).get_page(query.get("page"))
    listed: Sequence[BoardRow] = rows(found, list(page), now)
    return {
        "board": found,
        "crashes": CRASHES,
        "strips": [_strip(found, crash) for crash in CRASHES],
        "is_crowded": len(found.servers) > MOST_SQUARES,
        "filters": _filters(found, choice),
        "choice": choice,
        "page": page,
        "rows": listed,
        "production_lost": found.count("power", "lost", "production"),
        "production": found.by_label["production"],
    }


def _strip(found: Board, crash: Crash) -> Strip:
    labels = found.labels if len(found.servers) > MOST_SQUARES else ()
    return Strip(crash, _counts(found, crash), {label: _counts(found, crash, label) for label in labels})


def _counts(found: Board, crash: Crash, label: str = "") -> tuple[Counted, ...]:
    return tuple(
        Counted(outcome, found.count(crash, outcome, label), BoardChoice(label, crash, outcome).address)
        for outcome in COUNTED
    )


def _filters(found: Board, chosen: BoardChoice) -> list[Filter]:
    choices = {
        "all": BoardChoice(),
        "production": BoardChoice(label="production"),
        "lost": BoardChoice(crash="power", outcome="lost"),
        "unknown": BoardChoice(crash="power", outcome="unknown"),
        "untested": BoardChoice(tested="no"),
    }
    counts = {
        "all": len(found.servers),
        "production": found.by_label["production"],
        "lost": found.count("power", "lost"),
        "unknown": found.count("power", "unknown"),
        "untested": len(found.servers) - found.tested,
    }
    return [Filter(key, counts[key], choice, choice == chosen) for key, choice in choices.items()]
