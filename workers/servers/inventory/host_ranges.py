"""Ranges in the name of a host of Ansible: db[01:12] are twelve hosts, db[a:c] are three."""

import re
from collections.abc import Iterator
from itertools import product
from math import prod

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_SERVERS

LONGEST_NAME = 255
_RANGE = re.compile(r"\[(\d{1,6}|[a-z]):(\d{1,6}|[a-z])\]")


def hosts(name: str) -> Iterator[str]:
    """Raises PlanError, before it makes the first one."""
    if len(name) > LONGEST_NAME:
        raise PlanError(f"A host's name is longer than {LONGEST_NAME} characters.", "Correct the file.")
    parts = _RANGE.split(name)  # text, first, last, text, first, last, text
    spans = [_span(first, last) for first, last in zip(parts[1::3], parts[2::3], strict=True)]
    if not all(spans):
        raise PlanError("A range in a host's name is empty.", "Write the smaller end first, as in db[1:9].")
    if prod(map(len, spans)) > MOST_SERVERS:
        raise PlanError(f"The ranges of a host's name are more than {MOST_SERVERS:,} hosts.", "Split the file.")
    for chosen in product(*(_written(first, span) for first, span in zip(parts[1::3], spans, strict=True))):
        yield parts[0] + "".join(one + text for one, text in zip(chosen, parts[3::3], strict=True))


def _span(first: str, last: str) -> range:
    """Empty if one end is a letter and the other a number."""
    if first.isdigit() != last.isdigit():
        return range(0)
    begin, end = (int(first), int(last)) if first.isdigit() else (ord(first), ord(last))
    return range(begin, end + 1)


def _written(first: str, span: range) -> list[str]:
    return [str(one).zfill(len(first)) if first.isdigit() else chr(one) for one in span]
