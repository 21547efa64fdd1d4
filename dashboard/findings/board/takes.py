"""How much a power loss takes from a server: seconds, groups of commits, a whole load or without a limit."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from django.db.models import Count, F, Max, Q

from dashboard.findings.board.tested import KINDS
from dashboard.findings.board.values import BoardServer, CrashVerdict
from dashboard.findings.flushing import FLUSH, SYNC, TIMEOUT
from dashboard.records.experiments.models import Trial

Much = Literal["nothing", "seconds", "groups", "no limit", "whole load", "not known"]
POWER = [kind for kind, crash in KINDS.items() if crash == "power"]


@dataclass(frozen=True)
class Takes:
    """`number`: of the seconds or groups; of a whole load its seconds, which are the least that is lost. `log`: the one
    that loses the most, "redo log" or "binary log"."""

    much: Much
    number: float = 0
    log: str = ""
    is_tested: bool = False


def by_settings(power: CrashVerdict, has: Mapping[str, str]) -> Takes:
    """Of a conclusion. The binary log has no limit of time, so its loss is the larger one."""
    if power.outcome == "kept":
        return Takes("nothing")
    if power.outcome == "lost" and f"{SYNC}=1" in power.changes:
        groups = has.get(SYNC, "")
        if groups == "0":
            return Takes("no limit", log="binary log")
        return Takes("groups", int(groups), "binary log") if groups.isdecimal() else Takes("not known")
    if power.outcome == "lost" and f"{FLUSH[0]}=1" in power.changes:
        seconds = has.get(TIMEOUT, "1")
        return Takes("seconds", int(seconds), "redo log") if seconds.isdecimal() else Takes("not known")
    return Takes("not known")


def by_tests(servers: Collection[BoardServer]) -> dict[int, Takes]:
    """Server id -> the most that a power loss took, of those whose power losses were tested. One query."""
    tried = {one.server_id: one.power for one in servers if one.power.is_tested and one.power.outcome == "lost"}
    kept = {one.server_id: Takes("nothing", is_tested=True) for one in servers
            if one.power.is_tested and one.power.outcome == "kept"}  # fmt: skip
    if not tried:
        return kept
    trials = Trial.objects.of_the_plan().ended().filter(kind__in=POWER, server__in=tried)
    rows = trials.filter(experiment__in={one.experiment_id for one in tried.values()}).order_by()
    whole = Count("pk", filter=Q(lost_engine__gte=F("acknowledged")) | Q(lost_binlog__gte=F("acknowledged")))
    most = rows.values("server_id", "experiment_id", "variant").annotate(
        engine_ms=Max("lost_engine_ms"), binlog_ms=Max("lost_binlog_ms"), whole=whole
    )
    found: dict[int, Takes] = {}
    for each in most:
        pk = each["server_id"]
        if each["experiment_id"] == tried[pk].experiment_id and each["variant"] in tried[pk].lost_with:
            one = _most(each["engine_ms"], each["binlog_ms"], each["whole"])
            found[pk] = max(found.get(pk, one), one, key=lambda two: two.number)
    return found | kept


def _most(engine_ms: float | None, binlog_ms: float | None, whole: int) -> Takes:
    if engine_ms is None and binlog_ms is None:
        return Takes("not known", is_tested=True)
    log = "binary log" if (binlog_ms or 0) >= (engine_ms or 0) else "redo log"
    seconds = max(engine_ms or 0, binlog_ms or 0) / 1000
    return Takes("whole load" if whole else "seconds", seconds, log, is_tested=True)
