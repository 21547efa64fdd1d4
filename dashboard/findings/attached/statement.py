"""What a crash of several hosts can lose, as a sentence."""

from dataclasses import dataclass

UNKNOWN = "unknown"


@dataclass(frozen=True)
class TopologyStatement:
    """`outcome`: kept, may be lost, unknown."""

    crash: str
    outcome: str
    says: str
