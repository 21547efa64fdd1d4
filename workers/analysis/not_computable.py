"""The answer of a model that cannot be worked out from what was measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NotComputable:
    """Unknown, never a figure; `why` is a sentence for the reader, and says what would help."""

    why: str
