"""Long lists in parts: `?limit=50&offset=100`, answered with `items` and the `count` of all."""

from typing import Annotated

from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

MOST = 200
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]  # what a database can be asked for


class Pages(LimitOffsetPagination):
    class Input(Schema):
        limit: int = Field(50, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=10**9)
