"""Names and texts that people enter: validators of forms, and types of the API. See workers.bench.invisible."""

from typing import Annotated

from django.core.exceptions import ValidationError
from pydantic import AfterValidator

from workers.bench.invisible import OF_A_TEXT, refusal, unseen


def check_name(name: str) -> None:
    """Raises ValidationError."""
    if found := unseen(name):
        raise ValidationError(refusal(found))


def check_text(text: str) -> None:
    """Raises ValidationError."""
    if found := unseen(text.replace("\r\n", "\n"), OF_A_TEXT):
        raise ValidationError(refusal(found))


def _name(name: str) -> str:
    if found := unseen(name):
        raise ValueError(refusal(found))
    return name


def _text(text: str) -> str:
    if found := unseen(text.replace("\r\n", "\n"), OF_A_TEXT):
        raise ValueError(refusal(found))
    return text


Name = Annotated[str, AfterValidator(_name)]
Text = Annotated[str, AfterValidator(_text)]
