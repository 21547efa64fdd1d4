"""Long lists in parts: `?limit=50&offset=100`, answered with `items` and the `count` of all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from django.db.models import Model, QuerySet
from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

MOST = 200
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]  # what a database can be asked for


Row = TypeVar("Row", bound=Model)
Shown = TypeVar("Shown")


@dataclass(frozen=True)
class Told(Generic[Row, Shown]):
    """Rows as `tell` shows them. Only the rows of the page that is asked for are told."""

    rows: QuerySet[Row]
    tell: Callable[[Row], Shown]

    def __len__(self) -> int:
        return self.rows.count()

    def __getitem__(self, part: slice) -> list[Shown]:
        return [self.tell(row) for row in self.rows[part]]


class Pages(LimitOffsetPagination):
    class Input(Schema):
        limit: int = Field(50, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=10**9)
