"""Reads JSON strictly: only values that the standard allows and a database can store."""

import json
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from dashboard.portable.refused import NotImported, UnknownField

Model = TypeVar("Model", bound=BaseModel)
DEEPEST = 24
MOST_DIGITS = 18  # PostgreSQL gives 1e20 back as a whole number, so that this holds for every number
MOST_VALUES = 6_000_000  # in a part: a day of seconds has 5 million
MOST_TEXTS = 1_000_000  # in a part; a text or a name needs ten times the memory of a number


def read(content: bytes, part: str, shape: type[Model]) -> Model:
    bounded(content, part)
    try:
        found = json.loads(
            content.decode(),
            parse_constant=no_number,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_each_once,
        )
        storable(found)
        return shape.model_validate(found)
    except ValidationError as wrong:
        unknown = wrong.errors()[0]["type"] == "extra_forbidden"
        raise (UnknownField if unknown else NotImported)(f"{part}: {_first(wrong)}") from wrong
    except (ValueError, RecursionError) as wrong:
        said = "it is nested too deeply" if isinstance(wrong, RecursionError) else str(wrong)
        raise NotImported(f"{part} cannot be read: {said[:200]}") from wrong


def _first(wrong: ValidationError) -> str:
    first, *more = wrong.errors(include_url=False, include_context=False, include_input=False)
    where = ".".join(str(step)[:40] for step in first["loc"])
    return f"{where[:200]}: {first['msg']}" + (f" (and {len(more)} more)" if more else "")


def bounded(content: bytes, part: str) -> None:
    """Checked before parsing: each value needs up to 100 bytes of memory, and a packed file has millions of them in a
    few kilobytes. Characters within texts count too."""
    counts = (
        (sum(map(content.count, (b",", b"[", b"{"))), MOST_VALUES, "values"),
        (content.count(b'"') // 2, MOST_TEXTS, "texts"),
    )
    for count, most, what in counts:
        if count > most:
            raise NotImported(f"{part} holds more than {most:,} {what}")


def no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not abs(value) < 10**MOST_DIGITS:
        raise ValueError(f"{digits[:40]} is too large")
    return value


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > MOST_DIGITS:
        raise ValueError(f"{digits[:40]} is too large")
    return int(digits)


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has two values of the same name")
    return found


def storable(value: object, depth: int = DEEPEST) -> None:
    """Raises ValueError and RecursionError: a database stores no NUL and no half of a surrogate pair."""
    if not depth:
        raise RecursionError
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("a text holds a NUL")
        value.encode()  # half of a surrogate pair cannot be written
    elif isinstance(value, (dict, list)):
        for one in (*value, *value.values()) if isinstance(value, dict) else value:
            storable(one, depth - 1)
