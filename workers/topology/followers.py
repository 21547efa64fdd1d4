"""Replicas beside the primary of a load: what replication costs while clients commit."""

import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from workers.crash.replica_link import Link
from workers.errors import PlanError
from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds.following.begin import begin, catch_up, settings_of, wait_until_ready
from workers.topology.kinds.following.position import link
from workers.topology.kinds.following.replication import Replication
from workers.topology.network.wires import Wire, Wires
from workers.topology.topology import Topology


class Followers:
    """`attach` makes the replicas of a primary that was started with `primary_settings` and `additions`; `follow_again`
    comes after each restart of the primary; `catch_up` before each measurement. `close` removes them."""

    def __init__(self, topology: Topology, build: Build) -> None:
        """Raises PlanError when this build cannot have such a topology."""
        kind = TOPOLOGY_KINDS[topology.kind]
        wrong = kind.problems(topology, build)
        if wrong or not isinstance(kind, Replication):
            raise PlanError(
                " ".join(wrong) or f"{kind.title}: loads are measured on replicas that follow a primary only.",
                "Change the topology, or take another build.",
            )
        self._topology, self._build, self._kind = topology, build, kind
        self._made = ExitStack()
        self._wires: list[Wire] = []
        self._links: list[Link] = []

    @property
    def primary_settings(self) -> Mapping[str, str]:
        return settings_of(self._kind, self._topology, self._build, "primary", {})

    @property
    def additions(self) -> Additions:
        return Additions(self._kind.lines(self._build))

    def attach(self, root: Path, primary: Sandbox, user: str, image_key: str) -> None:
        """`image_key`: of the data that the primary has already. Raises SandboxError or ServerError."""
        wires = self._made.enter_context(Wires())
        password = secrets.token_hex(16)
        settings = settings_of(self._kind, self._topology, self._build, "replica", {})
        for number in range(1, self._topology.replicas + 1):
            replica = Sandbox.create(
                root,
                self._build,
                {**settings, "server_id": str(number + 1)},
                name=f"replica {number} of {primary.name}",
                image_key=image_key,
                trace=False,
                user=user,
                additions=self.additions,
            )
            self._made.enter_context(replica)
            wire = wires.join(primary.target.port, one_way_ms=self._topology.one_way_ms)
            self._wires.append(wire)
            self._links.append(link(self._topology, primary, replica, password, wire.port))
        begin(self._links)
        wait_until_ready(self._kind, self._topology, primary)

    def follow_again(self, primary: Sandbox) -> None:
        for wire in self._wires:
            wire.redirect(primary.target.port)
        self.catch_up(primary)

    def catch_up(self, primary: Sandbox) -> None:
        catch_up(self._links)
        wait_until_ready(self._kind, self._topology, primary)

    def close(self) -> None:
        self._made.close()
