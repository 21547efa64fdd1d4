"""The finding on a failover: what each kind of replication lost, and how long writes were refused."""

from collections.abc import Callable, Iterable, Sequence

from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.finding import Finding
from dashboard.records.experiments.kind_names import title
from dashboard.text.numbers import duration, whole

MOST_NAMED = 3


def failover_finding(known: Sequence[CrashSetting]) -> Finding:
    """`known`: settings with a verdict, under one fault."""
    told = [one for one in known if one.tally.loss("engine") or not one.tally.stopped] or known
    kept = sorted((one for one in told if not _lost(one.tally)), key=lambda one: one.tally.phantoms)
    costs = "; ".join([*_together(_cost, kept), *_losses([one for one in told if _lost(one.tally)])])
    return Finding(
        f"A {title(known[0].tally.kind)} cost {costs}{_outage(known)}",
        more=(*_stops(known), *_differs(known), *_fallbacks(known)),
    )


def _outage(known: Sequence[CrashSetting]) -> str:
    """The medians of the settings: from the shortest to the longest."""
    refused = [took for one in known if (took := one.tally.back_s) is not None]
    if not refused:
        return ""
    least, most = duration(min(refused)), duration(max(refused))
    if len(refused) == 1:
        return f"; writes were refused for {least} (median)"
    return f"; writes were refused for {least if least == most else f'{least} to {most}'} (medians of the settings)"


def _together(says: Callable[[Tally], tuple[str, str]], known: Iterable[CrashSetting]) -> Iterable[str]:
    """Settings of which the same is said, before and after the name, are named together."""
    names: dict[tuple[str, str], list[str]] = {}
    for one in known:
        names.setdefault(says(one.tally), []).append(one.name)
    for (before, after), same in names.items():
        yield f"{before} with {_named(same)}{after}"


def _named(names: Sequence[str]) -> str:
    """Names may have commas of their own. The matrix lists more than three."""
    if len(names) > MOST_NAMED:
        return f"{len(names)} settings"
    *first, last = [f"“{name}”" if "," in name else name for name in names]
    return f"{', '.join(first)} and {last}" if first else last


def _losses(losing: Sequence[CrashSetting]) -> Iterable[str]:
    """Settings that lost commits: each with its own numbers, or many together."""
    if len(losing) <= MOST_NAMED:
        yield from _together(_cost, sorted(losing, key=lambda one: len(_lost(one.tally))))
        return
    lost = [each for one in losing for each in _lost(one.tally)]
    tried = sum(len(one.tally.decided) for one in losing)
    yield f"{_range(lost)} with {_named([one.name for one in losing])} in {len(lost)} of {tried}"


def _cost(tally: Tally) -> tuple[str, str]:
    loss, lost = tally.loss("engine"), _lost(tally)
    unclear = f", {tally.unknown:,} unclear" if tally.unknown else ""
    if loss is None:
        return "an unknown number of commits", ""
    if not lost and tally.phantoms[0]:
        seen, n = tally.phantoms
        return "no acknowledged commit, but commits that clients had read,", f" in {seen} of {n}{unclear}"
    if not lost:
        return "no acknowledged commit", f" in {loss.rate.n} of {loss.rate.n}{unclear} ({loss.rate.at_most})"
    return _range(lost), f" in {len(lost)} of {loss.rate.n}{unclear}"


def _range(lost: Sequence[int]) -> str:
    least, most = whole(min(lost)), whole(max(lost))
    many = least if least == most else f"{least} to {most}"
    return f"{many} acknowledged {'commit' if many == '1' else 'commits'}"


def _lost(tally: Tally) -> list[int]:
    """Of the trials that lost any."""
    return [lost for trial in tally.decided if (lost := trial.lost("engine"))]


def _stops(known: Sequence[CrashSetting]) -> Iterable[str]:
    def says(tally: Tally) -> tuple[str, str]:
        return "The replica stopped with an error", f" in {tally.stopped} of {len(tally.decided)}."

    return _together(says, (one for one in known if one.tally.stopped))


def _fallbacks(known: Sequence[CrashSetting]) -> Iterable[str]:
    """What is lost after it is no loss of semi-synchronous replication."""

    def says(tally: Tally) -> tuple[str, str]:
        lost = sum(bool(trial.fell_back) for trial in tally.decided if trial.lost("engine"))
        losing = f", and {lost} of these lost commits" if lost else ""
        in_some = f" in {tally.fell_back} of {len(tally.decided)}{losing}."
        return "Semi-synchronous replication had fallen back to asynchronous", in_some

    return _together(says, (one for one in known if one.tally.fell_back))


def _differs(known: Sequence[CrashSetting]) -> Iterable[str]:
    def says(tally: Tally) -> tuple[str, str]:
        in_some = f" in {tally.differs} of {len(tally.decided)}."
        return "The old primary followed without an error, and its rows differ,", in_some

    return _together(says, (one for one in known if one.tally.differs))
