"""Variants on servers: their names, colours and dashes, with their measured points."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dashboard.findings.fitted import LineModels
from dashboard.findings.grouped import grouped
from dashboard.findings.looks import Look, by_place, repeated
from dashboard.findings.point import Point
from workers.bench.plan import Plan


@dataclass(frozen=True)
class VariantPlace:
    """A variant on a server. The plan decides colour and dash, whatever is shown or hidden: each variant has a colour,
    each server a dash."""

    variant: str
    server_id: int
    name: str
    colour: int
    dash: int


@dataclass(frozen=True)
class VariantLine(VariantPlace):
    """One line of a chart. `points` ascend by threads; `models`: fitted to them."""

    points: tuple[Point, ...]
    models: LineModels


def places(plan: Plan, servers: Mapping[int, str], several: bool, clean: Callable[[str], str]) -> list[VariantPlace]:
    """In the plan's order, for `servers`: id -> name. `several`: the server's name is part of the variant's."""
    every = [(variant.name, target.server_id) for variant in plan.variants for target in plan.targets]
    of = {pk: f", {name}" if several else "" for pk, name in servers.items()}
    return [
        VariantPlace(variant, server, f"{clean(variant)}{of[server]}", look.colour, look.dash)
        for (variant, server), look in zip(every, repeated([variant for variant, _ in every]), strict=True)
        if server in servers
    ]


def looks_of(plan: Plan, server_id: int) -> dict[str, Look]:
    """Variant -> its look on that server, as the result page draws it."""
    shown = places(plan, {server_id: ""}, several=False, clean=str)
    return {one.variant: Look(one.colour, one.dash) for one in shown}


def look_of(plan: Plan, variant: str, server_id: int) -> Look:
    """The first look where the plan does not have it."""
    return looks_of(plan, server_id).get(variant, by_place(0))


def lines(shown: Iterable[VariantPlace], points: Iterable[Point], models: Iterable[LineModels]) -> list[VariantLine]:
    """For each place that has points. `points` and `models`: of one workload."""
    ascending = sorted(points, key=lambda one: one.threads)
    found = grouped(((one.variant, one.server_id), one) for one in ascending)
    known = {(one.variant, one.server_id): one for one in models}
    return [
        VariantLine(**vars(place), points=tuple(found[key]), models=known[key])
        for place in shown
        if (key := (place.variant, place.server_id)) in found
    ]


def points_of(shown: Iterable[VariantLine]) -> list[Point]:
    return [point for line in shown for point in line.points]


def threads_of(shown: Iterable[VariantLine]) -> list[int]:
    return sorted({point.threads for point in points_of(shown)})
