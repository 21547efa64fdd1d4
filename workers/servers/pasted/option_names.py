"""Which option a server takes a name for: prefixes, unambiguous beginnings, dots, capitals."""

import difflib
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from workers.servers.pasted.options import ServerOptions

PREFIXES = ("skip", "disable", "enable", "maximum", "loose")
ALL_AGAIN = {"key_buffer_size", "key_cache_block_size", "key_cache_division_limit", "key_cache_age_threshold"}
LONGEST_NAME = 64
ALIKE = 0.8
_PREFIX = {
    "unknown": re.compile(rf"({'|'.join(PREFIXES)})_"),
    "known": re.compile(rf"({'|'.join((*PREFIXES, 'autoset'))})_"),
}  # by the habit autoset
_CHAIN = {habit: re.compile(rf"(?:{one.pattern})*") for habit, one in _PREFIX.items()}


@dataclass(frozen=True)
class FoundName:
    """`name`: of the option, "" if there is none. `prefix`: the one directly before it, "" without. `is_loose`: a
    server passes over it if it cannot use it. `meant`: options that it may be short for, if there is more than one.
    `rest`: without its prefixes, if there is no option."""

    name: str
    prefix: str = ""
    is_loose: bool = False
    meant: tuple[str, ...] = ()
    rest: str = ""


def found_name(written: str, server: ServerOptions) -> FoundName:
    """`written`: without the dashes that a server puts before it."""
    name = _normal(_without_key(written, server), server)
    name, prefix, is_loose = _short_enough(name, server)
    while not (meant := _options_of(name, server)):
        cut = _PREFIX[server.habit("autoset")].match(name)
        if cut is None:
            return FoundName("", prefix, is_loose, rest=name)
        name, prefix = name[cut.end() :], cut[1]
        is_loose = is_loose or prefix == "loose"
    return FoundName(meant[0] if len(meant) == 1 else "", prefix, is_loose, meant if len(meant) > 1 else ())


def _short_enough(name: str, server: ServerOptions) -> tuple[str, str, bool]:
    """Without the prefixes of a name that is longer than every option, the last one of them, and whether one is loose:
    cut one by one they would cost seconds."""
    chain = _CHAIN[server.habit("autoset")].match(name, 0, max(len(name) - server.longest, 0))
    return (name[chain.end() :], chain[1] or "", "loose_" in chain[0]) if chain else (name, "", False)


def _normal(name: str, server: ServerOptions) -> str:
    same = name.replace("-", "_")
    return same.lower() if server.habit("capitals") == "read" else same


def _without_key(name: str, server: ServerOptions) -> str:
    """`a.key_buffer_size` is an option of the key cache a. Older servers cut every name at its first dot."""
    key, dot, rest = name[:1] + name[1:].partition(".")[0], "." in name[1:], name[1:].partition(".")[2]
    if not key or not dot or not rest:
        return name
    every = server.habit("dots") == "read"
    return rest if every or rest.replace("-", "_") in ALL_AGAIN else name


def _options_of(name: str, server: ServerOptions) -> tuple[str, ...]:
    if name in server.options:
        return (name,)
    if server.habit("short") != "read":
        return ()
    begin = bisect_left(server.names, name)
    if begin == len(server.names) or not server.names[begin].startswith(name):
        return ()
    end = bisect_left(server.names, name + chr(0x10FFFF), begin)
    return server.names[begin:end]


@lru_cache(maxsize=1024)
def nearest_name(name: str, server: ServerOptions) -> str:
    """The option that a wrong name is probably meant for: the same words in another order, or nearly the same letters.
    "": none."""
    wrong = name.replace("-", "_").lower()[:LONGEST_NAME]
    words = sorted(wrong.split("_"))
    swapped = (one for one in server.names if sorted(one.split("_")) == words)
    close = difflib.get_close_matches(wrong, server.names, 1, ALIKE)
    return next(swapped, close[0] if close else "")
