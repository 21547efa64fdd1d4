"""The sentences on top of a page with crash trials: what is lost, what it buys, and whether that can be believed."""

from collections.abc import Sequence

from dashboard.results.crash.detector import detector
from dashboard.results.crash.settings import Setting, settings
from dashboard.results.crash.statistics import finished
from dashboard.results.finding import Finding, compared, pairs
from dashboard.results.headline import headline
from dashboard.results.shown import Shown


def crash_finding(shown: Shown, is_over: bool = True) -> Finding:
    """The first of: detector failed, no verdict, what the settings of the plan's headline lost."""
    trusted = detector(shown.trials)
    if trusted.failed:
        text, _, rest = trusted.says.partition(". ")
        return Finding(text, more=(rest,))
    known = [one for one in settings(shown) if one.tally.invalid.n]
    more = (trusted.says, *_left_over(shown))
    if not known:
        return Finding("No crash trial has a verdict" + ("" if is_over else " yet"), more=more)
    text, further = _told(shown, known)
    return Finding(text, more=(*further, *more))


def _told(shown: Shown, known: Sequence[Setting]) -> tuple[str, list[str]]:
    """The settings of the plan's headline on the first server; where none of the two has a verdict, all that do."""
    main = headline(shown.plan)
    pair = pairs(shown, main)[0]
    here = {one.variant: one for one in known if one.server_id == known[0].server_id}
    asked = [here[name] for name in (main.variant, main.baseline) if name in here]
    first, *others = asked or known
    further = [f"{_says(one)}." for one in others]
    if pair.ratio is None or first.variant != main.variant or not others:
        return _says(first), further
    speed = compared(pair.ratio, pair.names, pair.where)
    if speed and pair.ratio["decision"] == "differs" and pair.ratio["value"] > 1:
        return f"{_with_interval(speed)}, and {first.tally.says}", further
    return _says(first), [*further, *([speed.sentence, *speed.more] if speed else [])]


def _says(one: Setting) -> str:
    return f"{one.name} {one.tally.says}"


def _with_interval(speed: Finding) -> str:
    return f"{speed.text} ({speed.interval})"


def _left_over(shown: Shown) -> list[str]:
    """What was planned but told nothing."""
    planned = [trial for trial in shown.trials if trial.counts]
    unknown = sum(trial.is_unknown for trial in planned)
    missing = len(planned) - finished(planned)
    return [
        sentence
        for count, sentence in (
            (unknown, f"{_trials(unknown)} could not tell, and count{'s' * (unknown == 1)} as failed in upper bounds."),
            (missing, f"{missing} of {len(planned)} trials were not finished."),
        )
        if count
    ]


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"
