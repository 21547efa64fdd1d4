"""Hosts lose their power: each disk loses everything that was not flushed."""

from collections.abc import Callable, Sequence

from workers.errors import SandboxError
from workers.sandbox.disk.volatile import VolatileDisk
from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.nodes import Node


class AllLosePower(Fault):
    key = "total-power-loss"
    title = "Total power loss"
    says = "Primary and replicas lose their power at one moment."
    primary_needs_disk = replicas_need_disk = replicas_down = True

    def strike(self, scene: FaultScene) -> None:
        scene.step("partition")
        scene.partition()
        lose_power(scene, (scene.primary, *scene.replicas), scene.hear_and_cut)


def lose_power(scene: FaultScene, nodes: Sequence[Node], frozen: Callable[[], None] = lambda: None) -> None:
    """Hold every disk, freeze every server, do what needs them `frozen`, cut all, kill all."""
    scene.step("freeze")
    for node in nodes:
        _disk(node).hold_flushes()
    for node in nodes:
        node.sandbox.freeze()
    frozen()
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
