"""The first sentences of a result with crash trials: losses, speed, and the self-test of the checks."""

from collections.abc import Sequence

from dashboard.findings.crash.failover import failover_finding
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import finished
from dashboard.findings.crash.trials import WITH_REPLICA, Tried
from dashboard.findings.finding import Finding, Pair, compared
from dashboard.findings.grouped import grouped
from dashboard.records.experiments.kind_names import singular
from dashboard.text.numbers import CONFIDENCE
from dashboard.text.words import listed
from workers.topology.faults import FAULTS


def crash_finding(
    settings: Sequence[CrashSetting], trials: Sequence[Tried], pairs: Sequence[Pair], is_over: bool
) -> Finding:
    """In this order: the self-test failed; no trial has a verdict; the losses of the settings in the plan's
    headline."""
    trusted = self_test(trials)
    if trusted.failed:
        text, _, rest = trusted.says.partition(". ")
        return Finding(text, more=(rest,))
    known = [one for one in settings if one.tally.invalid.n]
    more = (trusted.says, *_left_over(trials))
    if not known:
        return Finding("No crash trial has a verdict" + ("" if is_over else " yet"), more=more)
    told = failover_finding(known) if known[0].tally.kind in FAULTS else _told(known, pairs, is_over)
    crashed = {(trial.server_id, trial.variant) for trial in trials if trial.kind in WITH_REPLICA and trial.verdict}
    alone = [one for one in known if (one.place.server_id, one.place.variant) not in crashed]
    return Finding(told.text, more=(*told.more, *_of_replicas(alone), *more))


def _told(known: Sequence[CrashSetting], pairs: Sequence[Pair], is_over: bool) -> Finding:
    """About the first server that has a verdict. Each other server gets a sentence."""
    places = [(pair, [one for one in known if one.place.server_id == pair.server_id]) for pair in pairs]
    first, *others = (_on_one_server(pair, here) for pair, here in places if here)
    nothing = "no crash trial has a verdict" + ("" if is_over else " yet")
    undecided = [f"On {pair.server} {nothing}." for pair, here in places if not here]
    return Finding(first.text, more=(*first.more, *(other.sentence for other in others), *undecided))


def _on_one_server(pair: Pair, known: Sequence[CrashSetting]) -> Finding:
    """The settings of the plan's headline; if none of the two has a verdict, all that have one."""
    main, here = pair.main, {one.place.variant: one for one in known}
    asked = [here[name] for name in (main.variant, main.baseline) if name in here]
    first, *others = asked or known
    further = [f"{one.says}." for one in others]
    if pair.ratio is None or first.place.variant != main.variant or not others:
        return Finding(first.says, more=tuple(further))
    speed = compared(pair.ratio, pair.names, pair.where)
    if speed and pair.ratio.decision == "differs" and pair.ratio.value > 1:
        text = f"{speed.text} ({CONFIDENCE} confidence interval {speed.interval}), but {first.outcome}"
        return Finding(text, more=tuple(further))
    if speed is None:
        return Finding(first.says, more=tuple(further))
    if pair.ratio.decision == "differs":  # and the safer one is faster
        return Finding(first.says, more=(*further, *speed.sentences))
    return Finding(f"{first.says}; {speed.text[0].lower()}{speed.text[1:]}", more=(*further, *speed.more))


def _of_replicas(known: Sequence[CrashSetting]) -> list[str]:
    """How a replica can differ after a crash, where none was tried: the settings of which the same is true together."""
    told = ((singular(one.tally.kind), one.tally.of_a_replica, one.name) for one in known)
    names = grouped(((crash, says), name) for crash, says, name in told if says)
    return [
        f"Concluded, not tested: after a {crash} with {listed(list(dict.fromkeys(which)))} {says}."
        for (crash, says), which in names.items()
    ]


def _left_over(trials: Sequence[Tried]) -> list[str]:
    """Planned trials without a verdict."""
    planned = [trial for trial in trials if trial.counts]
    unknown = sum(trial.is_unknown for trial in planned)
    missing = len(planned) - finished(planned)
    one_of = "It may have" if unknown == 1 else "Each may have"
    count = "1 trial is" if unknown == 1 else f"{unknown} trials are"
    found = [f"{count} unclear. {one_of} lost commits or not; the percentages allow for both."] if unknown else []
    return found + ([f"{missing} of {len(planned)} trials were not finished."] if missing else [])
