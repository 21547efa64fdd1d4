"""`manage.py experiment crash-point TRIAL NUMBER`: recovers a kept crash point once more, or writes its archive.
`manage.py experiment crash-points TRIAL`: tries more crash points of a kept recording."""

from pathlib import Path

from django.conf import settings

from dashboard.commands.files import write_new
from dashboard.findings.tested import engine_of, naming, planned_variant
from dashboard.records.experiments.models import KeptCrashPoint
from workers.bench.trial_kinds import CHECK_TITLES
from workers.crash.points.export.again import JudgedAgain, recover_again
from workers.crash.points.export.recording import try_more
from workers.crash.points.story import RECORDING
from workers.errors import DurascopeError
from workers.sandbox import builds
from workers.sandbox.disk import own_mounts


def crash_point(*, trial: int, number: int, to: Path | None, **_: object) -> str:
    """The verdict, or where the archive is. Raises DurascopeError."""
    kept = KeptCrashPoint.objects.filter(trial__experiment__deleted_at=None, trial_id=trial, number=number).first()
    if kept is None:
        raise DurascopeError(
            f"Trial {trial} keeps no crash point {number}.", "The page of the trial lists its crash points."
        )
    archive = bytes(kept.archive)
    if to:
        write_new(to, archive)
        return f"The crash point is in {to}, {len(archive):,} bytes. Unpack it with tar and read crash-point/README.md."
    own_mounts.enter()
    judged = recover_again(archive, Path(settings.SANDBOX_ROOT), builds.find, settings.SANDBOX_USER)
    return naming(_engine(kept), _told(judged))


def more_crash_points(*, trial: int, most: int, **_: object) -> str:
    """One line for each, and one for all. Raises DurascopeError."""
    kept = KeptCrashPoint.objects.filter(trial__experiment__deleted_at=None, trial_id=trial, number=RECORDING).first()
    if kept is None:
        raise DurascopeError(f"Trial {trial} keeps no recording.", "Set keep_recording=yes in the plan.")
    points = kept.trial.evidence.known.points
    tried = len(points.states) if points else 0
    own_mounts.enter()
    engine, root, user = _engine(kept), Path(settings.SANDBOX_ROOT), settings.SANDBOX_USER
    failed, lines = 0, []
    for n, judged in enumerate(try_more(bytes(kept.archive), root, builds.find, user, tried, most), start=tried + 1):
        failed += bool(judged.failed)
        says = naming(engine, _titles(judged.failed)) if judged.failed else "no check failed"
        lines.append(f"crash point {n:,} (event {judged.point.moment:,}, {judged.point.keeps}): {says}")
    total = f"{failed:,} of {len(lines):,} more crash points failed. The trial had tried {tried:,}"
    return "\n".join([*lines, f"{total}; its result stays as it is."])


def _told(judged: JudgedAgain) -> str:
    same = set(judged.failed) == set(judged.point.failed)
    end = "The same checks fail as in the trial." if same else f"In the trial failed: {_titles(judged.point.failed)}."
    words = {"invalid": "failed", "unknown": "unclear", "valid": "passed"}
    lines = (f"{words[one.outcome]}: {CHECK_TITLES.get(one.key, one.key)}: {one.says}" for one in judged.checks)
    return "\n".join([*lines, end])


def _titles(keys: tuple[str, ...]) -> str:
    return ", ".join(CHECK_TITLES.get(key, key) for key in keys) or "none"


def _engine(kept: KeptCrashPoint) -> str:
    return engine_of(planned_variant(kept.trial.experiment.as_plan(), kept.trial.variant))
