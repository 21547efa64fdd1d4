"""Replicas beside the primary of a load. They have the settings of the variant, as in a failover trial."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial

from workers.crash.replica_link import Link
from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.topology.ground import Ground, build_of
from workers.topology.kinds.following.begin import CATCH_UP_S, begin, catch_up, settings_of, wait_until_ready
from workers.topology.kinds.following.position import link
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.network.wires import Wire, Wires
from workers.topology.nodes import Companion, NodePlan


class Followers:
    """See workers.topology.companions.Companions."""

    data_of_no_use = False

    def __init__(self, kind: SourceAndReplica, ground: Ground) -> None:
        self._kind, self._ground = kind, ground
        self._wires: list[Wire] = []
        self._links: list[Link] = []
        self.first = self._plan(0, "primary")
        self._made = ExitStack()
        self._network = self._made.enter_context(Wires()) if ground.topology.has_wires else None

    @property
    def others(self) -> tuple[Companion, ...]:
        return tuple(
            Companion(one.follower.target, frozenset(own), partial(_at_rest, one))
            for one, own in zip(self._links, self._ground.topology.settings_of_each, strict=False)  # none before attach
        )

    @property
    def sandboxes(self) -> tuple[Sandbox, ...]:
        return tuple(one.follower for one in self._links)

    def attach(self, first: Sandbox) -> None:
        ground, self._primary = self._ground, first
        password = secrets.token_hex(16)
        for number in range(1, ground.topology.replicas + 1):
            plan = self._plan(number, f"replica {number} of {first.name}")
            replica = self._made.enter_context(plan.start(ground.root, ground.user))
            port = self._wire(first, ground.topology.one_way_ms_to(number))
            self._links.append(link(ground.topology, first, replica, password, port))
        begin(self._links)
        wait_until_ready(self._kind, ground.topology, first)

    def restart(self, settings: Mapping[str, str], while_down: Callable[[], None]) -> None:
        self.catch_up()  # a replica without GTIDs goes on at the end of the primary's new binary log
        self._primary.restart(self._settings(0, settings), while_down)
        for wire in self._wires:
            wire.redirect(self._primary.target.port)
        for number, each in enumerate(self._links, start=1):
            each.follower.restart(self._settings(number, settings))
            each.start()
        self.catch_up()

    def catch_up(self) -> None:
        catch_up(self._links, CATCH_UP_S)
        wait_until_ready(self._kind, self._ground.topology, self._primary)

    def close(self) -> None:
        self._made.close()

    def _plan(self, replica: int, name: str) -> NodePlan:
        """Of replica 1, 2, ...; 0 is the primary."""
        build = self._build(replica)
        lines = Additions(self._kind.lines(build))
        return NodePlan(name, build, self._settings(replica, {}), additions=lines, image=self._ground.image)

    def _settings(self, replica: int, settings: Mapping[str, str]) -> Mapping[str, str]:
        return settings_of(self._kind, self._ground.topology, self._build(replica), replica, settings)

    def _build(self, replica: int) -> Build:
        return build_of(self._ground.topology, self._ground.build, replica)

    def _wire(self, first: Sandbox, one_way_ms: float) -> int:
        """Its port; 0 without a wire: nothing is cut here, and a wire costs processor time."""
        if self._network is None:
            return 0
        self._wires.append(self._network.join(first.target.port, one_way_ms=one_way_ms))
        return self._wires[-1].port


@contextmanager
def _at_rest(one: Link) -> Iterator[None]:
    """Applying threads read binlog_row_image and others when they start."""
    one.tell("STOP", "SQL_THREAD")
    yield
    one.tell("START", "SQL_THREAD")
