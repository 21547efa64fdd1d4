"""The part of a trial's page that only a recorded load has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dashboard.charts.crash_map import CrashMap, crash_map, look_of
from dashboard.findings.crash import recorded
from dashboard.findings.crash.trials import ANY_ENGINE
from dashboard.findings.tested import check_title, naming
from dashboard.pages.results.crash.minimal_evidence import (
    MinimalEvidence,
    checks_in_words,
    evidence,
    on_disk,
    prevention,
    size_of,
)
from dashboard.text.numbers import duration, whole
from workers.crash.points.exhaust import MOST_SUBSETS, MOST_UNFLUSHED
from workers.crash.points.story import (
    FIRST_UNTRIED,
    KILL_POINT,
    KeptPoint,
    KeptRecording,
    PointsStory,
    TriedState,
    noun_of,
)
from workers.crash.points.untried import UntriedPoint
from workers.crash.points.violations import MOST_KEPT
from workers.crash.verdict import CheckResult

SHOWN = 50  # violations in the table
PLACES = ("lost_engine", "lost_binlog", "lost_replica")


@dataclass(frozen=True)
class ViolationRow:
    """A crash point at which a check did not pass."""

    look: str
    outcome: str
    at_s: float
    moment: int
    disk: str
    chosen: str
    engine: int | None
    binlog: int | None
    replica: int | None
    says: tuple[tuple[str, str], ...]
    log: str


@dataclass(frozen=True)
class KeptView:
    """`whose`: the load or history that it belongs to; "" for the load of the trial. `lacks`: why it has no archive."""

    number: int
    whose: str
    at_s: float
    disk: str
    checks: str
    n_bytes: int
    lacks: str


@dataclass(frozen=True)
class WayRow:
    """Crash points that were chosen in one way, or those of one small history."""

    title: str
    tried: int
    failed: int
    unclear: int


@dataclass(frozen=True)
class LoadView:
    """`noun`: crash point, or kill point; `left`: those that were not tried; `untried`: those that are shown;
    `worst_at`: the worst crash point of each place, in words; `all_before`: places that kept no commit from before
    it; `archives`: of which histories, if some that recovered wrong have none."""

    noun: str
    sentence: str
    drawn: CrashMap
    ways: tuple[WayRow, ...]
    prevention: tuple[MinimalEvidence, ...]
    deciding: tuple[MinimalEvidence, ...]
    kept: tuple[KeptView, ...]
    recording: KeptRecording | None
    violations: tuple[ViolationRow, ...]
    more: int
    left: int
    untried: tuple[UntriedPoint, ...]
    facts: tuple[tuple[str, str], ...]
    worst_at: Mapping[str, str]
    all_before: frozenset[str]
    archives: str

    @property
    def killed(self) -> bool:
        return self.noun == KILL_POINT


def view(story: PointsStory, engine: str = ANY_ENGINE) -> LoadView:
    """`engine`: its name."""
    noun = noun_of(story.states)
    lost_from = {place: [one for one in story.states if _lost_from(place, one)[0]] for place in PLACES}
    worst = {place: max(lost, key=partial(_lost_from, place)) for place, lost in lost_from.items() if lost}
    first = [id(one) for one in worst.values()]
    bad = [one for one in story.states if one.verdict != "valid"]
    bad.sort(key=lambda one: (id(one) not in first, *_worst_first(one)))
    return LoadView(
        noun=noun,
        sentence=sentence(story),
        drawn=crash_map(story.states),
        ways=tuple(_ways(story.states)),
        prevention=tuple(prevention(story, engine)),
        deciding=tuple(evidence(story, engine)),
        kept=tuple(_kept(one, engine) for one in story.kept),
        recording=story.recording,
        archives=_archives(story),
        violations=tuple(_violation(one, engine) for one in bad[:SHOWN]),
        more=max(0, len(bad) - SHOWN),
        left=story.left,
        untried=tuple(replace(one, keeps=on_disk(one.keeps)) for one in story.untried[:FIRST_UNTRIED]),
        facts=tuple((name, says) for name, says in _facts(story) if says),
        worst_at={place: _moment(one) for place, one in worst.items()},
        all_before=frozenset(place for place, one in worst.items() if _lost_from(place, one)[0] == one.acknowledged),
    )


def _moment(state: TriedState) -> str:
    return f"{state.at_s:.4f} s, with {whole(state.acknowledged)} acknowledged until then"


def sentence(story: PointsStory) -> str:
    """Without its full stop."""
    counted = any(one.lost_engine or one.lost_binlog or one.lost_replica for one in story.states)
    most = max(map(_lost, story.states)) if counted else None
    text = recorded.says(story.counts, 1, most, _histories(story), noun_of(story.states))
    return f"{text[0].upper()}{text[1:]}"


def _histories(story: PointsStory) -> str:
    """How many were played, in words; "" of a recorded load."""
    played = len({state.way for state in story.states}) if story.windows else 0
    return f"{played} histor{'y' if played == 1 else 'ies'}" if played else ""


def _ways(states: Sequence[TriedState]) -> Iterator[WayRow]:
    """In the order of their first crash points."""
    for way in dict.fromkeys(state.way for state in states):
        verdicts = [state.verdict for state in states if state.way == way]
        yield WayRow(way, len(verdicts), verdicts.count("invalid"), verdicts.count("unknown"))


def _lost_from(place: str, state: TriedState) -> tuple[int, float]:
    lost = getattr(state, place)
    return (lost.transactions, lost.ms) if lost else (0, 0.0)


def _worst_first(state: TriedState) -> tuple[bool, int, float]:
    return state.verdict != "invalid", -_lost(state), state.at_s


def _lost(state: TriedState) -> int:
    known = (state.lost_engine, state.lost_binlog, state.lost_replica)
    return max((one.transactions for one in known if one), default=0)


def _violation(state: TriedState, engine: str) -> ViolationRow:
    return ViolationRow(
        look=look_of(state),
        outcome="failed" if state.verdict == "invalid" else "unclear",
        at_s=state.at_s,
        moment=state.moment,
        disk=on_disk(state.keeps),
        chosen=state.way,
        engine=state.lost_engine.transactions if state.lost_engine else None,
        binlog=state.lost_binlog.transactions if state.lost_binlog else None,
        replica=state.lost_replica.transactions if state.lost_replica else None,
        says=tuple((check_title(one.key, engine), naming(engine, one.says)) for one in _telling(state)),
        log="\n".join(state.log_lines),
    )


def _kept(point: KeptPoint, engine: str) -> KeptView:
    return KeptView(
        number=point.number,
        whose=_whose(point),
        at_s=point.at_s,
        disk=on_disk(point.keeps),
        checks=checks_in_words(point.checks, engine),
        n_bytes=point.n_bytes,
        lacks=point.lacks,
    )


def _whose(point: KeptPoint) -> str:
    if point.history:
        return f"the history “{point.history}”"
    return f"the load of {size_of(point.clients, point.commits)}" if point.clients else ""


def _telling(state: TriedState) -> Sequence[CheckResult]:
    """A server that stays down leaves many checks unclear: those that failed are enough."""
    return [one for one in state.checks if one.outcome == "invalid"] or state.checks


def _subsets(story: PointsStory) -> str:
    """What "all states" means for small histories."""
    if not story.windows:
        return ""
    full = f"{whole(story.windows - story.sampled)} of {whole(story.windows)}"
    times = f"All subsets of the unflushed writes, at {full} times between two flushes"
    drawn = f"; of more than {MOST_UNFLUSHED} writes, {MOST_SUBSETS} random subsets" if story.sampled else ""
    return f"{times}{drawn}. A write gets through whole or not at all"


def _archives(story: PointsStory) -> str:
    """Of small histories, if not all that recovered wrong have one."""
    wrong = len({state.way for state in story.states if state.verdict == "invalid"}) if story.windows else 0
    return f"of the first {MOST_KEPT} of the {wrong} histories that recovered wrong" if wrong > MOST_KEPT else ""


def _margin(story: PointsStory) -> str:
    return f"{1e6 * story.margin_s:.0f} µs. Commits acknowledged within it are in doubt" if story.margin_s else ""


def _facts(story: PointsStory) -> Sequence[tuple[str, str]]:
    tried = len(story.states)
    found = f"{whole(tried)} of {whole(tried + story.left)} moments that differ in what is on the disk"
    limit = f"; {whole(story.unmade)} of the others could not be made" if story.unmade else ""
    limit += ". Then the plan's time for crash points was over" if story.out_of_time else ""
    noun = noun_of(story.states)
    return (
        (f"{noun.capitalize()}s tried", f"{found}{limit}"),
        (
            "Recorded",
            f"{whole(story.writes)} writes and {whole(story.flushes)} flushes ("
            f"{whole(story.writes + 2 * story.flushes)} events: a flush is two, its begin and its end) of all files in "
            f"{duration(story.recorded_s)}"
            + (". Some flushes had nothing new to write" if story.flushes > story.writes else ""),
        ),
        ("How they were found", _subsets(story)),
        ("End of the recording", story.ended),
        (
            "Failures examined",
            f"{whole(story.examined)} of {whole(story.violations)} kinds. They differ in the checks that failed, in "
            "the writes that the disk kept, or in the file that causes the failure"
            if story.examined < story.violations and noun != KILL_POINT
            else "",
        ),
        (
            "Not seen again",
            f"{whole(story.not_again)} of the violations passed when the same content was recovered again"
            if story.not_again
            else "",
        ),
        ("Difference of the clocks of clients and disk", _margin(story)),
    )
