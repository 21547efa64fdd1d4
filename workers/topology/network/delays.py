"""Which delays can be asked for."""

from workers.errors import SandboxError

LONGEST_MS = 10_000.0


def microseconds(one_way_ms: float) -> int:
    """SandboxError: a delay cannot be that."""
    if not 0 <= one_way_ms <= LONGEST_MS:
        raise SandboxError(f"A one-way delay cannot be {one_way_ms:g} ms.", f"It is between 0 and {LONGEST_MS:g} ms.")
    return round(1000 * one_way_ms)
