"""Which published reports were reproduced here: how often the failure came, and what the control did.

A statement with a lower bound expects the failure; one with only an upper bound is the control: a build or a procedure
without the bug.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.defaultfilters import pluralize

from dashboard.pages.reproduction.statements import NOT_MEASURED, ArticleStatement, Section


@dataclass(frozen=True)
class Reproduction:
    section: Section

    @property
    def is_tried(self) -> bool:
        return any(_counted(one) for one in self._expecting)

    @property
    def is_reproduced(self) -> bool:
        return any(one.answer and one.answer.measured.value for one in self._expecting)

    @property
    def in_words(self) -> str:
        """reproduced 3 of 3; 5 of 6; or: not in 3"""
        counts = [one.value for one in self._expecting if _counted(one)]
        if not counts:
            return NOT_MEASURED
        if self.is_reproduced:
            return f"reproduced {'; '.join(counts)}"
        return f"not in {'; '.join(count.removeprefix('0 of ') for count in counts)}"

    @property
    def look(self) -> str:
        """Class of badges.css."""
        if not self.is_tried:
            return "waiting"
        return "held" if self.is_reproduced else "unknown"

    @property
    def _expecting(self) -> list[ArticleStatement]:
        return [one for one in self.section.statements if one.claim.bounds.above is not None]


def sentence(reports: Sequence[Reproduction]) -> str:
    """9 of 12 published reports were reproduced here. 1 more was not tried yet."""
    tried, rest = [one for one in reports if one.is_tried], [one for one in reports if not one.is_tried]
    if not tried:
        return f"None of the {len(reports)} published reports was tried here yet."
    reproduced = sum(one.is_reproduced for one in tried)
    said = f"{reproduced} of {len(tried)} published reports were reproduced here."
    return said + (f" {len(rest)} more {pluralize(len(rest), 'was,were')} not tried yet." if rest else "")


def _counted(one: ArticleStatement) -> bool:
    return one.answer is not None and one.answer.measured.value is not None
