"""The first part of a result page: losses, cost, and the recommended setting or why there is none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.findings.crash.self_test import SelfTest
from dashboard.findings.crash.statistics import Tally, tallies
from dashboard.findings.finding import TOO_FEW, Finding
from dashboard.findings.flushing import is_durable
from dashboard.findings.headline import headline
from dashboard.findings.point import Point
from dashboard.findings.present import untested
from dashboard.findings.recommendation import Crashes, Option, Recommendation, Speed, recommend, where_tried
from dashboard.findings.result.choice import NOT_MEASURED, Choice, SafetyCost, choose
from dashboard.findings.shown import ResultView
from dashboard.records.experiments.kind_names import HISTORIES
from dashboard.text.numbers import CONFIDENCE, at, percent, sig
from dashboard.text.ratios import is_wide
from dashboard.text.words import listed
from workers.analysis.statistics import Estimate
from workers.bench.plan import CONTROLS, CrashPlan
from workers.crash.points.story import PointCounts
from workers.topology.faults import FAULTS

SEVERAL = Recommendation(
    "No setting is recommended for several servers at once.",
    ("A setting can hold on one server and lose commits on another. Choose one server to see what fits it.",),
    is_open=True,
)


@dataclass(frozen=True)
class ResultAnswer:
    """`sentences`: with crash trials at most two, of loss and of cost; `cost`: the same cost per commit; `more`: what
    else was found; `doubt`: why the speed is in doubt, "" if it is not; `choice`: the same as values."""

    sentences: tuple[str, ...]
    cost: str
    recommendation: Recommendation | None
    more: tuple[str, ...]
    doubt: str = ""
    choice: Choice = NOT_MEASURED


def answer(view: ResultView, found: Finding, checked: SelfTest) -> ResultAnswer:
    """`found`: the finding on the crashes. Nothing is recommended after a failed self-test of the checks, and nothing
    for several servers at once. A passed self-test is shown as evidence."""
    first, *others = view.servers
    offered = options(view, first)
    one = recommend(offered, view.at_threads, view.counts, crash_load(view.plan.crash))
    choice = None if checked.failed else SEVERAL if others else one
    chosen = next((one for one in offered if choice and one.name == choice.option), None)
    kind = view.choice.crash_kind
    held = "" if kind in FAULTS else _held(kind, chosen) or _none_held(choice, offered)
    said = f"{chosen.name} lost nothing" if chosen else None  # the finding says it of each setting
    told = [one for one in (found.sentence, *found.more) if said is None or not one.startswith(said)]
    second = [found.sentence] if found.sentence in told else []
    known = (*second, checked.says) if checked.state == "passed" else second
    return ResultAnswer(
        tuple(filter(None, (held, *second))),
        _cost(offered, chosen, view),
        choice,
        (*_doubts(view), *_untested(view), *(one for one in told if one not in known)),
        _doubt(view),
        choice_of(offered, view, checked),
    )


def choice_of(offered: Sequence[Option], view: ResultView, checked: SelfTest) -> Choice:
    made = choose(offered, view.at_threads, len(view.servers), checked.failed)
    chosen = next((one for one in offered if one.name == made.setting), None)
    return replace(made, cost=cost_of(offered, chosen, view)) if chosen else made


def crash_load(crash: CrashPlan) -> str:
    """What the clients of the crash trials did."""
    own = "committed an own transaction and " if crash.own_load else ""
    rows = f"clients {own}inserted rows" if set(crash.kinds) - HISTORIES else ""
    histories = "short series of statements were run" if HISTORIES.intersection(crash.kinds) else ""
    return listed([one for one in (rows, histories) if one])


def answer_without_crashes(view: ResultView, found: Finding) -> ResultAnswer:
    """`found`: the finding on the load. Speed alone recommends nothing: it does not say what a crash takes."""
    first, *others = view.servers
    if not view.points:
        return ResultAnswer(found.sentences, "", None, ())
    offered = options(view, first)
    baselines = (one for one in offered if (speed := one.speed(view.at_threads)) and speed.is_baseline)
    safest = next((one for one in offered if one.flushes), None) or next(baselines, None)
    cost = _cost(offered, safest, view) if len(offered) > 1 and not others else ""
    present = next((one.name for one in offered if one.is_yours), "") if not others else ""
    reasons = (
        f"The present setting of the server is {present}." if present else "",
        "Next: run this again on a sandbox, with power losses and crash points.",
    )
    choice = "No crash was tried: what each setting loses is not known."
    open_ = Recommendation(choice, tuple(filter(None, reasons)), is_open=True)
    paid = cost_of(offered, safest, view) if cost and safest else None
    return ResultAnswer(found.sentences, cost, open_, (), _doubt(view), Choice("not tried", cost=paid))


def _doubt(view: ResultView) -> str:
    """The first contradiction between measurements at the number of threads of the page."""
    here = ((line.name, one) for line in view.lines for one in line.points if one.threads == view.at_threads)
    said = ((name, one.contradictions[0].says) for name, one in here if one.contradictions)
    name, says = next(said, ("", ""))
    where = f"{name}, {at(view.at_threads)}"
    return f"The speed is in doubt: measurements contradict each other. {where}: {view.clean(says)}" if says else ""


def _doubts(view: ResultView) -> list[str]:
    """What a reader of the first sentences may ask: how firm a wide interval is."""
    ratios = [(pair.ratio, pair.measured) for pair in view.pairs if pair.ratio and pair.ratio.decision == "differs"]
    wide = [measured for ratio, measured in ratios if ratio.lo and ratio.hi and is_wide(ratio.lo, ratio.hi)]
    repeats = dict.fromkeys(min(point.repeats for _, point in measured) for measured in wide)
    return [
        "The confidence interval of the ratio is wide, because each setting was measured "
        f"{'once' if least == 1 else f'{least:,} times'}. More repeats narrow it."
        for least in repeats
    ]


def _untested(view: ResultView) -> list[str]:
    """The present settings of the only shown server, if no variant has them."""
    (server_id, *others) = view.servers
    has = "" if others else untested(view.plan, server_id)
    return [f"The present setting of the server ({has}) was not tested."] if has else []


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
            flushes=is_durable(variant.settings),
            is_yours=variant.name == view.mine[server_id],
        )
        for variant in view.plan.variants
    ]


def _speed(point: Point, baseline: str) -> Speed:
    return Speed(point.threads, point.tps, point.lo, point.hi, point.ratio, point.variant == baseline)


def _crashes(tally: Tally) -> Crashes:
    hit = {one.id for one in tally.hit}
    spared = [one for one in tally.decided if one.id not in hit]
    points, phantoms = tally.points or PointCounts(tried=0, failed=0, lost=0), sum(bool(one.phantoms) for one in spared)
    return Crashes(
        kind=tally.kind,
        tried=tally.invalid.n,
        failed=tally.invalid.k,
        unclear=tally.unknown,
        most=tally.invalid.hi,
        lost=len(tally.hit),
        points=points.tried,
        points_lost=points.lost,
        points_found=tally.points_found,
        points_uncounted=points.uncounted,
        stopped=tally.stopped,
        phantoms=phantoms if tally.phantoms[1] else None,
        differs=sum(not one.is_of_replica and bool(one.rejoin_differs) for one in spared),
    )


def _held(kind: str, chosen: Option | None) -> str:
    """What the chosen setting survived: the crash kind that the page shows, and recorded loads."""
    if chosen is None:
        return ""
    asked = [each for each in chosen.crashes if each.kind == kind]
    first = (asked or chosen.crashes)[0]
    recorded = [each for each in chosen.crashes if each.points and each is not first]
    return f"{chosen.name} lost nothing {where_tried([first, *recorded])}."


def _none_held(choice: Recommendation | None, offered: Sequence[Option]) -> str:
    """Beside "but lost commits" of one setting, the others would look safe."""
    lost = [one.name for one in offered if one.lost]
    if choice is None or choice.option or len(lost) < 2:
        return ""
    all_of = "All tested settings" if len(lost) == len(offered) else listed(lost)
    unclear = [one.name for one in offered if not one.lost and any(each.unclear for each in one.crashes)]
    open_ = f" Whether {listed(unclear)} {'loses' if len(unclear) == 1 else 'lose'} any is unclear." if unclear else ""
    return f"{all_of} lost acknowledged commits.{open_}"


def _cost(offered: Sequence[Option], chosen: Option | None, view: ResultView) -> str:
    """Of the chosen setting against the fastest: milliseconds per commit, and the difference."""
    threads, what = view.at_threads, view.counts
    here = _speeds(offered, threads)
    if chosen is None or chosen.name not in here:
        return ""
    mine = here[chosen.name]
    makes = f"At {at(threads)} {chosen.name} makes {sig(mine.tps)} {what} per second"
    cost = cost_of(offered, chosen, view)
    if cost is None:
        if any(speed.may_exceed(mine) for speed in here.values()):
            return f"What {chosen.name} costs at {at(threads)} is not yet clear. Measure more repeats."
        if not all(speed.is_comparable(mine) for name, speed in here.items() if name != chosen.name):
            return f"What {chosen.name} costs at {at(threads)} is not known: measured too rarely. {TOO_FEW}"
        return f"{makes}. No other setting is proven to be faster there."
    each = 1000 * threads / mine.tps
    one = "A commit" if what == "commits" else f"One of the {what}"
    took = f"{one} takes {_ms(each)} on average, with {cost.rival} about {_ms(each * (1 - cost.share.value))}."
    fewer = f"{percent(cost.share.value)} fewer than {cost.rival}{_within(cost.share, percent)}"
    more = f" {chosen.name} costs {_ms(cost.ms.value)} more per commit than {cost.rival}{_within(cost.ms, _ms)}."
    return f"{makes}, {fewer}. {took}{more if cost.ms.value > 0 else ''}"


def cost_of(offered: Sequence[Option], chosen: Option, view: ResultView) -> SafetyCost | None:
    """None: no setting is proven to be faster. The interval of the milliseconds is that of the ratio, at the mean time;
    they follow from the shown times, so that a reader can check them."""
    here = _speeds(offered, view.at_threads)
    if chosen.name not in here:
        return None
    mine, rival = here[chosen.name], _rival(here, chosen.name, headline(view.plan).variant)
    if not here[rival].exceeds(mine):
        return None
    share = _share(here[rival].times(mine))
    each = 1000 * view.at_threads / mine.tps
    more = float(f"{each:.1e}") - float(f"{each * (1 - share.value):.1e}")
    lo, hi = (None if end is None else each * end for end in (share.lo, share.hi))
    return SafetyCost(chosen.name, rival, view.at_threads, mine.tps, share, Estimate(more, lo, hi))


def _speeds(offered: Sequence[Option], threads: int) -> dict[str, Speed]:
    return {one.name: speed for one in offered if (speed := one.speed(threads)) and speed.tps > 0}


def _share(ratio: Estimate) -> Estimate:
    """Of the commits of the faster setting, or of the time of a commit of the slower one: the same share."""
    ends = (1 - 1 / ratio.lo, 1 - 1 / ratio.hi) if ratio.lo and ratio.hi else (None, None)
    return Estimate(1 - 1 / ratio.value, *ends)


def _within(share: Estimate, told: Callable[[float], str]) -> str:
    """ "" where no interval is known."""
    if share.lo is None or share.hi is None:
        return ""
    return f" ({CONFIDENCE} confidence interval {told(share.lo)} to {told(share.hi)})"


def _rival(here: Mapping[str, Speed], chosen: str, of_headline: str) -> str:
    """The fastest; or the setting of the first sentence, if that is proven to be faster than the chosen one, and no
    other to be faster still."""
    fastest = max(here, key=lambda name: here[name].tps)
    named = here.get(of_headline)
    return of_headline if named and named.exceeds(here[chosen]) and not here[fastest].exceeds(named) else fastest


def _ms(value: float) -> str:
    return f"{sig(value, 2)}\N{NO-BREAK SPACE}ms"
