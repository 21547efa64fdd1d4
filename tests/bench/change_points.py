"""How often is a change told that was none, and after how many nights one that was?

    python tests/bench/change_points.py [series]

Nights of normal noise, looked at every night as `dashboard.history.changes` does: what is found is measured again, and
told when that confirms it. Prints suspicions and false news per series and year, and for steps of so many standard
deviations after 15 and 30 calm nights, the nights until they are told.
"""

import statistics
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from workers.analysis.change_points import NEAR, change_points, holds

YEAR, CALM, PATIENCE = 365, 180, 20


def main() -> None:
    series = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rng = np.random.default_rng(7)
    runs = [nights(rng, CALM) for _ in range(series)]
    years = series * CALM / YEAR
    suspected, told = (sum(len(run[which]) for run in runs) for which in (0, 1))
    print(f"{years:.0f} calm years: {suspected / years:.2f} suspicions and {told / years:.2f} false news a year")
    for before in (15, 30):
        for step in (1.5, 3.0, 5.0):
            _step(rng, before, step)


def _step(rng: np.random.Generator, before: int, step: float) -> None:
    waits = []
    for _ in range(20):
        told = [night for night in nights(rng, before + PATIENCE, before, step)[1] if night >= before]
        waits.append(told[0] - before + 1 if told else None)
    known = [wait for wait in waits if wait]
    middle = f"{statistics.median(known):.0f} nights, at most {max(known)}" if known else "never"
    print(
        f"step of {step} sd after {before} nights: told after {middle}; "
        f"not within {PATIENCE}: {waits.count(None)} of 20"
    )


def nights(rng: np.random.Generator, count: int, change: int = 10**6, step: float = 0.0) -> tuple[list[int], list[int]]:
    """The nights on which something was suspected, and those on which it was told."""
    values: list[float] = []
    dismissed: dict[int, int] = {}  # place -> nights after it when it was not confirmed
    begin, suspected, told = 0, [], []
    for night in range(count):
        values.append(rng.normal() + step * (night >= change))
        for point in change_points(values[begin:]):
            place = begin + point.at
            near = [one for one in dismissed if abs(one - place) <= NEAR]
            if near and len(values) - place < 2 * dismissed[near[0]]:
                continue
            suspected.append(night)
            values.append(rng.normal() + step * (night >= change))
            if holds(values[begin:], point.at):
                told.append(night)
                begin = place
            else:
                dismissed = {one: since for one, since in dismissed.items() if one not in near}
                dismissed[place] = len(values) - place
            break
    return suspected, told


if __name__ == "__main__":
    main()
