"""The shortest load that shows a violation: loads of the same variant with few clients and commits, smallest first.

Each is recorded, crashed and judged like the load of the trial, until each check that failed there has failed at one of
their crash points. So the shortest load of a check is the first one of the loads that were tried.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from workers.crash.chain import Begun
from workers.crash.points.export.write import keep
from workers.crash.points.recorded import Recorded, another_load
from workers.crash.points.story import KeptPoint, ShortestLoad
from workers.crash.points.violations import MOST_KEPT, Violation
from workers.crash.transactions import statements
from workers.errors import DurascopeError
from workers.sandbox.disk.recording.joint import JointChoice, JointStates
from workers.sandbox.disk.recording.states import Torn

SIZES = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (3, 5))  # clients, and commits of each; 5 are of every shape
MOST_POINTS = 40  # of each load
LIMIT_S = 60.0  # for all loads; then their servers are killed
LAST_LOAD_S, LAST_POINT_S = 10.0, 5.0  # so long before that no load and no crash point is begun any more

log = logging.getLogger(__name__)
Checks = frozenset[str]
Wanted = Callable[[JointChoice], bool]


@dataclass(frozen=True)
class Again:
    """Another load. `violations`: in time, of its crash points that were `tried`; `found`: how many it has."""

    load: Recorded
    states: JointStates
    violations: Sequence[Violation]
    tried: int
    found: int


Record = Callable[[Begun, Wanted, float], Again]  # no crash point is begun after that time, monotonic clock


@dataclass
class Search:
    """`number`: of the first crash point that is kept. `kept`, `archives`: one of each shortest load."""

    load: Recorded
    record: Record
    number: int
    kept: list[KeptPoint] = field(default_factory=list)
    archives: dict[int, bytes] = field(default_factory=dict)
    _tried: list[ShortestLoad] = field(default_factory=list)

    def all(self, violations: Sequence[Violation], limit_s: float = LIMIT_S) -> tuple[ShortestLoad, ...]:
        """Those at which a check failed that had failed at none before; last, without a failure, the checks that failed
        at no load. Raises Cancelled."""
        sought = frozenset[str]().union(*(one.failed for one in violations)) - self.load.setup.looked_for
        if not sought:
            return ()
        self.load.timeline.step("shortest load")
        wanted, ends = wanted_for(violations), monotonic() + limit_s
        for clients, commits in sizes_of(self.load.setup.clients):
            if not sought or monotonic() > ends - LAST_LOAD_S:
                break
            sought -= self._try(clients, commits, sought, wanted, ends)
        shown = tuple(one for one in self._tried if one.failed)
        return (*shown, self._not_shown(sought)) if sought else shown

    def _try(self, clients: int, commits: int, sought: Checks, wanted: Wanted, ends: float) -> Checks:
        """Checks that failed. A load that cannot be recorded, or not in time, is left out."""
        setup = replace(self.load.setup, clients=clients, commits=commits, load_s=LIMIT_S, points=MOST_POINTS)
        title = f"clients={clients}, commits={commits}"
        before = len(self._tried)
        try:
            with another_load(self.load, setup, title, is_over=lambda: monotonic() > ends) as begun:
                self._compare(self.record(begun, wanted, ends - LAST_POINT_S), sought)
        except Exception as failed:  # a server that is killed breaks whatever waits for it
            self.load.timeline.must_go_on()
            expected = isinstance(failed, DurascopeError) or monotonic() > ends
            log.log(logging.INFO if expected else logging.ERROR, "a load of %s was left out", title, exc_info=True)
        return frozenset(key for one in self._tried[before:] for key in one.checks)

    def _compare(self, again: Again, sought: Checks) -> None:
        setup, there = again.load.setup, showing(sought, again.violations)
        told = ShortestLoad(
            checks=tuple(sorted({key for one in there for key in one.failed & sought})),
            clients=setup.clients,
            commits=setup.commits,
            failed=len(there),
            tried=again.tried,
            found=again.found,
            loads=len(self._tried) + 1,
        )
        if there:
            first = there[0].state
            sent = statements_of(again.load)
            told = replace(told, statements=sent, keeps=first.keeps, acknowledged=first.acknowledged)
        self._tried.append(told)
        if len(self.kept) < MOST_KEPT:
            kept, archives = keep(again.load, again.states, there[:1], self.number + len(self.kept))
            self.kept += (replace(one, clients=setup.clients, commits=setup.commits) for one in kept)
            self.archives |= archives

    def _not_shown(self, checks: Checks) -> ShortestLoad:
        """With the crash points of all loads, and the size of the last."""
        clients, commits = (self._tried[-1].clients, self._tried[-1].commits) if self._tried else (0, 0)
        return ShortestLoad(
            checks=tuple(sorted(checks)),
            clients=clients,
            commits=commits,
            tried=sum(one.tried for one in self._tried),
            found=sum(one.found for one in self._tried),
            loads=len(self._tried),
        )


def sizes_of(clients: int) -> list[tuple[int, int]]:
    """Of loads with at most so many clients."""
    return [size for size in SIZES if size[0] <= clients]


def wanted_for(violations: Iterable[Violation]) -> Wanted:
    """Torn crash points are tried if one of these violations is torn."""
    torn = any("torn" in one.state.keeps for one in violations)
    return lambda choice: torn or not any(isinstance(point.keeps, Torn) for point in choice.state.points)


def showing(checks: Checks, violations: Iterable[Violation]) -> list[Violation]:
    """Those at which one of these checks fails; first those at which most of them do, and then few others."""
    there = (one for one in violations if one.failed & checks)
    return sorted(there, key=lambda one: (-len(one.failed & checks), len(one.failed - checks)))


def statements_of(load: Recorded) -> tuple[str, ...]:
    """Of its first client. None of an own transaction: its values may be private."""
    if load.look.own:
        return ()
    sent = statements(load.secret, 0, range(1, load.setup.commits + 1))
    return tuple(sql.decode() for one in sent for sql in one)
