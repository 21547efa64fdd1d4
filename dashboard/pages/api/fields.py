"""Types of fields that several resources of the API have."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from django.db import models
from ninja import Field, Header, Schema
from pydantic import BeforeValidator, ConfigDict

from dashboard.portable.shape import with_fields
from dashboard.records.fleet.task_queue import QueueDown

Id = Annotated[int, Field(ge=1, le=2**63 - 1)]  # the largest number that a database can look up
Username = Annotated[str | None, BeforeValidator(lambda user: user and user.get_username())]
Key = Annotated[
    str,
    Header(
        "",
        alias="Idempotency-Key",
        max_length=255,
        pattern="^[!-~]*$",
        description="Of your choice, new for each experiment: a repeated request with the same key starts nothing.",
    ),
]
Shown = TypeVar("Shown", bound=Schema)


class Given(Schema):
    """What a request holds: the named fields, and nothing else."""

    model_config = ConfigDict(extra="forbid")


class Noticed(Schema):
    """`notice` is not empty when it is stored but no worker could be told: it then starts a little later."""

    notice: str = ""


def notice_of(tell: Callable[[], object]) -> str:
    """ "", or why no worker could be told."""
    try:
        tell()
    except QueueDown as silent:
        return str(silent)
    return ""


TYPES: dict[type, type] = {
    models.CharField: str,
    models.TextField: str,
    models.BooleanField: bool,
    models.IntegerField: int,
    models.ForeignKey: int,
    models.FloatField: float,
    models.DateTimeField: datetime,
}


def with_columns(model: type[models.Model], names: str) -> Callable[[type[Shown]], type[Shown]]:
    """Adds columns of a table to a schema, with their types, choices and null. `names`: with spaces between them."""
    return with_fields({name: (_type(model._meta.get_field(name)), ...) for name in names.split()})


def with_values(kind: type, names: str) -> Callable[[type[Shown]], type[Shown]]:
    """Adds fields and properties of a class to a schema, with the types that they have there."""
    hints = get_type_hints(kind)
    properties = {name: one.fget for name, one in vars(kind).items() if isinstance(one, property)}
    return with_fields(
        {name: (hints.get(name) or get_type_hints(properties[name])["return"], ...) for name in names.split()}
    )


def _type(column: Any) -> object:
    """TypeError for a column whose type the schema must name itself."""
    kind: Any = next((kind for known, kind in TYPES.items() if isinstance(column, known)), None)
    if kind is None:
        raise TypeError(f"{column} has no type here.")
    if column.choices:
        kind = Literal[tuple(key for key, _ in column.flatchoices) + (("",) if column.blank else ())]
    return kind | None if column.null else kind
