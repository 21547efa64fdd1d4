"""Rounds until enough faults were injected, and what they showed."""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from tests.bench.chaos import controls, rounds
from tests.bench.chaos.faults import FAULTS
from tests.bench.chaos.installation import Installation
from tests.bench.chaos.place import Place
from tests.bench.chaos.plans import SHAPES
from tests.bench.chaos.scene import Fault
from tests.bench.chaos.story import Story

IN_A_ROUND = 4
LONGEST_S, SHORT_LONGEST_S = 20.0, 3.0
# What the tests inject: every kind of part is hit, and no fault takes long to recover from.
SHORT = (
    ("process kills", "sysbench killed", "redis emptied", "database locked", "sandbox killed", "worker asked to end"),
    ("attached", "web killed", "disk full", "target frozen", "redis killed", "beat killed"),
    ("attached, certificate confirmed", "certificate changed", "account renamed", "clock jump", "redis out of memory"),
)  # fmt: skip


@dataclass
class Campaign:
    stories: list[Story] = field(default_factory=list)

    @property
    def faults(self) -> Counter[str]:
        return Counter(name for story in self.stories for name, _ in story.faults)

    @property
    def broken(self) -> list[Story]:
        return [story for story in self.stories if story.broken]


def run(place: Place, asked: argparse.Namespace) -> int:
    if asked.list:
        print("\n".join(FAULTS))
        return 0
    began = time.monotonic()
    installation = Installation(place, asked.workers, SHORT_LONGEST_S if asked.short else LONGEST_S)
    try:
        _tell(f"ready after {time.monotonic() - began:.0f} s")
        campaign = _rounds(installation, asked, began)
        unseen = _controls(installation, campaign)
    finally:
        installation.close()
    print(json.dumps(_report(installation, asked, campaign, unseen, time.monotonic() - began), indent=1))
    return 1 if campaign.broken or unseen else 0


def _rounds(installation: Installation, asked: argparse.Namespace, began: float) -> Campaign:
    campaign, scenes = Campaign(), _scenes(installation, asked)
    while campaign.faults.total() < asked.faults and time.monotonic() - began < 60 * asked.minutes:
        shape, *chosen = next(scenes)
        left = asked.faults - campaign.faults.total()
        number = len(campaign.stories) + 1
        story = rounds.play(installation, number, Random(f"{asked.seed} {number}"), shape, chosen[:left])
        campaign.stories.append(story)
        _tell(_line(story, campaign, time.monotonic() - began))
    return campaign


def _scenes(installation: Installation, asked: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """Shape and faults of each round. The first fault decides the shape."""
    possible = rounds.possible(installation)
    if asked.short:
        yield from ((shape, *filter(possible.get, names)) for shape, *names in SHORT)
    chance = Random(asked.seed)
    wanted = {name: possible[name] for name in asked.only.split(",")} if asked.only else possible
    while True:
        first = _drawn(wanted, chance, 1)
        shape = chance.choice(rounds.shapes_for(wanted[first[0]]))
        fitting = {name: fault for name, fault in wanted.items() if fault.fits(SHAPES[shape])}
        yield shape, *first, *_drawn(fitting, chance, IN_A_ROUND - 1)


def _drawn(faults: Mapping[str, Fault], chance: Random, count: int) -> list[str]:
    return chance.choices(list(faults), [fault.weight for fault in faults.values()], k=count)


def _controls(installation: Installation, campaign: Campaign) -> list[str]:
    """On the last round with cells that broke nothing."""
    whole = [story for story in campaign.stories if not story.broken and story.measured]
    return controls.unseen(installation, whole[-1]) if whole else ["no round was whole: nothing to break on purpose"]


def _line(story: Story, campaign: Campaign, seconds: float) -> str:
    faults = "; ".join(f"{name}: {note}" for name, note in story.faults)
    ending = f"BROKEN {json.dumps(story.broken)}" if story.broken else f"all hold, {story.resumes} resumes"
    noted = f", tracebacks {json.dumps(story.tracebacks)}" if story.tracebacks else ""
    return f"{seconds:.0f} s, {campaign.faults.total()} faults, {story.shape}: {faults}: {ending}{noted}"


def _report(
    installation: Installation, asked: argparse.Namespace, campaign: Campaign, unseen: list[str], seconds: float
) -> dict[str, object]:
    missing = {name: why for name, fault in FAULTS.items() if (why := fault.missing(installation))}
    return {
        "seed": asked.seed,
        "database": "PostgreSQL" if asked.postgresql else "SQLite",
        "workers": asked.workers,
        "seconds": round(seconds),
        "rounds": len(campaign.stories),
        "faults": campaign.faults.total(),
        "by_kind": dict(sorted(campaign.faults.items())),
        "nothing_to_hit": sum(len(story.missed) for story in campaign.stories),
        "not_possible_here": missing,
        "broken": [
            {"round": story.number, "shape": story.shape, "faults": story.faults, "broken": story.broken}
            for story in campaign.broken
        ],
        "controls_unseen": unseen,
    }


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
