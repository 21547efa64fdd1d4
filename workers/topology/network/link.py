"""What joins two nodes of a network."""


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
