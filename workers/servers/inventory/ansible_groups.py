"""The hosts and groups of an Ansible inventory. A hostile one costs no more than its limits."""

from dataclasses import dataclass, field

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_SERVERS

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
