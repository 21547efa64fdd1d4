"""A server's durability settings in words (values.toml). A value is understood if that file has a sentence for it."""

from pathlib import Path

from workers.servers.ask import whole
from workers.servers.facts import Facts
from workers.servers.settings import switch
from workers.toml.table import TomlTable

FILE = Path(__file__).with_name("values.toml")
OTHERS = "else"
UNKNOWN = "This value is not known: what a crash loses with it is unknown."


def read(path: Path) -> dict[str, dict[str, str]]:
    """variable -> value -> sentence. Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    variables = {name: file.table(name) for name in file.data}
    return {name: {value: table.text(value) for value in table.data} for name, table in variables.items()}


WORDS = read(FILE)


def settings_in_words(facts: Facts) -> list[tuple[str, str, str]]:
    """(name, value, effect) of every durability setting that this server has."""
    found = ((name, facts.variable(name)) for name in WORDS)
    return [(name, value, in_words(name, value)) for name, value in found if value is not None]


def in_words(name: str, value: str) -> str:
    normal = understood(name, value)
    return UNKNOWN if normal is None else WORDS[name].get(normal, WORDS[name].get(OTHERS, "")).format(value=normal)


def understood(name: str, value: str) -> str | None:
    """The value in one spelling: capital letters, ON and OFF for a switch. None: the file has no sentence for it."""
    known, upper = WORDS[name], value.strip().upper()
    if found := next((one for one in (upper, switch(upper)) if one in known), None):
        return found
    return upper if upper in known or (OTHERS in known and whole(upper) is not None) else None
