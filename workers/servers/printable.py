"""Texts of servers and of files as a terminal may get them: control characters could change it."""

NO_BREAK = "\N{NO-BREAK SPACE}"  # our own sentences have some


def printable(text: str) -> str:
    return "".join(one if one.isprintable() or one == NO_BREAK else "\N{REPLACEMENT CHARACTER}" for one in text)
