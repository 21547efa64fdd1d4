"""The first part of a result page with crash trials: losses, cost, and the recommended setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.findings.costs import DURABLE, FLUSH, SYNC
from dashboard.findings.crash.self_test import SelfTest
from dashboard.findings.crash.statistics import Tally, tallies
from dashboard.findings.finding import Finding, Pair
from dashboard.findings.point import Point
from dashboard.findings.recommendation import Crashes, Option, Recommendation, Speed, recommend
from dashboard.findings.shown import ResultView
from dashboard.records.experiments.crash_kinds import number_of
from dashboard.text.numbers import at, percent, sig
from workers.bench.plan import CONTROLS
from workers.topology.faults import FAULTS


@dataclass(frozen=True)
class Answer:
    """`sentences`: at most two, of loss and of cost; `cost`: the same cost per commit; `more`: what else was found."""

    sentences: tuple[str, ...]
    cost: str
    recommendation: Recommendation | None
    more: tuple[str, ...]


def answer(view: ResultView, found: Finding, checked: SelfTest) -> Answer:
    """`found`: the finding on the crashes. Nothing is recommended after a failed self-test of the checks. Nothing is
    recommended for several servers at once, because a setting may hold on one and fail on another. A passed self-test
    is shown as evidence."""
    first, *others = view.servers
    offered = options(view, first)
    choice = recommend(offered, view.at_threads, view.counts) if not checked.failed and not others else None
    chosen = next((one for one in offered if choice and one.name == choice.option), None)
    held = "" if view.choice.crash_kind in FAULTS else _held(view.choice.crash_kind, chosen)
    said = f"{chosen.name} lost nothing" if chosen else None  # the finding says it of each setting
    told = [one for one in (found.sentence, *found.more) if said is None or not one.startswith(said)]
    second = [found.sentence] if found.sentence in told else []
    known = (*second, checked.says) if checked.state == "passed" else second
    return Answer(
        tuple(filter(None, (held, *second))),
        _cost(offered, chosen, view.at_threads, view.counts),
        choice,
        tuple(one for one in told if one not in known),
    )


def explained(view: ResultView) -> list[Pair]:
    """The pairs of the page. The first variant of each says in words what it flushes."""
    given = {variant.name: variant.settings for variant in view.plan.variants}
    return [
        replace(pair, names=(pair.names[0] + in_words(given.get(pair.main.variant, {})), pair.names[1]))
        for pair in view.pairs
    ]


def in_words(settings: Mapping[str, str]) -> str:
    """What these settings flush at a commit, in brackets; "" if they do not say it for both logs."""
    flush = next((settings[name] for name in FLUSH if name in settings), None)
    if flush is None or SYNC not in settings:
        return ""
    redo, binlog = flush == DURABLE[0], settings[SYNC] == DURABLE[1]
    logs = "both logs" if redo and binlog else "only the redo log" if redo else "only the binary log" if binlog else ""
    return f" ({logs} flushed at each commit)" if logs else " (no log flushed at commit)"


def options(view: ResultView, server_id: int) -> list[Option]:
    """One for each variant of the plan on that server, in the plan's order."""
    known = tallies(view.trials)
    points = {line.variant: line.points for line in view.lines if line.server_id == server_id}
    return [
        Option(
            name=view.clean(variant.name),
            speeds=tuple(_speed(one, view.baseline) for one in points.get(variant.name, ())),
            crashes=tuple(
                _crashes(tally)
                for (server, name, kind), tally in known.items()
                if (server, name) == (server_id, variant.name) and kind not in CONTROLS
            ),
            flushes=_flushes(variant.settings),
            explained=in_words(variant.settings),
            is_yours=variant.name == view.choice.mine,
        )
        for variant in view.plan.variants
    ]


def _speed(point: Point, baseline: str) -> Speed:
    return Speed(point.threads, point.tps, point.lo, point.hi, point.ratio, point.variant == baseline)


def _crashes(tally: Tally) -> Crashes:
    rate, loss = tally.invalid, tally.loss("either")
    lost, median = (loss.rate.k, loss.median) if loss else (0, 0.0)
    return Crashes(tally.kind, rate.n, rate.k, tally.unknown, rate.hi, lost, median)


def _flushes(settings: Mapping[str, str]) -> bool:
    """Whether the variant says that both logs are flushed at every commit."""
    flush = next((settings[name] for name in FLUSH if name in settings), None)
    return (flush, settings.get(SYNC)) == DURABLE


def _held(kind: str, chosen: Option | None) -> str:
    """What the chosen setting survived, under the crash kind that the page shows."""
    if chosen is None:
        return ""
    asked = [each for each in chosen.crashes if each.kind == kind]
    first = (asked or chosen.crashes)[0]
    return f"{chosen.name}{chosen.explained} lost nothing in {number_of(first.kind, first.tried)}."


def _cost(offered: Sequence[Option], chosen: Option | None, threads: int, what: str) -> str:
    """Of the chosen setting against the fastest: milliseconds per commit, and percent of the throughput."""
    here = {one.name: speed for one in offered if (speed := one.speed(threads)) and speed.tps > 0}
    if chosen is None or chosen.name not in here:
        return ""
    mine, fastest = here[chosen.name], max(here, key=lambda name: here[name].tps)
    if not here[fastest].exceeds(mine):
        return f"No other setting is measurably faster than {chosen.name} at {at(threads)}."
    each, best = (f"{sig(1000 * threads / speed.tps, 2)}\N{NO-BREAK SPACE}ms" for speed in (mine, here[fastest]))
    fewer = percent(1 - 1 / here[fastest].times(mine))
    return (
        f"The cost at {at(threads)}: {chosen.name} makes {fewer} fewer {what} per second than {fastest}. "
        f"{'A commit' if what == 'commits' else 'Each'} takes {each} instead of {best}."
    )
