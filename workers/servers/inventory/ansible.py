"""Ansible: an inventory as INI or YAML, or the JSON of `ansible-inventory --list`. `ansible_port` is of SSH and is not
read. Passwords in a vault stay closed."""

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field

import yaml

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_SERVERS, FoundServer
from workers.servers.inventory.host_ranges import hosts
from workers.servers.inventory.untyped import mapping, word

DEEPEST = 30
MOST_YAML = 256 << 10  # its reader is slow
LONGEST_NUMBER = 40  # digits
OF_DATABASES = re.compile(r"mysql|maria|percona|galera|innodb|(^|[_-])db([_-]|s?$|\d)|database", re.IGNORECASE)
VARIABLES = {
    "host": ("mysql_host", "ansible_host", "ansible_ssh_host"),
    "port": ("mysql_port", "mariadb_port"),
    "socket": ("mysql_socket",),
    "user": ("mysql_login_user", "login_user", "mysql_user"),
    "password": ("mysql_login_password", "login_password", "mysql_password"),
}
READ = frozenset(name for names in VARIABLES.values() for name in names)
SIGN = "mysql"  # stands for all other variables whose name tells of a database
LIST = "Use the output of: ansible-inventory --list"
# A tag on a value that does not fit it fails in many ways: !!bool maybe is a KeyError.
WRONG_YAML = (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
NO_DATABASE = "Neither its group nor a variable says that it is a database server. Name its group, or leave it out."
MOST_NAMED = 50 * MOST_SERVERS  # a host may be in many groups
MOST_CHILDREN = 5000  # of all groups
MOST_GROUPS = 200  # of a host


@dataclass
class Inventory:
    """Hosts with their variables and groups; groups with their variables and the groups below them."""

    hosts: dict[str, dict[str, str]] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)  # group -> its own hosts
    below: dict[str, set[str]] = field(default_factory=dict)
    shared: dict[str, dict[str, str]] = field(default_factory=dict)

    named: int = 0

    def add(self, group: str, host: str, values: dict[str, str]) -> None:
        self.named += 1
        if len(self.hosts) > MOST_SERVERS or self.named > MOST_NAMED:
            raise PlanError(f"The file names more than {MOST_SERVERS:,} hosts, or names them too often.", "Split it.")
        self.hosts.setdefault(host, {}).update(values)
        self.groups.setdefault(group, set()).add(host)

    def groups_of_hosts(self) -> dict[str, list[str]]:
        """Of each host the nearest group first."""
        if sum(map(len, self.below.values())) > MOST_CHILDREN:
            raise PlanError(f"The groups have more than {MOST_CHILDREN:,} groups below them.", "Split the file.")
        own, above = _turned(self.groups), _turned(self.below)
        return {host: _upwards(own.get(host, []), above) for host in self.hosts}


def servers(inventory: Inventory, group: str = "") -> list[FoundServer]:
    """`group`: only its hosts. Without it, hosts that do not look like database servers say why they are left out."""
    known = inventory.groups_of_hosts()
    if group and not any(group in groups for groups in known.values()):
        raise PlanError("The inventory has no such group with hosts.", f"Groups: {_some(inventory)}.")
    named = {name for name in (*inventory.groups, *inventory.below) if name == group or OF_DATABASES.search(name)}
    return [
        _server(inventory, host, groups, not named.isdisjoint(groups))
        for host, groups in known.items()
        if not group or group in groups
    ]


def _some(inventory: Inventory) -> str:
    return ", ".join(name[:80] for name in sorted(inventory.groups)[:20])


def _server(inventory: Inventory, host: str, groups: list[str], named: bool) -> FoundServer:
    values: dict[str, str] = {}
    for group in reversed(groups):
        values.update(inventory.shared.get(group, {}))
    values.update(inventory.hosts[host])
    given = {key: next((values[name] for name in names if values.get(name)), "") for key, names in VARIABLES.items()}
    why = "" if named or any(OF_DATABASES.search(name) for name in values) else NO_DATABASE
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
            found.shared.setdefault(group, {}).update(_kept([(name.strip(), value.strip().strip("\"'"))]))
        else:
            _host_line(found, group, stripped)
    return found


def _host_line(found: Inventory, group: str, line: str) -> None:
    try:
        host, *rest = shlex.split(line, comments=True)
    except ValueError as wrong:
        raise PlanError("A line of the inventory has an open quote.", "Correct the file.") from wrong
    values = _kept((name, value) for name, equals, value in (one.partition("=") for one in rest) if equals)
    for name in hosts(host):
        found.add(group, name, values)


class _Plain(yaml.SafeLoader):
    """Only plain values: no tag makes an object, and no alias makes a small file large."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def _number(loader: _Plain, node: yaml.ScalarNode) -> int:
    """Python refuses to print a number of thousands of digits."""
    if len(node.value) > LONGEST_NUMBER:
        raise yaml.YAMLError("a number is too long")
    return int(loader.construct_yaml_int(node))


_Plain.add_constructor("tag:yaml.org,2002:int", _number)
_Plain.add_constructor("!vault", lambda loader, node: None)
_Plain.add_constructor("!unsafe", lambda loader, node: str(node.value))


def of_yaml(text: str) -> object:
    """Raises PlanError, without repeating the file."""
    _must_be_flat(text)
    try:
        return yaml.load(text, _Plain)  # noqa: S506 - a SafeLoader
    except WRONG_YAML as wrong:
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
        kept = _words(values)
        for name in hosts(host):
            found.add(group, name, kept)
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
            found.add(group, host, {})
        found.below.setdefault(group, set()).update(_names(inner.get("children")))
        found.shared.setdefault(group, {}).update(_words(inner.get("vars")))
    found.hosts = {host: _words(values.get(host)) for host in found.hosts}
    return found


def _names(value: object) -> list[str]:
    return [str(one) for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _words(value: object) -> dict[str, str]:
    return _kept(mapping(value).items())


def _kept(variables: Iterable[tuple[str, object]]) -> dict[str, str]:
    """What is read: a range may repeat it for 2,000 hosts."""
    kept: dict[str, str] = {}
    for name, value in variables:
        if name in READ:
            kept[name] = word(value)
        elif OF_DATABASES.search(name):
            kept[SIGN] = ""
    return kept


def _turned(members: dict[str, set[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group, names in members.items():
        for name in names:
            found.setdefault(name, []).append(group)
    return found


def _upwards(nearest: list[str], above: dict[str, list[str]]) -> list[str]:
    found, seen = list(nearest), {*nearest}
    for group in found:  # grows while it is read
        new = [one for one in above.get(group, ()) if one not in seen]
        found += new
        seen.update(new)
        if len(found) > MOST_GROUPS:
            raise PlanError(f"A host is in more than {MOST_GROUPS} groups.", "Leave out groups that are not needed.")
    return found
