"""Which settings decide a violation: each suspect gets its safer value, and it is tried, not guessed.

A setting of the recovery is changed on the same content. A setting of the load needs another load, which is crashed at
a few points.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from workers.crash.chain import Begun
from workers.crash.points.judge_state import StateJudge
from workers.crash.points.lane import Lane
from workers.crash.points.recorded import Recorded, another_load
from workers.crash.points.story import OtherPoint, OtherSetting, TriedState
from workers.crash.points.violations import Violation
from workers.crash.verdict import Outcome
from workers.errors import Cancelled, DurascopeError, SandboxError

AT_RECOVERY = {"source_verify_checksum": "ON", "master_verify_checksum": "ON", "rocksdb_wal_recovery_mode": "2"}
RELAY_LOG_RECOVERY = "relay_log_recovery"  # of a replica, at its recovery
OF_THE_LOAD = {
    "innodb_flush_log_at_trx_commit": "1",
    "rocksdb_flush_log_at_trx_commit": "1",
    "sync_binlog": "1",
    "innodb_doublewrite": "ON",
    "innodb_flush_method": "fsync",  # with O_DIRECT MySQL does not flush the copy of a page before the page
}
OLDER_NAMES = {"master_verify_checksum": "source_verify_checksum"}  # MySQL may know both
OF_PAGES = {"innodb_doublewrite", "innodb_flush_method"}
DAMAGE = {"stays-down", "tables-damaged", "altered"}  # checks that a torn page makes fail
MOST_POINTS = 20
REPLICA = "replica"
Tried = Callable[[Begun], Sequence[TriedState]]  # records a load and recovers its states


@dataclass(frozen=True)
class Suspect:
    """A setting that may decide, what it was and what would be safer. `server`: REPLICA if only that gets it; "": the
    server, and a replica that has its settings."""

    name: str
    ran: str
    safer: str
    server: str = ""

    @property
    def title(self) -> str:
        return f"{self.name}={self.safer}{' on the replica' if self.server else ''}"

    def at_recovery_of(self, load: Recorded) -> Recorded:
        safer = {self.name: self.safer}
        if self.server and load.replica:
            return replace(load, replica=replace(load.replica, settings={**load.replica.settings, **safer}))
        return replace(load, settings={**load.settings, **safer})


def tried_otherwise(
    load: Recorded, lane: Lane, violations: Sequence[Violation], tried: Tried
) -> tuple[OtherSetting, ...]:
    """Nothing without a violation. Raises Cancelled."""
    if not violations:
        return ()
    load.timeline.step("other settings")
    again = () if load.is_killed else _recoveries(load, lane, violations)  # after a kill no end of a log is torn
    return (*again, *_loads(load, violations, tried))


def _recoveries(load: Recorded, lane: Lane, violations: Sequence[Violation]) -> Iterator[OtherSetting]:
    """A state that cannot be made is left out, and a setting without any state."""
    for one in (*_unlike(load, AT_RECOVERY), *_of_replica_at_recovery(load)):
        judge = StateJudge(one.at_recovery_of(load))
        states = []
        for violation in violations:
            with suppress(SandboxError):
                states.append((violation.failed, judge.attempt(lane, violation.choice)))
            load.timeline.must_go_on()  # else its server may have been killed
        if states:
            yield _told(one, states, same=True)


def _loads(load: Recorded, violations: Sequence[Violation], tried: Tried) -> Iterator[OtherSetting]:
    """One that cannot be recorded is left out. Nothing for checks of which another trial of the variant told it."""
    wrong = frozenset[str]().union(*(one.failed for one in violations)) - load.setup.looked_for
    if not wrong:
        return
    for one in (*_unlike(load, OF_THE_LOAD), *_of_replica(load)):
        if one.name in OF_PAGES and not wrong & DAMAGE:
            continue
        try:
            states = _another(load, one, tried)
        except Cancelled:
            raise
        except DurascopeError:
            continue
        yield _told(one, [(wrong, state) for state in states], same=False)


def _another(load: Recorded, one: Suspect, tried: Tried) -> Sequence[TriedState]:
    safer = {one.name: one.safer}
    of_primary, of_replica = ({}, safer) if one.server else (safer, {})
    setup = replace(
        load.setup,
        settings={**load.setup.settings, **of_primary},
        replica_settings={**load.setup.replica_settings, **of_replica},
        points=min(load.setup.points, MOST_POINTS),
    )
    with another_load(load, setup, one.title, of_primary) as begun:
        return tried(begun)


def _unlike(load: Recorded, safer: Mapping[str, str]) -> Iterator[Suspect]:
    """Settings of this server that have another value. Without a binary log its flushes do not matter."""
    for name, value in safer.items():
        if OLDER_NAMES.get(name) in load.variables:
            continue
        ran = load.variables.get(name, value)
        if not _is(ran, value) and (load.has_binlog or name != "sync_binlog"):
            yield Suspect(name, ran, value)


def _of_replica(load: Recorded) -> Iterator[Suspect]:
    given = load.setup.replica_settings if load.replica else {}
    for name, ran in given.items():
        if name in OF_THE_LOAD and not _is(ran, OF_THE_LOAD[name]):
            yield Suspect(name, ran, OF_THE_LOAD[name], REPLICA)


def _of_replica_at_recovery(load: Recorded) -> Iterator[Suspect]:
    """The relay log that it had received: by default it goes on from there."""
    ran = load.replica.settings.get(RELAY_LOG_RECOVERY, "OFF") if load.replica else "ON"
    if not _is(ran, "ON"):
        yield Suspect(RELAY_LOG_RECOVERY, ran, "ON", REPLICA)


def _is(ran: str, value: str) -> bool:
    return ran.upper() in ((value, "1") if value == "ON" else (value.upper(),))


def _told(one: Suspect, tried: Sequence[tuple[frozenset[str], TriedState]], same: bool) -> OtherSetting:
    """`tried`: each with the checks that had failed."""
    again = [bool(wrong & _keys(state, "invalid")) for wrong, state in tried]
    unclear = [bool(wrong & _keys(state, "unknown")) for wrong, state in tried]
    return OtherSetting(
        name=one.name,
        ran=one.ran,
        other=one.safer,
        server=one.server,
        same=same,
        tried=len(tried),
        failed=sum(again),
        unclear=sum(one and not fails for one, fails in zip(unclear, again, strict=True)),
        points=tuple(_point(state) for _, state in tried if state.checks),
    )


def _keys(state: TriedState, outcome: Outcome) -> frozenset[str]:
    return frozenset(one.key for one in state.checks if one.outcome == outcome)


def _point(state: TriedState) -> OtherPoint:
    failed, unclear = ([one for one in state.checks if one.outcome == outcome] for outcome in ("invalid", "unknown"))
    return OtherPoint(
        moment=state.moment,
        at_s=state.at_s,
        keeps=state.keeps,
        failed=tuple(one.key for one in failed),
        unclear=tuple(one.key for one in unclear),
        says=(*failed, *unclear)[0].says,
    )
