"""The finding on a failover: what each kind of replication lost, and how long writes were refused."""

from collections.abc import Callable, Iterable, Sequence

from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.finding import Finding
from dashboard.findings.grouped import grouped
from dashboard.records.experiments.kind_names import title
from dashboard.text.numbers import duration, whole

MOST_NAMED = 3
FELL_BACK = "Semi-synchronous replication had fallen back to asynchronous"


def failover_finding(known: Sequence[CrashSetting]) -> Finding:
    """`known`: settings with a verdict, under one fault."""
    told = [one for one in known if one.tally.loss("engine") or not one.tally.stopped] or known
    kept = sorted((one for one in told if not _lost(one.tally)), key=lambda one: one.tally.phantoms)
    costs = "; ".join([*_together(_cost, kept), *_losses([one for one in told if _lost(one.tally)])])
    return Finding(
        f"A {title(known[0].tally.kind)} cost {costs}{_outage(known)}",
        more=(
            *_in_some(known, "The replica stopped with an error", lambda tally: tally.stopped),
            *_in_some(
                known, "The old primary followed without an error, and its rows differ,", lambda tally: tally.differs
            ),
            *_in_some(known, FELL_BACK, lambda tally: tally.fell_back, _losing),
        ),
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
    for (before, after), names in grouped((says(one.tally), one.name) for one in known).items():
        yield f"{before} with {_named(names)}{after}"


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


def _in_some(
    known: Sequence[CrashSetting],
    before: str,
    count: Callable[[Tally], int],
    after: Callable[[Tally], str] = lambda tally: "",
) -> Iterable[str]:
    def says(tally: Tally) -> tuple[str, str]:
        return before, f" in {count(tally)} of {len(tally.decided)}{after(tally)}."

    return _together(says, (one for one in known if count(one.tally)))


def _losing(tally: Tally) -> str:
    """What is lost after a fallback is no loss of semi-synchronous replication."""
    lost = sum(bool(trial.fell_back) for trial in tally.decided if trial.lost("engine"))
    return f", and {lost} of these lost commits" if lost else ""
