"""The last step of a failover trial: evidence, checks, verdict, figures."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workers.crash.evidence import Seen, without
from workers.crash.judge import lost_work
from workers.crash.ledger import Ledger
from workers.crash.setup_and_result import LostWork
from workers.crash.transactions import Keys
from workers.crash.verdict import verdict
from workers.servers.settings import switch
from workers.topology.cause import because, seen_because
from workers.topology.chain import FailoverJudged, Returned
from workers.topology.checks import run_checks
from workers.topology.evidence import FailoverEvidence
from workers.topology.setup_and_result import FailoverResult
from workers.topology.topology import CLUSTERS


def judge(returned: Returned) -> FailoverJudged:
    returned.timeline.step("checks")
    ledger, evidence = returned.ledger(), evidence_of(returned)
    checks = run_checks(ledger, evidence)
    return FailoverJudged(
        **vars(returned),
        verdict=verdict(checks),
        checks=checks,
        result=replace(_figures(returned, ledger, evidence), verdict=verdict(checks), checks=checks),
    )


def evidence_of(returned: Returned) -> FailoverEvidence:
    ledger, after = returned.ledger(), returned.after.ledger()
    lacks = "" if len(after.acknowledged()) else returned.new.sandbox.lacks()
    return FailoverEvidence(
        kept=returned.kept,
        read=returned.reader.read(ledger.sent()) if returned.reader.rounds else None,
        late=_late(returned, ledger),
        after=None if lacks else after,
        returns=returned.returns,
        rebuilt=returned.setup.policy.old_primary == "rebuilt",
        stays_down=returned.stays_down,
        rejoined=returned.rejoined,
        others=returned.others,
        struck=frozenset(node.name for node in returned.nodes if node not in returned.standing),
        has_gtids=returned.returns and bool(returned.links),
        logs_updates=_logs_updates(returned.setup.topology.settings_of(returned.nodes.index(returned.new))),
        gtids=returned.gtids,
        of_replica=returned.fault.of_replica,
        updates=returned.updates,
        secret=returned.secret,
        problems=(
            *returned.problems,
            *([f"{returned.new.name} lacks something of its host: {lacks}"] if lacks else []),
        ),
    )


def _logs_updates(own: Mapping[str, str]) -> bool:
    return all(switch(own.get(name, "ON")) == "ON" for name in ("log_slave_updates", "log_replica_updates"))


def _late(returned: Returned, ledger: Ledger) -> Keys | None:
    """Without those that the new primary has: a node of a cluster that came back acknowledges what all have. None: what
    they have is not known."""
    acknowledged = ledger.acknowledged()
    late: Keys = acknowledged[ledger.told_at_s(acknowledged) > returned.since_load_s(returned.promoted_at)]
    if returned.kept is None:
        return None if len(late) and returned.setup.topology.kind in CLUSTERS else late
    return without(late, returned.kept.whole)


def _figures(returned: Returned, ledger: Ledger, evidence: FailoverEvidence) -> FailoverResult:
    fault_at_s = returned.since_load_s(returned.struck_at)
    lost = lost_work(ledger, evidence.kept, fault_at_s)
    back = evidence.rejoined
    behind = back.seen if evidence.of_replica and back and back.state == "caught up" else None
    lost_replica = lost_work(ledger, behind, fault_at_s)
    phantoms = _missing(evidence.read, evidence.kept)
    ghosts = _missing(returned.old.whole if returned.old else None, evidence.kept)  # only the old primary holds them
    known = returned.so_far()
    story = replace(
        known.story,
        phantoms=None if phantoms is None else len(phantoms),
        reads=returned.reader.rounds,
        ghosts=None if ghosts is None else len(ghosts),
        ghosts_acknowledged=None if ghosts is None else len(np.intersect1d(ghosts, ledger.acknowledged())),
        holds=_holds(returned, ledger),
        fell_back=_fell_back(returned),
    )
    if _failed(lost, lost_replica, behind):
        story = replace(story, because=because(returned.setup, bool(story.fell_back), _nowhere(returned, ledger)))
    elif story.phantoms:
        story = replace(story, because=seen_because(returned.setup))
    return replace(known, lost=lost, lost_replica=lost_replica, story=story)


def _nowhere(returned: Returned, ledger: Ledger) -> bool | None:
    """Whether an acknowledged commit that the new primary lacks is on no other replica. None: not known."""
    left = _missing(ledger.acknowledged(), returned.kept)
    if left is None:
        return None
    others = [node.seen for name, node in returned.others if name != returned.hit.name]
    for seen in filter(None, others):
        left = without(left, seen.whole)
    unread = None in others or len(others) < len(returned.replicas) - 1  # a host that does not come back
    return None if len(left) and unread else bool(len(left))


def _fell_back(returned: Returned) -> bool | None:
    """None: no semi-synchronous replication, or its counters could not be read."""
    counted = returned.semi_sync
    return None if counted is None else returned.may_have_fallen_back or counted.not_acknowledged > 0


def _failed(lost: LostWork | None, lost_replica: LostWork | None, crashed: Seen | None) -> bool:
    return any(one and one.transactions for one in (lost, lost_replica)) or bool(crashed and len(crashed.twice))


def _missing(keys: Keys | None, kept: Seen | None) -> Keys | None:
    """Those that the new primary lacks; None: not known."""
    return None if keys is None or kept is None else without(keys, kept.there())


def _holds(returned: Returned, ledger: Ledger) -> dict[str, int]:
    """Acknowledged commits on the new primary at its promotion, on the old one and on nodes of a cluster when they came
    back, and on every other node at the end."""
    acknowledged = ledger.acknowledged()
    places = {name: node.seen for name, node in returned.others}
    places |= {returned.hit.name: returned.old or (returned.rejoined.seen if returned.rejoined else None)}
    places |= {**returned.alone, returned.new.name: returned.kept}
    return {name: len(acknowledged) - len(without(acknowledged, seen.whole)) for name, seen in places.items() if seen}
