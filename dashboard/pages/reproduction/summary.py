"""How many statements of the articles held."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.template.defaultfilters import pluralize

from dashboard.pages.reproduction.statements import NOT_MEASURED, ArticleStatement, Section


@dataclass(frozen=True)
class Counts:
    held: int = 0
    not_held: int = 0
    open: int = 0
    unmeasured: int = 0

    @property
    def measured(self) -> int:
        return self.held + self.not_held + self.open

    @property
    def look(self) -> str:
        """Class of badges.css for all statements of a claim together: held only if each measured statement held."""
        if not self.measured:
            return "waiting"
        return "warned" if self.not_held else "unknown" if self.open else "held"

    @property
    def in_words(self) -> str:
        if not self.measured:
            return NOT_MEASURED
        return f"{self.held} of {self.measured} held" + (f", {self.unmeasured} not measured" if self.unmeasured else "")


def counts(statements: Iterable[ArticleStatement]) -> Counts:
    found = Counter(one.outcome for one in statements)
    return Counts(found["held"], found["not held"], found["not decidable"], found[NOT_MEASURED])


def of_the_articles(sections: Iterable[Section]) -> list[ArticleStatement]:
    return [one for section in sections if section.claim.id for one in section.statements]


def sentence(found: Counts) -> str:
    """31 of 40 statements held, 4 did not, 5 are not decidable. 2 more were not measured yet."""
    if not found.measured:
        return f"None of the {found.unmeasured} statements was measured here yet."
    parts = [f"{found.held} of {found.measured} statements held"]
    parts += [f"{found.not_held} did not"] if found.not_held else []
    parts += [f"{found.open} {pluralize(found.open, 'is,are')} not decidable"] if found.open else []
    rest = f"{found.unmeasured} more {pluralize(found.unmeasured, 'was,were')} not measured yet."
    return f"{', '.join(parts)}." + (f" {rest}" if found.unmeasured else "")


def measured_between(statements: Iterable[ArticleStatement]) -> list[datetime]:
    """First and last end of the experiments behind the statements; one moment if both are on the same day, none if
    nothing was measured."""
    ended = sorted(one.measured_at for one in statements if one.measured_at)
    if not ended:
        return []
    return [ended[0], ended[-1]] if ended[0].date() != ended[-1].date() else [ended[-1]]
