"""A claim of an article as a predicate on a result."""

from dataclasses import dataclass

from workers.analysis.predicates.bounds import Bounds, Effect, Outcome
from workers.analysis.predicates.measured import MeasuredResult
from workers.analysis.predicates.predicate import Predicate


@dataclass(frozen=True)
class Claim:
    """`id`: of docs/research/claims.md, or the recipe's own; `article`: the published figure; `today`: why present
    servers contradict it, shown only when it is not held."""

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
