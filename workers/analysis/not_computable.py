"""The answer of a model that cannot be computed from the measurements."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NotComputable:
    """Unknown, never a figure. `why`: a sentence for the reader that says what would help."""

    why: str
