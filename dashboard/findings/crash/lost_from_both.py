"""How many acknowledged commits are missing from engine and binlog alike, trial by trial.

Newer evidence holds the number. Of older evidence it follows from two checks: if every transaction of the engine is in
the binlog, the engine lacks all that the binlog lacks, and the other way round. Otherwise it is not known.
"""

from collections.abc import Sequence

from dashboard.installation.stored import Unreadable, read
from dashboard.records.experiments.models import TrialEvidence
from workers.crash.verdict import CheckResult

# Check -> the log whose losses the other log shares when it is valid.
SHARED = {"engine-only": "lost_binlog", "binlog-only": "lost_engine"}
_COLUMNS = ("trial_id", "trial__lost_engine", "trial__lost_binlog", "data__sets__acknowledged_in_neither")


def lost_from_both(trial_ids: Sequence[int]) -> dict[int, int]:
    """Trial id -> that number. Trials of which it is not known, or whose checks cannot be read, are left out. At most
    two queries."""
    rows = TrialEvidence.objects.filter(trial__in=trial_ids).values_list(*_COLUMNS) if trial_ids else ()
    known = {pk: both for pk, _, _, both in rows if both is not None}
    lost = {pk: {"lost_engine": engine, "lost_binlog": binlog} for pk, engine, binlog, _ in rows if pk not in known}
    older = TrialEvidence.objects.filter(trial__in=lost).values_list("trial_id", "data__checks") if lost else ()
    for pk, stored in older:
        try:
            checks = read(tuple[CheckResult, ...], stored or ())
        except Unreadable:
            continue
        valid = {one.key for one in checks if one.outcome == "valid"}
        if log := next((log for check, log in SHARED.items() if check in valid), None):
            known[pk] = lost[pk][log]
    return known
