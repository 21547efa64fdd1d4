"""Numbers in the text of a request: an address, a form, something pasted."""

import re


def asked_number(text: str | None) -> int | None:
    """None for any other text. 18 digits fit every column, and Python refuses to read more than 4,300."""
    return int(text) if text and re.fullmatch("[0-9]{1,18}", text) else None
