"""The ledger of the clients by node and time: acknowledged, in doubt, refused."""

from collections.abc import Iterable

import numpy as np

from workers.crash.client import ConnectionLedger
from workers.topology.setup_and_result import AnsweredByNode, RefusedByNode


def answered(connections: Iterable[ConnectionLedger]) -> tuple[AnsweredByNode, ...]:
    return tuple(_answered(node, same) for node, same in _by_node(connections).items())


def refused(connections: Iterable[ConnectionLedger]) -> tuple[RefusedByNode, ...]:
    """The node that refused first comes first."""
    found = (_refused(node, same) for node, same in _by_node(connections).items())
    return tuple(sorted(filter(None, found), key=lambda one: one.first_s))


def _by_node(connections: Iterable[ConnectionLedger]) -> dict[str, list[ConnectionLedger]]:
    found: dict[str, list[ConnectionLedger]] = {}
    for one in connections:
        found.setdefault(one.target.name, []).append(one)
    return found


def _answered(node: str, same: list[ConnectionLedger]) -> AnsweredByNode:
    times = np.concatenate([one.acknowledged_at_s for one in same])
    first_s, last_s = (float(times.min()), float(times.max())) if len(times) else (None, None)
    return AnsweredByNode(node, len(times), sum(one.in_doubt for one in same), first_s, last_s)


def _refused(node: str, same: list[ConnectionLedger]) -> RefusedByNode | None:
    found = sorted((one.refused for one in same if one.refused), key=lambda one: one.at_s)
    return RefusedByNode(node, len(found), found[0].at_s, found[-1].at_s, found[0].says) if found else None
