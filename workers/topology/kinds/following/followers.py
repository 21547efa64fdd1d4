"""Replicas beside the primary of a load."""

import secrets
from collections.abc import Mapping
from contextlib import ExitStack

from workers.crash.replica_link import Link
from workers.sandbox.additions import Additions
from workers.sandbox.server import Sandbox
from workers.servers.target import Target
from workers.topology.ground import Ground
from workers.topology.kinds.following.begin import begin, build_of, catch_up, settings_of, wait_until_ready
from workers.topology.kinds.following.position import link
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.network.wires import Wire, Wires
from workers.topology.nodes import NodePlan


class Followers:
    """See workers.topology.companions.Companions."""

    alike: tuple[Target, ...] = ()  # replicas have settings of their own

    def __init__(self, kind: SourceAndReplica, ground: Ground) -> None:
        self._kind, self._ground, self._made = kind, ground, ExitStack()
        self._wires: list[Wire] = []
        self._links: list[Link] = []
        self._network = self._made.enter_context(Wires()) if ground.topology.has_delay else None
        self.first = NodePlan(
            "primary",
            ground.build,
            settings_of(kind, ground.topology, ground.build, "primary", {}),
            additions=Additions(kind.lines(ground.build)),
            image=ground.image,
        )

    def attach(self, first: Sandbox) -> None:
        ground, self._primary = self._ground, first
        password = secrets.token_hex(16)
        build = build_of(ground.topology, ground.build, "replica")
        settings = settings_of(self._kind, ground.topology, build, "replica", {})
        for number in range(1, ground.topology.replicas + 1):
            replica = Sandbox.create(
                ground.root,
                build,
                {**settings, "server_id": str(number + 1)},
                name=f"replica {number} of {first.name}",
                image_key=ground.image,
                trace=False,
                user=ground.user,
                additions=Additions(self._kind.lines(build)),
            )
            self._made.enter_context(replica)
            port = self._wire(first, ground.topology.one_way_ms_to(number))
            self._links.append(link(ground.topology, first, replica, password, port))
        begin(self._links)
        wait_until_ready(self._kind, ground.topology, first)

    def restart(self, settings: Mapping[str, str]) -> None:
        self._primary.restart({**self.first.settings, **settings})
        for wire in self._wires:
            wire.redirect(self._primary.target.port)
        if not self._wires:
            for each in self._links:
                each.start()
        self.catch_up()

    def catch_up(self) -> None:
        catch_up(self._links)
        wait_until_ready(self._kind, self._ground.topology, self._primary)

    def close(self) -> None:
        self._made.close()

    def _wire(self, first: Sandbox, one_way_ms: float) -> int:
        """Its port; 0 without a round trip: a wire without a delay costs processor time, and nothing is cut here."""
        if self._network is None:
            return 0
        self._wires.append(self._network.join(first.target.port, one_way_ms=one_way_ms))
        return self._wires[-1].port
