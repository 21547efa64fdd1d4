"""Ansible: the JSON of `ansible-inventory --list`. Ansible itself has read the inventory with its ranges, variables of
groups and vaults. `ansible_port` is of SSH and is not read."""

import re
from collections.abc import Iterable
from itertools import islice

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_SERVERS, FoundServer
from workers.servers.inventory.untyped import listed, mapping, word

OF_DATABASES = re.compile(r"mysql|maria|percona|galera|innodb|(^|[_-])db([_-]|s?$|\d)|database", re.IGNORECASE)
VARIABLES = {
    "host": ("mysql_host", "ansible_host", "ansible_ssh_host"),
    "port": ("mysql_port", "mariadb_port"),
    "socket": ("mysql_socket",),
    "user": ("mysql_login_user", "login_user", "mysql_user"),
    "password": ("mysql_login_password", "login_password", "mysql_password"),
}
NO_DATABASE = "Neither its group nor a variable says that it is a database server. Name its group, or leave it out."


def is_one(document: object) -> bool:
    return "_meta" in mapping(document)


def read(document: object, group: str = "") -> list[FoundServer]:
    """`group`: only its hosts. Without it, hosts that do not look like database servers say why they are left out."""
    groups = {name: mapping(body) for name, body in mapping(document).items()}
    if any("vars" in body for body in groups.values()):
        raise PlanError("The variables of groups stand apart in the file.", "List it again without --export.")
    wanted = _hosts(groups, [group] if group else groups)
    if group and not wanted:
        raise PlanError("The inventory has no such group with hosts.", f"Groups: {_some(groups)}.")
    named = wanted if group else _hosts(groups, filter(OF_DATABASES.search, groups))
    variables = mapping(groups["_meta"].get("hostvars"))
    return [_server(host, mapping(variables.get(host)), host in named) for host in islice(wanted, MOST_SERVERS + 1)]


def _hosts(groups: dict[str, dict[str, object]], names: Iterable[str]) -> dict[str, None]:
    """The hosts of these groups and of those below them, in order."""
    order, found = list(names), dict[str, None]()
    seen = set(order)
    for name in order:  # grows while it is read
        body = groups.get(name, {})
        found |= dict.fromkeys(_words(body.get("hosts")))
        below = sorted({*_words(body.get("children"))} - seen)
        order += below
        seen.update(below)
    return found


def _words(value: object) -> list[str]:
    return [text for one in listed(value) if (text := word(one))]


def _some(groups: Iterable[str]) -> str:
    return ", ".join(name[:80] for name in sorted(groups)[:20] if name != "_meta")


def _server(host: str, values: dict[str, object], named: bool) -> FoundServer:
    said = {key: next(filter(None, (word(values.get(name)) for name in names)), "") for key, names in VARIABLES.items()}
    why = "" if named or any(OF_DATABASES.search(name) for name in values) else NO_DATABASE
    at = "" if said["socket"] and not word(values.get("ansible_host")) else said["host"] or host
    return FoundServer(host, at, said["port"], "" if at else said["socket"], said["user"], said["password"], why=why)
