"""The first step: nodes, wires, replication."""

import secrets
from collections.abc import Mapping

from workers.crash import dialects
from workers.crash.replica_link import Link
from workers.errors import SandboxError
from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import Begun, Formed
from workers.topology.kinds.following.replication import Replication
from workers.topology.network.wires import Wire
from workers.topology.nodes import Node, NodePlan
from workers.topology.topology import Role

FORM_S = 60.0
POLL_S = 0.02
# By default a sandbox removes its binlog after a minute. Old servers do not know the variable.
KEEP_BINLOG = {"loose_binlog_expire_logs_seconds": "0"}


def form(begun: Begun, kind: Replication) -> Formed:
    setup, made = begun.setup, begun.made
    begun.timeline.step("start nodes")
    primary, *replicas = begun.ports.start_all(setup, _plans(begun, kind), made)
    begun.timeline.step("form the topology")
    wires = made.enter_context(begun.ports.wires())
    joined = tuple(wires.join(primary.sandbox.target.port, one_way_ms=setup.topology.one_way_ms) for _ in replicas)
    links = _links(primary, replicas, joined)
    formed = Formed(**vars(begun), primary=primary, replicas=tuple(replicas), wires=joined, links=links)
    _follow(formed, kind)
    return formed


def _plans(begun: Begun, kind: Replication) -> tuple[NodePlan, ...]:
    replicas = range(1, begun.setup.topology.replicas + 1)
    return (_plan(begun, kind, "primary", 0), *(_plan(begun, kind, "replica", number) for number in replicas))


def _plan(begun: Begun, kind: Replication, role: Role, number: int) -> NodePlan:
    setup = begun.setup
    build = setup.replica_build if setup.replica_build and role == "replica" else setup.build
    return NodePlan(
        name=f"replica {number}" if role == "replica" else "primary",
        build=build,
        settings=_settings(begun, kind, build, role) | {"server_id": str(number + 1)},
        additions=Additions(kind.lines(build)),
        on_disk=begun.fault.replicas_need_disk if role == "replica" else begun.fault.primary_needs_disk,
    )


def _settings(begun: Begun, kind: Replication, build: Build, role: Role) -> dict[str, str]:
    """A replica is set up as its primary, so that it can take its place."""
    setup, dialect = begun.setup, dialects.of(build)
    of_role: Mapping[str, str] = {}
    if role == "replica":
        of_role = {**_recovery(build), **setup.settings, **setup.topology.replica_settings}
    return {
        **KEEP_BINLOG,
        **dialect.of_source,
        **dialect.of_follower,
        **kind.settings(setup.topology, build, role),
        **(of_role or setup.settings),
        "log_bin": "ON",
    }


def _recovery(build: Build) -> Mapping[str, str]:
    """MySQL's manual asks for it on a replica that shall survive a crash."""
    return {"relay_log_recovery": "ON"} if build.flavour == "mysql" else {}


def _links(primary: Node, replicas: list[Node], wires: tuple[Wire, ...]) -> tuple[Link, ...]:
    password = secrets.token_hex(16)
    return tuple(
        Link(primary.sandbox, replica.sandbox, password, wire.port)
        for replica, wire in zip(replicas, wires, strict=True)
    )


def _follow(formed: Formed, kind: Replication) -> None:
    for link in formed.links:
        with connect(link.source.target) as source, connect(link.follower.target) as follower:
            ask.rows(follower, link.dialect.begin, [link.written(source)])
        link.start()
    deadline = formed.ports.clock() + FORM_S
    for link in formed.links:
        if (followed := link.follow(max(0.0, deadline - formed.ports.clock()))).state != "caught up":
            raise SandboxError(f"A replica does not follow its primary: {followed.error}", "Nothing was measured.")
    _wait_until_ready(formed, kind, deadline)
    for node in formed.nodes:
        node.make_durable()


def _wait_until_ready(formed: Formed, kind: Replication, deadline: float) -> None:
    with connect(formed.primary.sandbox.target) as primary:
        while not kind.is_ready(primary, formed.setup.topology):
            formed.timeline.must_go_on()
            if formed.ports.clock() > deadline:
                raise SandboxError(
                    f"{kind.title} replication did not begin within {FORM_S:g} s.", "Look at the error log."
                )
            formed.ports.sleep(POLL_S)
