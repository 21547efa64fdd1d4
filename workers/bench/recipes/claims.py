"""The `[[claims]]` of a recipe as predicates. A point may leave out what the plan has only once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

from workers.analysis.predicates.bounds import Bounds
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.crashes import CrashShare
from workers.analysis.predicates.flush import FLUSH_FIGURES, FlushFigure
from workers.analysis.predicates.measured import At, Happening, Place
from workers.analysis.predicates.outages import OutageRatio
from workers.analysis.predicates.points import PER_COMMIT, SPEEDS, PointFigure, SpeedRatio, Steps
from workers.analysis.predicates.predicate import Predicate
from workers.analysis.predicates.round_trips import RoundTrips
from workers.bench.trial_kinds import CHECK_TITLES, TRIAL_KINDS
from workers.toml.table import TomlTable
from workers.topology.faults import FAULTS

POINT = ("variant", "workload", "threads")
TEXTS = ("id", "says", "article", "today")
BOUNDS = ("above", "below")
COUNTED = ("checks", "lost", "happened")  # what makes a crash count
CHOICES = ("figure", "kind", "kinds", *COUNTED)  # keys with values of ours; other texts are names of a plan, or prose


@dataclass(frozen=True)
class PlanNames:
    """The names in a plan that claims may refer to."""

    variants: tuple[str, ...]
    workloads: tuple[str, ...]
    threads: tuple[int, ...]


def claim(table: TomlTable, names: PlanNames) -> Claim:
    """Raises PlanError with file, key and fix."""
    table.only((*TEXTS, *PREDICATES, *BOUNDS))
    texts = {"id": table.text("id"), "says": table.text("says"), "article": table.text("article", "")}
    return Claim(**texts, predicate=_predicate(table, names), bounds=_bounds(table), today=table.text("today", ""))


def _predicate(table: TomlTable, names: PlanNames) -> Predicate:
    chosen = [key for key in PREDICATES if key in table]
    if len(chosen) != 1:
        found = f"has {' and '.join(chosen)}" if chosen else "has no predicate"
        raise table.wrong("", found, f"Give it exactly one of: {', '.join(PREDICATES)}.")
    return PREDICATES[chosen[0]](table.table(chosen[0]), names)


def _bounds(table: TomlTable) -> Bounds:
    above, below = table.number("above"), table.number("below")
    if above is None and below is None:
        raise table.wrong("", "has no bound", "Add above = NUMBER, below = NUMBER, or both.")
    if above is not None and below is not None and above >= below:
        raise table.wrong("above", f"is {above:g}, not less than below = {below:g}", "Nothing lies between: swap them.")
    return Bounds(above, below)


def _ratio(table: TomlTable, names: PlanNames) -> SpeedRatio:
    table.only((*POINT, "over", "figure", "than"))
    over = table.table("over")
    over.only(POINT)
    mine = {key: table.data[key] for key in POINT if key in table}
    of = _point(TomlTable(table.file, table.path, mine), names)
    other = _point(table.over("over", mine), names)
    if of == other:
        raise over.wrong("", "is the same point as its divisor", f"Name what differs: one of {', '.join(POINT)}.")
    return SpeedRatio(of, other, table.one_of("figure", SPEEDS, SPEEDS[0]), _than(table, names))


def _than(table: TomlTable, names: PlanNames) -> SpeedRatio | None:
    """The other ratio; by default of the same workload, threads and figure."""
    if "than" not in table:
        return None
    same = {key: table.data[key] for key in ("workload", "threads", "figure") if key in table}
    return _ratio(table.over("than", same), names)


def _value(table: TomlTable, names: PlanNames) -> PointFigure:
    table.only((*POINT, "figure"))
    figure = table.one_of("figure", (*SPEEDS, *PER_COMMIT), SPEEDS[0])
    return PointFigure(_point(table, names), figure)


def _steps(table: TomlTable, names: PlanNames) -> Steps:
    table.only(POINT)
    threads = table.wholes("threads")
    if len(threads) < 2 or sorted(set(threads)) != list(threads):
        raise table.wrong("threads", f"is {list(threads)}", "Name at least two numbers of threads, ascending.")
    points = (TomlTable(table.file, table.path, {**table.data, "threads": one}) for one in threads)
    return Steps(tuple(_point(one, names) for one in points))


def _crashes(table: TomlTable, names: PlanNames) -> CrashShare:
    table.only(("variants", "kinds", *COUNTED, "longer_than_ms"))
    if sum(name in table for name in COUNTED) != 1:
        raise table.wrong(
            "", f"needs {' or '.join(COUNTED)}, one of them", 'Write for example checks = ["lost-engine"].'
        )
    of_nodes = (kind for kind in table.texts("kinds") if kind in FAULTS)  # not listed, but known
    return CrashShare(
        variants=table.some_of("variants", names.variants),
        kinds=table.some_of("kinds", (*TRIAL_KINDS, *of_nodes)),
        checks=table.some_of("checks", CHECK_TITLES) if "checks" in table else (),
        lost=table.one_of("lost", get_args(Place)) if "lost" in table else None,
        happened=table.one_of("happened", get_args(Happening)) if "happened" in table else None,
        longer_than_ms=float(table.number("longer_than_ms") or 0),
    )


def _outages(table: TomlTable, names: PlanNames) -> OutageRatio:
    table.only(("variant", "over", "kind"))
    of, over = (_named(table, key, names.variants) for key in ("variant", "over"))
    if of == over:
        raise table.wrong("over", "is the same variant", "Name the variant that it is compared with.")
    return OutageRatio(of, over, table.one_of("kind", FAULTS))


def _flush(table: TomlTable, names: PlanNames) -> FlushFigure:
    table.only(("variant", "figure"))
    return FlushFigure(_named(table, "variant", names.variants), table.one_of("figure", FLUSH_FIGURES))


def _round_trips(table: TomlTable, names: PlanNames) -> RoundTrips:
    table.only(("variants", "rtt_ms", "per_commit", "group_flush_ms", "workload", "threads"))
    variants, delays = table.some_of("variants", names.variants), table.wholes("rtt_ms")
    if len(variants) != len(delays) or len(delays) < 2 or delays[0] != 0 or min(delays[1:]) < 1:
        raise table.wrong("rtt_ms", f"is {list(delays)}", "Give each variant its round trip; the first one has 0.")
    same = {key: table.data[key] for key in ("workload", "threads") if key in table}
    points = [_point(TomlTable(table.file, table.path, {**same, "variant": one}), names) for one in variants]
    trips, flush_ms = table.number("per_commit"), table.number("group_flush_ms")
    delayed = tuple(zip(points[1:], map(float, delays[1:]), strict=True))
    return RoundTrips(points[0], delayed, 1.0 if trips is None else float(trips), float(flush_ms or 0))


PREDICATES: dict[str, Callable[[TomlTable, PlanNames], Predicate]] = {
    "ratio": _ratio,
    "value": _value,
    "steps": _steps,
    "crashes": _crashes,
    "outages": _outages,
    "flush": _flush,
    "round_trips": _round_trips,
}


def _point(table: TomlTable, names: PlanNames) -> At:
    return At(
        variant=_named(table, "variant", names.variants),
        workload=_named(table, "workload", names.workloads),
        threads=_threads(table, names),
    )


def _threads(table: TomlTable, names: PlanNames) -> int:
    only = names.threads[0] if len(names.threads) == 1 else None
    threads = table.whole("threads", only)
    if threads not in names.threads:
        raise table.wrong("threads", f"is {threads}", f"The plan measures: {', '.join(map(str, names.threads))}.")
    return threads


def _named(table: TomlTable, key: str, known: Sequence[str]) -> str:
    """The written name, or the only one there is."""
    return table.one_of(key, known, known[0] if len(known) == 1 else None)
