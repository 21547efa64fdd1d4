"""Which settings are beaten by no other: nothing loses less and commits more."""

from collections.abc import Sequence


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Indices of (loss, throughput) points that no other point beats, by ascending loss. Equal points all count."""
    order = sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1]))
    best = float("-inf")
    kept: list[int] = []
    for n in order:
        loss, throughput = points[n]
        same = bool(kept) and points[kept[-1]] == (loss, throughput)
        if throughput > best or same:
            kept.append(n)
            best = throughput
    return kept
