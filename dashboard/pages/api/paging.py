"""Long lists in parts: `?limit=50&offset=100` is answered with `items` and the `count` of all."""

from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

MOST = 200


class Pages(LimitOffsetPagination):
    class Input(Schema):
        limit: int = Field(50, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=10**9)
