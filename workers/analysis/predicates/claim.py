"""A claim of an article as a predicate on a result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from workers.analysis.predicates.bounds import Bounds, Effect, Outcome
from workers.analysis.predicates.measured import MeasuredResult


class Predicate(Protocol):
    """`as_dict`: as a recipe writes it, in full; `in_percent`: whether its figure is shown in percent; `threads`: the
    numbers of threads that it fixes, ascending, none where it speaks of crashes or of a device."""

    def measure(self, measured: MeasuredResult) -> Effect: ...

    @property
    def in_percent(self) -> bool: ...

    @property
    def in_words(self) -> str: ...

    @property
    def threads(self) -> tuple[int, ...]: ...

    def as_dict(self) -> Mapping[str, object]: ...


@dataclass(frozen=True)
class Claim:
    """`id`: of docs/claims.md, or the recipe's own; `article`: the published figure; `today`: why present servers
    contradict it, shown only when it is not held."""

    id: str
    says: str
    article: str
    predicate: Predicate
    bounds: Bounds
    today: str = ""

    def judge(self, measured: MeasuredResult) -> tuple[Outcome, Effect]:
        effect = self.predicate.measure(measured)
        return self.bounds.judge(effect), effect

    @property
    def in_words(self) -> str:
        return f"{self.predicate.in_words}: {self.bounds.in_words(percent=self.predicate.in_percent)}"

    def as_dict(self) -> dict[str, object]:
        bounds = {name: value for name, value in vars(self.bounds).items() if value is not None}
        texts = {"id": self.id, "says": self.says, "article": self.article}
        return {**texts, **({"today": self.today} if self.today else {}), **self.predicate.as_dict(), **bounds}
