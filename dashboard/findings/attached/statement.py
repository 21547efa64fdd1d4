"""What a crash of several hosts can lose, as a sentence."""

from dataclasses import dataclass

UNKNOWN = "unknown"


@dataclass(frozen=True)
class TopologyStatement:
    """`outcome`: kept, may be lost, unknown. `changes`: the settings that end it, as name=value."""

    crash: str
    outcome: str
    says: str
    changes: tuple[str, ...] = ()
