"""Invisible characters, and characters that reverse text. Names may not hold them: two different names would look
alike, and a log line would not show its content."""

import unicodedata

# Printable by their Unicode category, yet invisible.
EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
OF_A_TEXT = frozenset("\n\t\u00a0\u200c\u200d")  # line breaks; spaces and joiners of some scripts


def unseen(text: str, allowed: frozenset[str] = frozenset()) -> str:
    """The first such character, in words; "" when there is none. `allowed`: OF_A_TEXT where it has several lines."""
    found = next((one for one in text if one not in allowed and (one in EMPTY or not one.isprintable())), "")
    return f"U+{ord(found):04X} ({unicodedata.name(found, 'a control character').lower()})" if found else ""


def refusal(found: str) -> str:
    return f"This text contains {found}, an invisible character. Remove it, or type the text again."
