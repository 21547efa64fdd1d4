"""What each registered server said of its replication at its last test, and which of them a peer can be."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from dashboard.findings.grouped import grouped
from dashboard.installation.stored import Unreadable, read
from dashboard.records.servers.models import Preflight, Server
from dashboard.records.servers.queries import last_answers
from workers.servers.answered import AnsweredFacts
from workers.servers.checks import is_loopback
from workers.servers.replication import Peer, Replication

NO_CLUSTER = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class Told:
    """A registered server and what it said. `flavour`: mariadb or mysql."""

    server: Server
    flavour: str
    replication: Replication

    @property
    def galera(self) -> str:
        """The uuid of its Galera cluster; "" outside of one."""
        return "" if (uuid := self.value("wsrep_cluster_state_uuid")) == NO_CLUSTER else uuid

    @property
    def hosts(self) -> set[str]:
        return {self.server.host, self.value("hostname"), self.value("report_host")} - {""}

    def value(self, name: str) -> str:
        return self.replication.values.get(name, "")


class Known(dict[int, Told]):
    """By id. It is searched by keys: to try every server for every peer takes minutes where thousands replicate."""

    def like(self, peer: Peer) -> list[int]:
        """Those that can be this peer by its uuid, or by its ids and host."""
        found = {*self._by_uuid[peer.uuid]} if peer.uuid else set()
        named = (
            self.by_ids[peer.server_id, peer.port]
            if is_loopback(peer.host)
            else self._by_host[peer.server_id, peer.port, peer.host]
        )
        return sorted(found.union(named), key=self._order.__getitem__)

    def mates(self, one: Told) -> list[int]:
        """The nodes of its Galera cluster, itself too."""
        return self._by_galera[one.galera] if one.galera else []

    def among(self, keys: Iterable[object]) -> "Known":
        """Those of these keys that are registered, in the order of all."""
        here = [key for key in keys if isinstance(key, int) and key in self]
        return Known({pk: self[pk] for pk in sorted(here, key=self._order.__getitem__)})

    @cached_property
    def hosts(self) -> set[str]:
        return {name for one in self.values() for name in (one.server.host, one.value("hostname"))}

    @cached_property
    def _order(self) -> dict[int, int]:
        return {pk: place for place, pk in enumerate(self)}

    @cached_property
    def _by_uuid(self) -> defaultdict[str, list[int]]:
        return grouped((one.value("server_uuid"), pk) for pk, one in self.items())

    @cached_property
    def _by_galera(self) -> defaultdict[str, list[int]]:
        return grouped((one.galera, pk) for pk, one in self.items())

    @cached_property
    def by_server_id(self) -> defaultdict[int, list[int]]:
        return grouped((one.replication.server_id, pk) for pk, one in self.items())

    @cached_property
    def by_ids(self) -> defaultdict[tuple[int, int], list[int]]:
        return grouped(((one.replication.server_id, one.replication.port), pk) for pk, one in self.items())

    @cached_property
    def _by_host(self) -> defaultdict[tuple[int, int, str], list[int]]:
        return grouped(
            ((one.replication.server_id, one.replication.port, host), pk)
            for pk, one in self.items()
            for host in one.hosts
        )


def told(site: str = "") -> Known:
    """Every attached server (of a site) that answered."""
    found = ((server, told_by(server, answer)) for server, answer in last_answers(site))
    return Known({server.pk: one for server, one in found if one})


def told_by(server: Server, answer: Preflight | None) -> Told | None:
    """None: it did not answer, or to an earlier version that did not ask."""
    known = answer.known if answer else AnsweredFacts()
    if known.replication is None or not known.flavour:
        return None
    try:
        return Told(server, known.flavour, read(Replication, known.replication))
    except Unreadable:
        return None
