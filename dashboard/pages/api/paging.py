"""Long lists in parts: `?limit=50&offset=100`, answered with `items` and the `count` of all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from django.db.models import QuerySet
from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

MOST = 200
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]  # what a database can be asked for


@dataclass(frozen=True)
class Told(Sequence[Any]):
    """Rows as `tell` shows them. The database counts them, and only those of the part that is asked for are told."""

    rows: QuerySet
    tell: Callable[[Any], Any]

    def __len__(self) -> int:
        return self.rows.count()

    def __getitem__(self, part: Any) -> Any:
        return [self.tell(row) for row in self.rows[part]] if isinstance(part, slice) else self.tell(self.rows[part])


class Pages(LimitOffsetPagination):
    class Input(Schema):
        limit: int = Field(50, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=10**9)
