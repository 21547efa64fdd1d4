"""Types of fields that several resources of the API have."""

from typing import Annotated

from ninja import Field, Header
from pydantic import BeforeValidator

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
