"""The first step: nodes, wires, replication."""

import secrets
from dataclasses import replace

from workers.crash.compare_tables import TABLES
from workers.crash.replica import SCHEMA
from workers.sandbox.additions import Additions
from workers.sandbox.options import KEEP_BINLOG
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import FailoverBegun, Formed
from workers.topology.ground import build_of
from workers.topology.kinds.following.begin import begin, catch_up, settings_of, wait_until_ready
from workers.topology.kinds.following.position import link
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.manager import FailoverManager
from workers.topology.network.measured import of_wires
from workers.topology.nodes import NodePlan


def form(begun: FailoverBegun, kind: SourceAndReplica) -> Formed:
    setup, made = begun.setup, begun.made
    begun.timeline.step("start nodes")
    plans = tuple(_plan(begun, kind, replica) for replica in range(setup.topology.replicas + 1))
    primary, *replicas = begun.ports.start_all(setup, plans, made)
    begun.timeline.step("form the topology")
    wires = made.enter_context(begun.ports.wires())
    delays_ms = [setup.topology.one_way_ms_to(number) for number in range(1, len(replicas) + 1)]
    joined = tuple(wires.join(primary.sandbox.target.port, one_way_ms=one_way_ms) for one_way_ms in delays_ms)
    used = of_wires(joined, primary.sandbox.target.port)
    password = secrets.token_hex(16)
    links = tuple(
        link(setup.topology, primary.sandbox, replica.sandbox, password, wire.port)
        for replica, wire in zip(replicas, joined, strict=True)
    )
    formed = Formed(
        **vars(begun), primary=primary, replicas=tuple(replicas), wires=joined, links=links, network_used=used
    )
    _follow(formed, kind)
    return replace(formed, manager=_manager(formed))


def _manager(formed: Formed) -> FailoverManager | None:
    """It watches the nodes from now on, as it would before a loss that nobody announces."""
    if not formed.setup.policy.by_manager or formed.fault.harmless or formed.fault.spares_primary:
        return None
    manager = FailoverManager(formed.setup.manager)
    formed.made.callback(manager.close)
    formed.made.killed_by(manager.kill)
    manager.start(formed.primary, formed.replicas)
    return manager


def _plan(begun: FailoverBegun, kind: SourceAndReplica, replica: int) -> NodePlan:
    """Of replica 1, 2, ...; 0 is the primary."""
    setup, fault = begun.setup, begun.fault
    build = build_of(setup.topology, setup.build, replica)
    needs_disk = fault.replicas_need_disk if replica else fault.primary_needs_disk
    return NodePlan(
        name=f"replica {replica}" if replica else "primary",
        build=build,
        settings=KEEP_BINLOG | settings_of(kind, setup.topology, build, replica, setup.settings),
        additions=Additions(kind.lines(build)),
        on_disk=bool(setup.storage) or needs_disk,
    )


def _follow(formed: Formed, kind: SourceAndReplica) -> None:
    begin(formed.links)
    if not formed.setup.topology.keys:
        _drop_keys(formed)
    wait_until_ready(kind, formed.setup.topology, formed.primary.sandbox, formed.timeline.must_go_on)
    for node in formed.nodes:
        node.make_durable()
        node.slow_down(formed.setup.storage)


def _drop_keys(formed: Formed) -> None:
    """On the replicas too, by replication. A primary key stops a replica that applies a row twice; without it, nothing
    does."""
    with connect(formed.primary.sandbox.target) as connection:
        for table in TABLES:
            ask.rows(connection, f"ALTER TABLE `{SCHEMA}`.{table} DROP PRIMARY KEY")
    catch_up(formed.links)
