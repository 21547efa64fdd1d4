"""What joins two nodes of a network."""

from workers.errors import SandboxError

LONGEST_MS = 10_000.0


class NodeLink:
    """Every change counts when the call returns."""

    def delay(self, one_way_ms: float) -> None:
        """Of every packet that is sent from now on, in each direction."""
        raise NotImplementedError

    def partition(self) -> None:
        """Packets are lost, also those under way. Nobody is told."""
        raise NotImplementedError

    def cut(self) -> None:
        """A partition loses what is under way already, and a lost host resets nothing."""
        self.partition()

    def heal(self) -> None:
        """Packets arrive again. TCP sends lost ones again, later the longer the partition was."""
        raise NotImplementedError


def microseconds(one_way_ms: float) -> int:
    """SandboxError: a delay cannot be that."""
    if not 0 <= one_way_ms <= LONGEST_MS:
        raise SandboxError(f"A one-way delay cannot be {one_way_ms:g} ms.", f"It is between 0 and {LONGEST_MS:g} ms.")
    return round(1000 * one_way_ms)
