"""The settings that two servers are compared by: those that decide durability, the binary log and replication."""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.servers.present import WORDS
from workers.servers.replication import VARIABLES, renamed
from workers.servers.settings import SETTINGS, switch

IDENTITY = ("server_uuid", "hostname", "report_host")  # each server has its own
NAMES = tuple(dict.fromkeys((*SETTINGS, *WORDS, *(name for name in VARIABLES if name not in IDENTITY))))


@dataclass(frozen=True)
class SettingDifference:
    """None: the server has no such setting, or it is not known."""

    setting: str
    one: str | None
    other: str | None


def name_of(variable: str) -> str:
    """The setting in the newer words, source and replica; "" for a variable that is not compared."""
    name = renamed(variable)
    return name if name in NAMES else ""


def compared(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for variable, value in variables.items() if (name := name_of(variable))}


def differences(
    one: Mapping[str, str], other: Mapping[str, str], *, same_flavour: bool
) -> tuple[SettingDifference, ...]:
    """Of variables. Between flavours, a setting that only one server has is no difference."""
    left, right = compared(one), compared(other)
    both = left.keys() & right.keys()
    wanted = left.keys() | right.keys() if same_flavour else both
    return tuple(
        SettingDifference(name, left.get(name), right.get(name))
        for name in NAMES
        if name in wanted and (name not in both or switch(left[name]) != switch(right[name]))
    )
