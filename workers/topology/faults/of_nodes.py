"""One fault of any set of nodes: `kill:primary+replica2`.

In a cluster `primary` is the first node, `replica1` the second one.
"""

import re
import time
from collections.abc import Callable, Sequence

from workers.errors import SandboxError
from workers.sandbox.disk.volatile import VolatileDisk
from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.nodes import Node, on_each
from workers.topology.policy import MOST_REPLICAS
from workers.topology.topology import CLUSTERS, Topology

PRIMARY = "primary"
NAMES = (PRIMARY, *(f"replica{number}" for number in range(1, MOST_REPLICAS + 1)))
STILL_SENT_S = 0.05  # by the kernel, after its process was killed
NODE = re.compile(r"replica(\d)")


class OfNodes(Fault):
    """`what`: a key of STRIKES. `numbers`: of the nodes, 0 is the primary."""

    def __init__(self, what: str, numbers: Sequence[int], key: str = "", title: str = "", says: str = "") -> None:
        self.what, self.numbers = what, frozenset(numbers)
        names = [NAMES[number] for number in sorted(self.numbers)]
        where, self.notation = in_words(names), f"{what}:{'+'.join(names)}"
        self.key = key or self.notation
        self.title = title or f"{what[0].upper()}{what[1:].replace('-', ' ')} of {where}"
        self.says = says or f"{SAYS[what]}: {where}."
        hits_replicas = bool(self.numbers - {0})
        self.pauses = what == "pause"
        self.comes_back = what in ("pause", "partition")
        self.for_good = what == "permanent-loss"
        self.needs_wires = what in ("host-loss", "permanent-loss", "partition")
        self.primary_needs_disk = what == "power-loss" and 0 in self.numbers
        self.replicas_need_disk = what == "power-loss" and hits_replicas
        self.spares_primary = 0 not in self.numbers
        self.of_replica = self.spares_primary and not self.for_good
        self.primary_down = not (self.comes_back or self.spares_primary)

    def strikes(self, node: int) -> bool:
        return node in self.numbers

    def ends(self, node: int) -> bool:
        return not self.comes_back and self.strikes(node)

    def misfits(self, topology: Topology) -> list[str]:
        absent = [NAMES[number] for number in sorted(self.numbers) if number > topology.replicas]
        if absent:
            nodes = f"{topology.replicas} node{'' if topology.replicas == 1 else 's'} beside the first one"
            return [f"{self.title}: the topology has no {in_words(absent, 'or')}, only {nodes}."]
        return [f"{self.title}: {why}" for why, is_so in self._contradictions(topology).items() if is_so]

    def _contradictions(self, topology: Topology) -> dict[str, bool]:
        policy, nodes = topology.policy, topology.replicas + 1
        no_vote = self.what == "partition" and topology.kind in CLUSTERS and 2 * len(self.numbers) >= nodes
        policies = " and ".join(f"policy={key}" for key in topology.policy_key.split("+"))
        disk_needed = policy.promote == "nobody" or policy.old_primary in ("as a replica", "rebuilt")
        return {
            f"no node is left. {INSTEAD.get(self.what, 'Leave one out.')}": len(self.numbers) >= nodes,
            "in a cluster the smaller side is named, which loses its majority.": no_vote,
            f"the disk of the primary does not come back: leave {policies} out.": (
                self.for_good and not self.spares_primary and disk_needed
            ),
        }

    def strike(self, scene: FaultScene) -> None:
        STRIKES[self.what](scene, [scene.nodes[number] for number in sorted(self.numbers)], sorted(self.numbers))


def in_words(names: Sequence[str], joined: str = "and") -> str:
    """primary, replica 1 and replica 2."""
    words = [NODE.sub(r"replica \1", name) for name in names]
    return f" {joined} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _kill(scene: FaultScene, nodes: Sequence[Node], numbers: Sequence[int]) -> None:
    """All at one moment. Their hosts live and still send what was written."""
    scene.step("kill")
    if len(nodes) > 1:
        on_each(nodes, lambda node: node.sandbox.freeze())
    for node in nodes:
        node.sandbox.kill()
    if scene.primary in nodes:
        scene.hear()
        time.sleep(2 * scene.one_way_s + STILL_SENT_S)


def lose_hosts(scene: FaultScene, nodes: Sequence[Node], numbers: Sequence[int]) -> None:
    """`numbers`: of the nodes whose wires are cut."""
    scene.step("partition")
    scene.partition(numbers)
    on_each(nodes, lambda node: node.sandbox.freeze())
    if scene.primary in nodes:
        scene.hear()
    scene.step("kill")
    scene.cut(numbers)
    for node in nodes:
        node.sandbox.kill()


def lose_power(scene: FaultScene, nodes: Sequence[Node], numbers: Sequence[int]) -> None:
    """Each disk loses everything that was not flushed. `numbers`: of the nodes whose wires are cut."""
    scene.step("partition")
    scene.partition(numbers)
    scene.step("freeze")
    for node in nodes:
        _disk(node).hold_flushes()
    for node in nodes:
        node.sandbox.freeze()
    if scene.primary in nodes:
        scene.hear()
    scene.cut(numbers)
    scene.step("cut")
    for node in nodes:
        _disk(node).cut()
    for node in nodes:
        node.sandbox.kill()
    scene.step("power on")
    for node in nodes:
        _disk(node).storage(0)
        _disk(node).power_on()


def _disk(node: Node) -> VolatileDisk:
    if node.disk is None:
        raise SandboxError(f"{node.name} has no disk that can lose power.", "Choose a fault without power loss.")
    return node.disk


def _part(scene: FaultScene, nodes: Sequence[Node], numbers: Sequence[int]) -> None:
    """They hear each other. Clients still reach all of them."""
    scene.step("partition")
    scene.part(numbers)


def _pause(scene: FaultScene, nodes: Sequence[Node], numbers: Sequence[int]) -> None:
    """They are frozen, keep their connections, and go on after `pause_s`. Nobody is told."""
    scene.step("pause")
    on_each(nodes, lambda node: node.sandbox.freeze())
    for node in nodes:
        scene.later(scene.pause_s, node.sandbox.go_on)


Strike = Callable[[FaultScene, Sequence[Node], Sequence[int]], None]
STRIKES: dict[str, Strike] = {
    "kill": _kill,
    "host-loss": lose_hosts,
    "permanent-loss": lose_hosts,
    "power-loss": lose_power,
    "partition": _part,
    "pause": _pause,
}
HOW = f"Write a fault ({', '.join(STRIKES)}) and its nodes, for example kill:primary+replica1."
SAYS = {
    "kill": "The processes of these nodes are killed at one moment",
    "host-loss": "The hosts of these nodes are gone at one moment, with what was on the wire",
    "permanent-loss": "The hosts of these nodes are gone at one moment, and their disks do not come back",
    "power-loss": "The hosts of these nodes lose their power at one moment",
    "partition": "These nodes no longer hear the others; clients still reach them",
    "pause": "These nodes are frozen, and go on after the seconds of a pause",
}
INSTEAD = {"kill": "Choose total-kill.", "power-loss": "Choose total-power-loss."}
