"""Checks a whole file before anything of it is stored. Every part that the index needs exists. Every value has its type
and bounds. Every reference has its target."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import IO, Any, TypeVar

from dashboard.installation.stored import Unreadable, read
from dashboard.portable import shape, strict_json, writers_version
from dashboard.portable.archive import Archive
from dashboard.portable.refused import NotImported
from dashboard.records.experiments.claims import StoredClaims
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.kind_names import HISTORIES
from workers.bench.plan import Plan
from workers.bench.plan_field import dangling
from workers.crash.verdict import CheckResult, incomplete, verdict
from workers.errors import PlanError

Kind = TypeVar("Kind", bound=shape.Shape)
ALIKE = ("server_id", "variant", "kind")  # a trial and the one that it repeats


class Content:
    """The parts of a file. The constructor and `check` raise NotImported."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = Archive(file)
        raw = self._archive.read(shape.INDEX)
        self._version = _is_ours(raw)
        with writers_version.named(self._version):
            self.index = strict_json.read(raw, shape.INDEX, shape.FileIndex)

    @property
    def digest(self) -> str:
        """Of everything but `export`: two files of one experiment have the same digest."""
        return self._digest(self.index.model_dump(exclude={"export"}, exclude_defaults=True))

    @property
    def digest_as_written(self) -> str:
        """As version 0.2.0 stored it, whose files held all defaults."""
        return self._digest(self.index.model_dump(exclude={"export"}, exclude_unset=True))

    def _digest(self, said: Mapping[str, Any]) -> str:
        parts = {name: crc for name, crc in self._archive.checksums.items() if name != shape.INDEX}
        return hashlib.sha256(json.dumps([said, parts], sort_keys=True).encode()).hexdigest()

    @property
    def measured(self) -> list[shape.FileCell]:
        return [cell for cell in self.index.cells if cell.state == "done"]

    @property
    def tried(self) -> list[shape.FileTrial]:
        return [trial for trial in self.index.trials if trial.state == "done"]

    def check(self) -> None:
        """Check everything once, with one part in memory at a time."""
        _fits(self.index)
        self._has_its_parts()
        for n in range(1, self.index.environments + 1):
            self._check_environment(n)
        for n in range(1, len(self.index.probes) + 1):
            self.part(shape.FileProbe, n)
        for cell in self.measured:
            self._check_run(cell.position)
        for trial in self.tried:
            _check_trial(trial, self.part(shape.FileEvidence, trial.position))

    def part(self, kind: type[Kind], n: int) -> Kind:
        name = shape.NAMES[kind].format(n)
        with writers_version.named(self._version):
            return strict_json.read(self._archive.read(name), name, kind)

    def _has_its_parts(self) -> None:
        """The archive holds the parts that cells, trials, environments and probes need, and no others."""
        numbered: dict[str, Iterable[int]] = {
            shape.ENVIRONMENT: range(1, min(self.index.environments, 99_999) + 1),
            shape.PROBE: range(1, len(self.index.probes) + 1),
            shape.RUN: (cell.position for cell in self.measured),
            shape.TRIAL: (trial.position for trial in self.tried),
        }
        needed = {shape.INDEX, *(name.format(n) for name, numbers in numbered.items() for n in numbers)}
        if odd := sorted(needed ^ self._archive.checksums.keys()):
            raise NotImported(
                f"The part {odd[0]} {'is missing' if odd[0] in needed else 'has no measurement or crash trial'}"
            )

    def _check_environment(self, n: int) -> None:
        try:
            read(EnvironmentFacts, self.part(shape.FileEnvironment, n).as_given())
        except Unreadable as wrong:
            raise NotImported(f"{shape.ENVIRONMENT.format(n)}: {wrong.message}") from wrong

    def _check_run(self, position: int) -> None:
        where, found = shape.RUN.format(position), self.part(shape.FileRun, position)
        _among(found.environment, self.index.environments, f"{where}: environment")
        _among(found.probe or 0, len(self.index.probes), f"{where}: probe")
        for name in ("t_s", "tps"):
            if None in found.series.get(name, (None,)):
                raise NotImported(f"{where}: {name} is missing in one of its seconds")
        _check_histogram(found.histogram, where)


def _is_ours(raw: bytes) -> str:
    """The version that wrote it, "" where that is not said. Checked first: a file of a newer version gets its own
    message."""
    strict_json.bounded(raw, shape.INDEX)
    try:
        found = json.loads(raw)
        form, version = found["format"], found["schema_version"]
    except (ValueError, LookupError, TypeError, RecursionError) as broken:
        raise NotImported(f"This is not an experiment of Durascope: {shape.INDEX} cannot be read") from broken
    if form != shape.FORMAT:
        raise NotImported("This is not an experiment of Durascope: it has another format")
    if type(version) is int and version > shape.VERSION:
        raise NotImported(
            f"The file has schema version {version}; this Durascope reads up to {shape.VERSION}",
            "Update this installation to the version that wrote the file, or a later one.",
        )
    if version != shape.VERSION or isinstance(version, bool):
        raise NotImported(f"There is no schema version {str(version)[:40]}; this Durascope reads {shape.VERSION}")
    export = found.get("export")
    wrote = export.get("version") if isinstance(export, dict) else None
    return wrote if isinstance(wrote, str) else ""


def _fits(index: shape.FileIndex) -> None:
    """Names are unique, references have targets, and the claims can be read."""
    variants, workloads = [one.name for one in index.plan.variants], [one.label for one in index.plan.workloads]
    _once([target.name for target in index.plan.targets], "plan.targets")
    _once(variants, "plan.variants")
    _once(workloads, "plan.workloads")
    servers = len(index.plan.targets)
    if [target.server_id for target in index.plan.targets] != list(range(1, servers + 1)):
        raise NotImported("plan.targets: their server_id is not their place in the list")
    plan = _understood(index)
    _once(plan.threads, "plan.threads")
    for server in index.probes:
        _among(server, servers, "probes: server")
    _once([cell.position for cell in index.cells], "cells: position")
    _once([trial.position for trial in index.trials], "trials: position")
    for cell in index.cells:
        where = f"cells, position {cell.position}"
        _among(cell.server_id, servers, f"{where}: server_id")
        _listed(cell.variant, variants, f"{where}: variant")
        _listed(cell.workload, workloads, f"{where}: workload")
        _listed(cell.threads, plan.threads, f"{where}: threads")
    for trial in index.trials:
        where = f"trials, position {trial.position}"
        _among(trial.server_id, servers, f"{where}: server_id")
        _listed(trial.variant, variants, f"{where}: variant")
        _among(trial.environment or 0, index.environments, f"{where}: environment")
    _repeats(index.trials)
    if index.experiment.baseline:
        _listed(index.experiment.baseline, variants, "experiment.baseline")
    for field, value in dangling(plan):
        _listed(value, (), f"plan.{field.name}")


def _understood(index: shape.FileIndex) -> Plan:
    """Read plan and claims like those of a recipe."""
    try:
        plan = Plan.from_dict(index.plan.as_given())
        read(StoredClaims, index.claims.as_given() if index.claims else {}).read()
    except (PlanError, Unreadable) as wrong:
        raise NotImported(f"The claims or the plan cannot be read: {wrong}"[:400]) from wrong
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as wrong:
        raise NotImported(f"The claims cannot be read: {type(wrong).__name__}") from wrong
    return plan


def _repeats(trials: Iterable[shape.FileTrial]) -> None:
    """A trial repeats an earlier one of the same server, variant and kind."""
    met: dict[int, shape.FileTrial] = {}
    for trial in sorted(trials, key=lambda one: one.position):
        first = trial if trial.repeat_of is None else met.get(trial.repeat_of)
        if first is None or any(getattr(first, name) != getattr(trial, name) for name in ALIKE):
            raise NotImported(f"trials, position {trial.position}: it repeats no trial of its kind")
        met[trial.position] = trial


def _once(values: Sequence[object], where: str) -> None:
    if len(set(values)) < len(values):
        raise NotImported(f"{where}: an entry occurs twice")


def _listed(value: object, known: Collection[object], where: str) -> None:
    if value not in known:
        raise NotImported(f"{where}: the plan has no {str(value)[:80]!r}")


def _among(place: int, count: int, where: str) -> None:
    if place > count:
        raise NotImported(f"{where}: there is no number {place}")


def _check_histogram(buckets: Sequence[Sequence[float]], where: str) -> None:
    edges = [bucket[0] for bucket in buckets]
    if any(before >= after for before, after in zip([0, *edges], edges, strict=False)):
        raise NotImported(f"{where}: the edges of its histogram do not ascend")
    if any(not isinstance(count, int) or count < 0 for _, count in buckets):
        raise NotImported(f"{where}: a count of its histogram is not a whole number")


def _check_trial(trial: shape.FileTrial, evidence: shape.FileEvidence) -> None:
    """Losses must match the sets in the evidence."""
    where, told = f"trials, position {trial.position}", trial.acknowledged
    for place, lost in (("engine", trial.lost_engine), ("binlog", trial.lost_binlog)):
        kept = evidence.sets.get(f"acknowledged_in_{place}")
        if kept is not None and told is not None and lost is not None and lost != told - kept:
            raise NotImported(f"{where}: lost_{place} is not what its evidence says")
        if lost is not None and lost > (told or 0) and trial.kind not in HISTORIES:
            raise NotImported(f"{where}: more is lost than was acknowledged")
        if lost is not None and (evidence.sets.get("acknowledged_in_neither") or 0) > lost:
            raise NotImported(f"{where}: acknowledged_in_neither is more than lost_{place}")


def decide_again(evidence: shape.FileEvidence) -> str:
    """The verdict is computed again from the checks; a file contains none."""
    found = verdict(read(tuple[CheckResult, ...], evidence.checks))
    return incomplete(found) if evidence.failed_at else found
