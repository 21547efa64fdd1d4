"""Ansible: an inventory as INI or YAML, or the JSON of `ansible-inventory --list`. `ansible_port` is of SSH and is not
read. Passwords in a vault stay closed."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import yaml

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_SERVERS, FoundServer
from workers.servers.inventory.untyped import mapping, word

DEEPEST = 30
MOST_YAML = 256 << 10  # its reader is slow
LONGEST_NAME = 255
OF_DATABASES = re.compile(r"mysql|maria|percona|galera|innodb|(^|[_-])db([_-]|s?$|\d)|database", re.IGNORECASE)
VARIABLES = {
    "host": ("mysql_host", "ansible_host", "ansible_ssh_host"),
    "port": ("mysql_port", "mariadb_port"),
    "socket": ("mysql_socket",),
    "user": ("mysql_login_user", "login_user", "mysql_user"),
    "password": ("mysql_login_password", "login_password", "mysql_password"),
}
_RANGE = re.compile(r"\[(\d{1,6}|[a-z]):(\d{1,6}|[a-z])\]")
LIST = "Use the output of: ansible-inventory --list"
NO_DATABASE = "Neither its group nor a variable says that it is a database server. Name its group, or leave it out."


@dataclass
class Inventory:
    """Hosts with their variables and groups; groups with their variables and the groups below them."""

    hosts: dict[str, dict[str, str]] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)  # group -> its own hosts
    below: dict[str, set[str]] = field(default_factory=dict)
    shared: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, group: str, host: str, values: dict[str, str]) -> None:
        if len(self.hosts) > MOST_SERVERS:
            raise PlanError(f"The file names more than {MOST_SERVERS:,} hosts.", "Split it.")
        self.hosts.setdefault(host, {}).update(values)
        self.groups.setdefault(group, set()).add(host)

    def groups_of(self, host: str) -> list[str]:
        """The nearest first."""
        found = [group for group, hosts in self.groups.items() if host in hosts]
        for group in found:  # grows while it is read
            found += [above for above, below in self.below.items() if group in below and above not in found]
        return found


def servers(inventory: Inventory, group: str = "") -> list[FoundServer]:
    """`group`: only its hosts. Without it, hosts that do not look like database servers say why they are left out."""
    known = {host: inventory.groups_of(host) for host in inventory.hosts}
    if group and not any(group in groups for groups in known.values()):
        raise PlanError("The inventory has no such group with hosts.", f"Groups: {_some(inventory)}.")
    return [_server(inventory, host, groups, group) for host, groups in known.items() if not group or group in groups]


def _some(inventory: Inventory) -> str:
    return ", ".join(sorted(inventory.groups)[:20])


def _server(inventory: Inventory, host: str, groups: list[str], wanted: str) -> FoundServer:
    values: dict[str, str] = {}
    for group in reversed(groups):
        values.update(inventory.shared.get(group, {}))
    values.update(inventory.hosts[host])
    given = {key: next((values[name] for name in names if values.get(name)), "") for key, names in VARIABLES.items()}
    database = any(OF_DATABASES.search(name) for name in (*groups, *(name for name in values if name != "host")))
    why = "" if wanted or database else NO_DATABASE
    at = "" if given["socket"] and not values.get("ansible_host") else given["host"] or host
    return FoundServer(
        host, at, given["port"], "" if at else given["socket"], given["user"], given["password"], why=why
    )


def is_ini(text: str) -> bool:
    return re.search(r"^[ \t]*\[[\w.-]+(:(children|vars|hosts))?\][ \t]*$", text, re.MULTILINE) is not None


def read_ini(text: str) -> Inventory:
    found, group, part = Inventory(), "ungrouped", "hosts"
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if section := re.fullmatch(r"\[([^\]:]{1,200})(?::(\w+))?\]", stripped):
            group, part = section[1], section[2] or "hosts"
        elif part == "children":
            found.below.setdefault(group, set()).add(stripped)
        elif part == "vars":
            name, _, value = stripped.partition("=")
            found.shared.setdefault(group, {})[name.strip()] = word(value.strip().strip("\"'"))
        else:
            _host_line(found, group, stripped)
    return found


def _host_line(found: Inventory, group: str, line: str) -> None:
    try:
        host, *rest = shlex.split(line, comments=True)
    except ValueError as wrong:
        raise PlanError("A line of the inventory has an open quote.", "Correct the file.") from wrong
    values = {name: word(value) for name, equals, value in (one.partition("=") for one in rest) if equals}
    for name in _ranged(host):
        found.add(group, name, values)


def _ranged(host: str) -> Iterator[str]:
    """db[01:12] are twelve hosts."""
    if len(host) > LONGEST_NAME:
        raise PlanError(f"A host's name is longer than {LONGEST_NAME} characters.", "Correct the file.")
    found = _RANGE.search(host)
    if found is None:
        yield host
        return
    for part in _between(found[1], found[2]):
        yield from _ranged(host[: found.start()] + part + host[found.end() :])


def _between(first: str, last: str) -> Iterable[str]:
    if first.isdigit() and last.isdigit():
        return (str(number).zfill(len(first)) for number in range(int(first), int(last) + 1))
    return map(chr, range(ord(first[0]), ord(last[0]) + 1))


class _Plain(yaml.SafeLoader):
    """Only plain values: no tag makes an object, and no alias makes a small file large."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


_Plain.add_constructor("!vault", lambda loader, node: None)
_Plain.add_constructor("!unsafe", lambda loader, node: str(node.value))


def of_yaml(text: str) -> object:
    """Raises PlanError, without repeating the file."""
    _must_be_flat(text)
    try:
        return yaml.load(text, _Plain)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as wrong:
        raise PlanError("The file cannot be read as YAML without tags and aliases.", LIST) from wrong


def _must_be_flat(text: str) -> None:
    """Deep nesting would cost more than the file is worth."""
    if len(text) > MOST_YAML:
        raise PlanError(f"The YAML is larger than {MOST_YAML >> 10} KiB.", LIST)
    deepest = max((len(line) - len(line.lstrip(" ")) for line in text.splitlines()), default=0)
    if deepest > DEEPEST * 8 or text.count("[") + text.count("{") > MOST_SERVERS:
        raise PlanError("The YAML is nested too deeply.", LIST)


def is_yaml(document: object) -> bool:
    tops = mapping(document).values()
    return any(mapping(top).keys() & {"hosts", "children", "vars"} for top in tops)


def read_yaml(document: object) -> Inventory:
    found = Inventory()
    for group, body in mapping(document).items():
        _group(found, group, mapping(body), 0)
    return found


def _group(found: Inventory, group: str, body: dict[str, object], depth: int) -> None:
    if depth > DEEPEST:
        raise PlanError("The groups of the inventory are nested too deeply.", "Use: ansible-inventory --list")
    found.shared.setdefault(group, {}).update(_words(body.get("vars")))
    for host, values in mapping(body.get("hosts")).items():
        for name in _ranged(host):
            found.add(group, name, _words(values))
    for below, inner in mapping(body.get("children")).items():
        found.below.setdefault(group, set()).add(below)
        _group(found, below, mapping(inner), depth + 1)


def is_json(document: object) -> bool:
    return "_meta" in mapping(document) or is_yaml(document)


def read_json(document: object) -> Inventory:
    """`ansible-inventory --list` names the hosts of a group as a list, and their variables in _meta."""
    found, tops = Inventory(), mapping(document)
    values = mapping(mapping(tops.get("_meta")).get("hostvars"))
    for group, body in tops.items():
        inner = mapping(body)
        for host in _names(inner.get("hosts")):
            found.add(group, host, _words(values.get(host)))
        found.below.setdefault(group, set()).update(_names(inner.get("children")))
        found.shared.setdefault(group, {}).update(_words(inner.get("vars")))
    return found


def _names(value: object) -> list[str]:
    return [str(one) for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _words(value: object) -> dict[str, str]:
    return {name: word(one) for name, one in mapping(value).items()}
