"""Long lists in parts: `?limit=50&offset=100` is answered with `items` and the `count` of all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

MOST = 200
Row = TypeVar("Row", bound=Model)
Told = TypeVar("Told")


class Pages(LimitOffsetPagination):
    class Input(Schema):
        limit: int = Field(50, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=10**9)


@dataclass(frozen=True)
class InParts(Generic[Row, Told]):
    """`rows`, of which a part is told at a time: all rows of the part share their queries."""

    rows: QuerySet[Row]
    tell: Callable[[Sequence[Row]], list[Told]]

    def __len__(self) -> int:
        return self.rows.count()

    def __getitem__(self, part: slice) -> list[Told]:
        return self.tell(list(self.rows[part]))
