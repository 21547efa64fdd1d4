"""What a server makes of the value of an option, as it then shows it."""

import re
from dataclasses import dataclass, replace

from workers.servers.pasted.option_names import FoundName
from workers.servers.pasted.options import KnownOption, ServerOptions

SWITCHING = ("skip", "disable", "enable")
ON, OFF = {"1", "on", "true"}, {"0", "off", "false"}
UNITS = "KMGTPE"
MOST = 1 << 64
C_SPACES = " \t\n\v\f\r"
_NUMBER = re.compile(rf"[{C_SPACES}]*([+-]?)0*(\d+)", re.ASCII)
_FRACTION = re.compile(r"[+-]?\d*\.?\d+$", re.ASCII)
TOO_LONG = 21  # digits; the largest number of a server has 20
NEED_A_VALUE, WORDS = "nesw", "wW"  # kinds; see options.py
PLUGINS_OWN = ("innodb_",)  # of these `maximum-` sets the value itself
OF_A_SESSION = ("binlog_format", "binlog_row_image", "innodb_support_xa")


@dataclass(frozen=True)
class MadeValue:
    """`value`: as the server shows it; None: it stays as it was. `refused`: why the server does not start, "" if it
    does; with `loose-` some servers start all the same, unless there is `no_value`. `is_late`: it is refused by InnoDB,
    which sees the last value only. `is_unknown`: the value is not known. `says`: what a reader may not expect."""

    value: str | None = None
    refused: str = ""
    no_value: bool = False
    is_late: bool = False
    is_unknown: bool = False
    says: str = ""


def made(found: FoundName, written: str | None, option: KnownOption, server: ServerOptions) -> MadeValue:
    name, value = found.name, _argument(found.prefix, written)
    if found.prefix == "autoset":
        return MadeValue(refused=f"{name} cannot be set by autoset-")
    if name == "log_bin":
        return _log_bin(found.prefix, written)
    if found.prefix == "maximum" and name in OF_A_SESSION and _has_maximum(name, server):
        return replace(_by_kind(name, value, option, server), value=None, is_unknown=name.startswith(PLUGINS_OWN))
    if found.prefix == "maximum" and _is_without_maximum(name, option, server):
        return MadeValue(refused=f"{name} has no maximum")
    if name == "innodb" and value is not None and value.lower() in OFF and server.habit("without_innodb") == "refused":
        return MadeValue(refused="without InnoDB a server starts only if another engine is its default")
    if value is None and option.kind in NEED_A_VALUE:
        return MadeValue(refused=f"{name} has no value", no_value=True)
    if option.default is None:
        return _of_another(name, value, option, server)
    if option.kind in WORDS and value == "1" and found.prefix == "enable":
        value = None if server.flavour == "mysql" else ""
    found_value = _by_kind(name, value, option, server)
    return found_value if value == written else replace(found_value, says="")


def _has_maximum(name: str, server: ServerOptions) -> bool:
    """MySQL has none for what is chosen from words."""
    return server.flavour != "mysql" or name.startswith(PLUGINS_OWN)


def _is_without_maximum(name: str, option: KnownOption, server: ServerOptions) -> bool:
    chosen = name in OF_A_SESSION and not _has_maximum(name, server)
    return chosen or (option.default is not None and not name.startswith(PLUGINS_OWN))


def _of_another(name: str, value: str | None, option: KnownOption, server: ServerOptions) -> MadeValue:
    """An option that the audit does not ask for: the table does not say whether it has bounds, fractions or signs."""
    if option.kind in "nN" and value and _whole(value, server) is None and not _FRACTION.match(value):
        return MadeValue("0", f"{name}={value}: this is no number")
    return MadeValue(value)


def _argument(prefix: str, written: str | None) -> str | None:
    """`skip-x=0` is x=1. A server looks at nothing else behind these prefixes."""
    if prefix in ("skip", "disable"):
        return "1" if written == "0" else "0"
    if prefix == "enable":
        return "0" if written == "0" else "1"
    return written


def _log_bin(prefix: str, written: str | None) -> MadeValue:
    """Its value is the name of a file, also 0 and OFF."""
    if prefix in SWITCHING:
        return MadeValue("ON" if _argument(prefix, written) == "1" else "OFF")
    names_it = written is not None and written.lower() in OFF
    return MadeValue(
        "ON",
        says=f"log_bin={written}: {written} is a file name here. skip-log-bin switches it off." if names_it else "",
    )


def _by_kind(name: str, value: str | None, option: KnownOption, server: ServerOptions) -> MadeValue:
    if option.kind in "bil":
        return _switch(name, value, option.kind)
    if option.kind in "nN":
        return _number(name, "1" if value is None else value, option, server)
    if option.kind in "eE":
        return _choice(name, "1" if value is None else value, option, server)
    if option.kind in WORDS:
        return MadeValue() if value is None else _word(name, value, option)
    return MadeValue(value) if value is not None else MadeValue(is_unknown=True)


def _switch(name: str, value: str | None, kind: str) -> MadeValue:
    said = "1" if value is None else value.lower()
    if kind == "l" and said not in ON | OFF:
        said = said[:1]
    if said in ON | OFF:
        return MadeValue("ON" if said in ON else "OFF")
    if kind == "b":
        return MadeValue("OFF", says=f"{name}={value}: this is no switch, and switches it off.")
    return MadeValue(says=f"{name}={value}: this is no switch; the server passes over it.")


def _number(name: str, value: str, option: KnownOption, server: ServerOptions) -> MadeValue:
    if not value and server.habit("empty_number") == "refused":
        return MadeValue(refused=f"{name} has an empty value")
    number = _whole(value, server)
    if number is None:
        return MadeValue(_within(0, option), f"{name}={value}: this is no number")
    cut = _within(number, option)
    return MadeValue(cut, says="" if cut == str(number) else f"{name}={value}: the server runs with {cut}.")


def _within(number: int, option: KnownOption) -> str:
    most = MOST if option.most is None else option.most
    return str(max(min(number, most), option.least or 0))


def _whole(value: str, server: ServerOptions) -> int | None:
    """Below 0: the least. None: a server does not read it."""
    negative = server.habit("negative")
    if value.lstrip(C_SPACES).startswith("-") and negative == "least":
        return -1
    if value.startswith("-") and negative == "refused":
        return None
    found = _NUMBER.match(value)
    number = int(found[2][:TOO_LONG]) if found else 0
    unit = value[found.end() if found else 0 :][:1].upper()
    if number >= 1 << int(server.habit("bits")) or unit not in server.habit("units"):
        return None
    if found and found[1] == "-":
        number = (MOST - number) % MOST
    return _with_unit(number, unit, server)


def _with_unit(number: int, unit: str, server: ServerOptions) -> int | None:
    if unit:
        number <<= 10 * (UNITS.index(unit) + 1)
    return None if number >= MOST and server.habit("overflow") == "refused" else number % MOST


def _choice(name: str, value: str, option: KnownOption, server: ServerOptions) -> MadeValue:
    if not value and server.habit("empty_number") == "refused":
        return MadeValue(refused=f"{name} has an empty value")
    lower = value.lower().rstrip(" ")
    exact = [one for one in option.choices if one.lower() == lower]
    begin = [one for one in option.choices if value and one.lower().startswith(value.lower())]
    if exact or len(begin) == 1:
        return MadeValue((exact or begin)[0])
    number = _NUMBER.fullmatch(value)
    digits = int(number[2][:TOO_LONG]) if number and number[1] != "-" else 0 if not value else -1
    if begin or not 0 <= digits < len(option.choices):
        return MadeValue(refused=f"{name} cannot be {value}")
    chosen = option.choices[digits]
    return MadeValue(chosen, says=f"{name}={value}: the server takes it for {chosen}.")


def _word(name: str, value: str, option: KnownOption) -> MadeValue:
    if value in option.choices:
        return MadeValue(value)
    return MadeValue(refused=f"{name} cannot be {value}", is_late=True)
