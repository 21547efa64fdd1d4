"""Galera, MariaDB's cluster: a commit is answered when every node has received it, before others have applied it.

https://mariadb.com/kb/en/galera-cluster/ . Nodes come from copies of one image, so that no trial begins with a copy of
all data.
"""

import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workers.errors import SandboxError, ServerEnded, Unreachable
from workers.sandbox import images, owner, port, untrusted
from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build, parts
from workers.sandbox.users import unprivileged_user
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.settings import switch
from workers.topology.ground import LOCAL, Ground
from workers.topology.kinds.cluster.cluster import Cluster
from workers.topology.kinds.cluster.membership import Position, wait
from workers.topology.kinds.galera import files
from workers.topology.kinds.kind import ServerVersion
from workers.topology.nodes import Node, NodePlan, on_each
from workers.topology.topology import Topology

PROVIDER = "galera-4"
SINCE = (10, 4, 0)
SYNCED_S = 60.0
NEEDS_ALL = "Will never receive state"
CACHE_LOST = "no node has the write sets that it lacks in its cache any more"
STATUS = r"SHOW GLOBAL STATUS LIKE 'wsrep\_%'"
SCRIPT = Path(__file__).with_name("ist_script.py")
METHOD = "ist"  # the server looks for a program of the name wsrep_sst_ist
# How often a node tells the others again that it joins. Nodes start with FORMING. A formed cluster gets the default
# before anything is measured: with it a lost node is noticed later.
# https://galeracluster.com/library/documentation/galera-parameters.html
FORMING = "evs.join_retrans_period=PT0.1S"
ALONE = {"wsrep_on": "OFF", "wsrep_provider": "none", "wsrep_cluster_address": ""}
FIRST = {"wsrep_cluster_address": "gcomm://"}
OF_RELAY_LOG = frozenset(
    {"relay_log_recovery", "sync_relay_log", "sync_relay_log_info", "sync_master_info"}
    | {"slave_parallel_mode", "slave_parallel_threads"}
)


class Galera(Cluster):
    key = "galera"
    title = "Galera"
    says = "A commit is answered when every node has received it. Each node flushes as its own settings say."
    knows = frozenset({"writers"})
    by_binlog = False
    # Measured (docs/research/topology.md): a node delivers when it has heard from all others. See also
    # workers.analysis.round_trip.
    round_trips = (1.5, 1.75)
    causal_read = "SET SESSION wsrep_sync_wait = 15"

    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        if build.flavour != "mariadb" or build.version < SINCE:
            return [f"{build.title} cannot load {PROVIDER}: it needs MariaDB 10.4 or later."]
        own = {name for one in topology.settings_of_each for name in one}
        relay_log = [f"Galera has no relay log: leave {name} out." for name in sorted(own & OF_RELAY_LOG)]
        return super().problems(topology, build) + relay_log

    def needs(self, topology: Topology) -> Mapping[str, str]:
        return {"binlog_format": "ROW"}

    def lacks(self, build: Build) -> str:
        try:
            return build.refuses(parts.find(PROVIDER), unprivileged_user())
        except SandboxError as absent:
            return str(absent)

    def plans(self, ground: Ground) -> tuple[NodePlan, ...]:
        provider = parts.find(PROVIDER)
        image, programs = _image(ground, provider), _programs(ground.root)
        places = [_NodePlace(address, *(port.free_port() for _ in range(3))) for address in ground.addresses]
        cluster = {"wsrep_cluster_address": "gcomm://" + ",".join(place.group for place in places)}
        return tuple(
            ground.node(
                number,
                {**_settings(provider), **cluster, **place.settings, **_binlog(ground.settings_of(number))},
                Additions((place.options,), (provider,), programs),
                image,
                ALONE,
            )
            for number, place in enumerate(places, start=1)
        )

    def at_once(self, plans: Sequence[NodePlan]) -> tuple[NodePlan, ...]:
        """With one view from the beginning: no node is started by itself before."""
        return tuple(
            replace(plan, at_first={}, additions=replace(plan.additions, files={files.VIEW: view}))
            for plan, view in zip(plans, files.views(len(plans)), strict=True)
        )

    def gather(self, nodes: Sequence[Node]) -> None:
        on_each(nodes, lambda node: _synced(node, len(nodes)))
        on_each(nodes, lambda node: _provide(node, "evs.join_retrans_period", "PT1S"))

    def completed(self, settings: Mapping[str, str]) -> Mapping[str, str]:
        return _binlog(settings)

    def assemble(self, nodes: Sequence[Node]) -> None:
        """They were started by themselves, for their accounts. Now they start together, with one view."""
        on_each(nodes, lambda node: node.sandbox.stop())
        for node, view in zip(nodes, files.views(len(nodes)), strict=True):
            node.sandbox.put(files.VIEW, view)
        on_each(nodes, lambda node: node.restart({}))
        self.gather(nodes)

    def members(self, connection: Connection) -> int:
        status = ask.names_to_values(connection, STATUS)
        return int(status["wsrep_cluster_size"]) if status["wsrep_cluster_status"] == "Primary" else 0

    def revive(self, node: Node) -> Position:
        position = files.recovered(node.sandbox.run_once({**node.settings, "wsrep_recover": "ON"}))
        node.restart(ALONE)
        return position

    def bootstrap(self, node: Node, position: Position) -> None:
        node.sandbox.stop()
        untrusted.remove(node.sandbox.datadir, [files.VIEW])
        node.sandbox.put(files.STATE, files.first_of_a_cluster(position))
        node.restart({**FIRST, "wsrep_start_position": position.text})

    def force(self, nodes: Sequence[Node]) -> None:
        _provide(nodes[0], "pc.bootstrap", "YES")

    def join(self, node: Node, position: str) -> None:
        node.sandbox.stop()
        untrusted.remove(node.sandbox.datadir, [files.VIEW])
        try:
            node.restart({"wsrep_start_position": position})
            _synced(node)
        except ServerEnded as ended:
            if NEEDS_ALL in node.sandbox.log_text:
                raise ServerEnded(f"{node.name} needs a copy of all data (SST): {CACHE_LOST}") from ended
            raise


@dataclass(frozen=True)
class _NodePlace:
    """The ports of a node at its address: of the group, of write sets (IST), and of the script."""

    address: str
    group_port: int
    transfer_port: int
    script_port: int

    @property
    def group(self) -> str:
        return f"{self.address}:{self.group_port}"

    @property
    def settings(self) -> Mapping[str, str]:
        return {
            "wsrep_node_address": self.address,
            "wsrep_sst_method": METHOD,
            "wsrep_sst_receive_address": f"{self.address}:{self.script_port}",
        }

    @property
    def options(self) -> str:
        listens = f"gmcast.listen_addr=tcp://{self.group};ist.recv_addr={self.address}:{self.transfer_port}"
        return f'wsrep_provider_options="{listens};gcache.size=64M;{FORMING}"'


def _provide(node: Node, option: str, value: str) -> None:
    """Set an option of the provider to one second, or to yes. Where the server has the plugin wsrep_provider, as
    MariaDB 11.8 has, each option is a variable of its own, and wsrep_provider_options refuses (1210)."""
    own = f"wsrep_provider_{option.replace('.', '_')}"
    with connect(node.sandbox.target) as connection:
        is_variable = ask.rows(connection, f"SHOW GLOBAL VARIABLES LIKE '{own}'")
        assignment = f"{own} = 1" if is_variable else f"wsrep_provider_options = '{option}={value}'"
        ask.rows(connection, f"SET GLOBAL {assignment}")


def _settings(provider: Path) -> Mapping[str, str]:
    return {
        "innodb_autoinc_lock_mode": "2",
        "wsrep_on": "ON",
        "wsrep_provider": str(provider),
        "wsrep_cluster_name": "durascope",
        "wsrep_slave_threads": "4",
    }


def _binlog(settings: Mapping[str, str]) -> Mapping[str, str]:
    """Without one unless the variant asks for it. With one, every node logs what it applies."""
    if switch(settings.get("log_bin", "OFF")) != "ON":
        return {**settings, "log_bin": "OFF"}
    return {"log_slave_updates": "ON", **settings, "log_bin": "ON"}


def _synced(node: Node, members: int = 0) -> None:
    """Wait until it is, in a cluster of so many nodes if that is given. ServerEnded or SandboxError: it never was."""
    wait(node, lambda: _is_synced(node, members), "it was synced", SYNCED_S)


def _is_synced(node: Node, members: int) -> bool:
    try:
        with connect(node.sandbox.target) as connection:
            status = ask.names_to_values(connection, STATUS)
    except Unreachable:  # busy, or it has ended
        return False
    here = status["wsrep_ready"] == "ON" and status["wsrep_local_state_comment"] == "Synced"
    return here and members in (0, int(status["wsrep_cluster_size"]))


def _image(ground: Ground, provider: Path) -> str:
    """The key of the image of a server that was a cluster of one and was stopped cleanly; it is made on first use. Its
    tables and its grastate.dat hold one position: without it in the tables, a node asks for all data."""
    build = ground.build
    uid, size = unprivileged_user(ground.user).uid, provider.stat().st_size
    what = f"{build.key} {build.version_text} {uid} {ground.image} {size}"
    key = f"galera-{hashlib.sha256(what.encode()).hexdigest()[:20]}"
    if images.find(ground.root, key) is None:
        place = _NodePlace(LOCAL, *(port.free_port() for _ in range(3)))
        settings = {**_settings(provider), **place.settings, **FIRST}
        options = Additions((place.options,), (provider,))
        plan = NodePlan("galera image", build, settings, additions=options, image=ground.image, at_first=ALONE)
        with plan.start(ground.root, ground.user) as server:
            server.restart(settings)
            server.stop()
            untrusted.remove(server.datadir, [files.CACHE, files.VIEW])
            server.save_image(key)
    return key


def _programs(root: Path) -> Path:
    """The folder with the script of the state transfer."""
    folder = owner.enterable(root / "tools" / "galera")
    python = Path("/usr/bin/python3")
    text = f"#!{python if python.exists() else sys.executable} -IS\n{SCRIPT.read_text()}"
    script = folder / f"wsrep_sst_{METHOD}"
    if not script.exists() or script.read_text() != text:
        draft = folder / f".{port.free_port()}"
        draft.write_text(text)
        draft.chmod(0o755)
        draft.replace(script)
    return folder
