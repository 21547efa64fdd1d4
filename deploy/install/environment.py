"""Prints the variables of a file for a shell, read as systemd reads it (systemd.exec(5), EnvironmentFile=).

A shell itself takes `&`, `;`, `$`, `<` and spaces in a value for its own: after `DATABASE_URL=...?a=1&b=2` it has no
DATABASE_URL, and the program uses SQLite while the services use PostgreSQL. Argument: the file.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

LINE = re.compile(
    r"""[ \t]*(?:
      [#;](?:\\.|[^\\\n])*  # a comment
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)[ \t]*=
      (?P<quoted>(?:[ \t]*(?:'[^']*'|"(?:\\.|[^"\\])*"))*)
      [ \t]*(?P<plain>(?:\\.|[^\\\n])*)
    | [^\n]*  # systemd passes over it
    )(?:\n|\Z)""",
    re.DOTALL | re.VERBOSE,
)
QUOTED = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)\"""", re.DOTALL)


def variables(text: str) -> Iterator[tuple[str, str]]:
    """Raises ValueError: a quote has no end."""
    for line in LINE.finditer(text.replace("\r", "\n") + "\n"):
        name, plain = line["name"], line["plain"]
        if name is None:
            continue
        if plain[:1] in ("'", '"'):
            raise ValueError(f"the quote in the value of {name} has no end")
        quoted = (
            one[1] if one[1] is not None else _unescaped(one[2], r'["\\`$]') for one in QUOTED.finditer(line["quoted"])
        )
        yield name, "".join(quoted) + _unescaped(plain.rstrip(), ".")


def _unescaped(text: str, which: str) -> str:
    """A backslash before the end of a line joins it with the next one."""
    return re.sub(rf"\\(?:\n|({which}))", lambda found: found[1] or "", text)


if __name__ == "__main__":
    file = Path(sys.argv[1])
    try:
        found = variables(file.read_bytes().decode())
        text = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in found)
    except (OSError, ValueError) as problem:
        sys.exit(f"{file} cannot be read: {problem}")
    sys.stdout.buffer.write(text.encode())  # whatever the locale
