"""How often is a change suspected or told that was none, and after how many nights one that was?

    python tests/bench/change_points.py [series]

Nights looked at one after the other as `dashboard.history.changes` does: what is found is measured again, and told when
that confirms it. Noise is independent, correlates from night to night by 0.3 or 0.6, or has rare nights far away.
Prints the series of 60 nights without a change in which something was suspected, and told; and for steps of so many
standard deviations after 15 and 30 calm nights, how many are told within 20 nights, and after how many.
"""

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from workers.analysis.change_points import NEAR, change_points, confirms

SEED = 7
CALM, PATIENCE, STEPS_TRIED = 60, 20, 60
NOISE = ("independent", "AR(1) 0.3", "AR(1) 0.6", "skewed", "rare outliers")


def main() -> None:
    series = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{series} series of {CALM} nights in which nothing changed, seed {SEED}: series with")
    for kind in NOISE:
        rng = np.random.default_rng(SEED)
        runs = [nights(noise(rng, kind), CALM) for _ in range(series)]
        suspected, told = (sum(bool(run[which]) for run in runs) for which in (0, 1))
        print(f"{kind:<14} a suspicion {100 * suspected / series:.2f} %, false news {100 * told / series:.2f} %")
    for kind in ("independent", "AR(1) 0.6"):
        for before in (15, 30):
            for step in (3.0, 5.0, 8.0):
                _step(kind, before, step)


def _step(kind: str, before: int, step: float) -> None:
    rng = np.random.default_rng(SEED)
    waits = []
    for _ in range(STEPS_TRIED):
        told = [night for night in nights(noise(rng, kind), before + PATIENCE, before, step)[1] if night >= before]
        waits += [told[0] - before + 1] if told else []
    middle = f", after {statistics.median(waits):.0f} nights, at most {max(waits)}" if waits else ""
    share = 100 * len(waits) / STEPS_TRIED
    print(f"{kind}, a step of {step:.0f} sd after {before} nights: {share:.1f} % told within {PATIENCE}{middle}")


def noise(rng: np.random.Generator, kind: str) -> Iterator[float]:
    """Values of variance 1, but for the last two kinds."""
    correlation = float(kind.split()[1]) if kind.startswith("AR") else 0.0
    last = rng.normal()
    while True:
        if kind == "skewed":
            yield rng.lognormal(sigma=1.0)
        elif kind == "rare outliers":
            yield rng.standard_t(3)
        else:
            yield last
            last = correlation * last + np.sqrt(1 - correlation**2) * rng.normal()


def nights(
    values_of: Iterator[float], count: int, change: int = 10**6, step: float = 0.0
) -> tuple[list[int], list[int]]:
    """The nights on which something was suspected, and those on which it was told."""
    values: list[float] = []
    dismissed: dict[int, int] = {}  # place -> nights after it when it was not confirmed
    begin, suspected, told = 0, [], []
    for night in range(count):
        values.append(next(values_of) + step * (night >= change))
        for point in change_points(values[begin:]):
            place = begin + point.at
            near = [one for one in dismissed if abs(one - place) <= NEAR]
            if near and len(values) - place < 2 * dismissed[near[0]]:
                continue
            suspected.append(night)
            values.append(next(values_of) + step * (night >= change))
            if confirms(values[begin:], point.at):
                told.append(night)
                begin = place
            else:
                dismissed = {one: since for one, since in dismissed.items() if one not in near}
                dismissed[place] = len(values) - place
            break
    return suspected, told


if __name__ == "__main__":
    main()
