"""Writes an experiment as one file. Hosts, accounts and paths are removed by the rules of share links
(dashboard.findings.redact); servers are called Server A, B ... The file has no statistics and no verdicts: the reader
computes them again."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain, count
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model
from django.utils import timezone

from dashboard.findings.names import neutral_names
from dashboard.findings.redact import Redactor, redactor_of
from dashboard.installation.version import VERSION
from dashboard.portable import shape, strict_json
from dashboard.portable.archive import packed
from dashboard.portable.refused import NoFile, NotImported
from dashboard.records.experiments.models import Cell, Environment, Experiment, Run, Trial
from workers.bench.plan import Plan, PlanTarget, Variant
from workers.bench.plan_field import fields_of
from workers.bench.recipes.claims import CHOICES

Json = dict[str, object]
Value = TypeVar("Value")
AT_ONCE = 200  # runs in memory
NAMES_OF_VARIANTS = [one.name for one in fields_of(Plan) if one.description.one_of == "variants"]
_SERVER_TEXTS: Json = {"recovery_lines": [], "log_lines": [], "my_cnf": ""}


def file_of(experiment: Experiment) -> bytes:
    """Raises NoFile for an experiment that is not over, or that does not fit the schema of a file."""
    if not experiment.is_over:
        raise NoFile(
            f"{experiment} is {experiment.get_state_display()}: its file would be half of it. Nothing was written.",
            "Wait for its end, or cancel it.",
        )
    return packed(_Writer(experiment).parts())


class Clean:
    """Removes hosts, accounts and paths from texts. Names that become equal get a number. A clean text does not change,
    so an imported experiment is exported word for word."""

    def __init__(self, experiment: Experiment) -> None:
        plan = experiment.as_plan()
        self._redactor: Redactor = redactor_of(experiment)
        self.servers = neutral_names(plan)
        self.variants = self._apart(one.name for one in plan.variants)
        self.workloads = self._apart(one.label for one in plan.workloads)
        self._names = {**self.workloads, **self.variants}

    def text(self, text: str) -> str:
        return self._names.get(text) or _settled(self._redactor.text, text)

    def data(self, value: object, key: str = "") -> object:
        """Keys stay, and so do values that are one of a claim's choices, or a server called *binlog* or *commit* would
        make the file unreadable."""
        if isinstance(value, Mapping):
            return {name: self.data(one, name) for name, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.data(one, key) for one in value]
        return self.text(value) if isinstance(value, str) and key not in CHOICES else value

    def facts(self, value: Mapping[str, object]) -> Json:
        """As `data`, and fields whose name says host, account or path are removed."""
        return _settled(self._redactor.data, dict(value))

    def variables(self, known: Mapping[str, object]) -> Json:
        return _settled(self._redactor.variables, dict(known))

    def _apart(self, names: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in names:
            cleaned, taken = _settled(self._redactor.text, name)[:70], set(found.values())
            numbered = chain([cleaned], (f"{cleaned} ({n})" for n in count(2)))
            found[name] = next(one for one in numbered if one not in taken)
        return found


def _settled(cleaned: Callable[[Value], Value], value: Value) -> Value:
    """Repeat until nothing changes: a removal can leave a text that looks like a host or a path."""
    for _ in range(5):
        value, before = cleaned(value), value
        if value == before:
            break
    return value


class _Writer:
    """The parts of one file. Environments and probes are numbered in order of their first use."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment, self._clean, self._planned = experiment, Clean(experiment), experiment.as_plan()
        self._place = {target.server_id: n for n, target in enumerate(self._planned.targets, start=1)}
        self._is_sandbox = {target.server_id: target.is_sandbox for target in self._planned.targets}
        self._probes = {pk: n for n, pk in enumerate(experiment.probes.order_by("id").values_list("pk", flat=True), 1)}
        self._environments: dict[str, int] = {}  # as JSON -> number
        self._numbers: dict[int, int] = {}  # id -> number

    def parts(self) -> dict[str, bytes]:
        probes = self._experiment.probes.order_by("id").values_list("data", flat=True)
        found = dict([*self._runs(), *self._evidence()])
        for n, data in enumerate(probes, start=1):
            found[shape.PROBE.format(n)] = _json(shape.FileProbe, self._clean.facts(data))
        index = self._index()
        environments = {shape.ENVIRONMENT.format(n): text.encode() for text, n in self._environments.items()}
        return {shape.INDEX: _json(shape.FileIndex, index), **environments, **found}

    def _index(self) -> Json:
        experiment = self._experiment
        probes = experiment.probes.order_by("id").values_list("server_id", flat=True)
        trials = self._trials()  # may number further environments
        return {
            "format": shape.FORMAT,
            "schema_version": shape.VERSION,
            "export": self._export(),
            "experiment": self._about(),
            "plan": self._plan(),
            "claims": self._clean.data(experiment.claims) or None,
            "probes": [self._place[server] for server in probes],
            "environments": len(self._environments),
            "cells": self._cells(),
            "trials": trials,
        }

    def _export(self) -> Json:
        experiment = self._experiment
        origin = {"at": experiment.imported_at, **experiment.imported_from}
        return {
            "at": timezone.now(),
            "address": settings.ADDRESS[:80],
            "version": VERSION,
            "experiment_id": experiment.pk,
            "imported": origin if experiment.is_imported else None,
        }

    def _about(self) -> Json:
        one, clean = self._experiment, self._clean
        return _filled(
            shape.FileAbout,
            one,
            name=clean.text(one.name)[:120],
            error=clean.text(one.error),
            fix=clean.text(one.fix),
            baseline=clean.variants.get(one.baseline, ""),
        )

    def _plan(self) -> Json:
        plan, clean = self._planned, self._clean
        return {
            **plan.as_dict(),
            "name": clean.text(plan.name)[:120],
            "targets": [self._target(one) for one in plan.targets],
            "variants": [self._variant(one) for one in plan.variants],
            "workloads": [
                {"label": clean.workloads[one.label], "key": one.key, "params": clean.data(one.params)}
                for one in plan.workloads
            ],
            **{name: clean.variants.get(getattr(plan, name), "") for name in NAMES_OF_VARIANTS},
        }

    def _target(self, one: PlanTarget) -> Json:
        """`present` only where it is known: version 0.2.0 does not read null."""
        present = None if one.present is None else self._clean.variables(one.present)
        named = {"server_id": self._place[one.server_id], "name": self._clean.servers[one.server_id]}
        return {**named, "is_sandbox": one.is_sandbox, **({} if present is None else {"present": present})}

    def _variant(self, one: Variant) -> Json:
        clean = self._clean
        return {
            "name": clean.variants[one.name],
            "settings": clean.variables(one.settings),
            "engine": one.engine,
            "build": clean.text(one.build),
            "storage": clean.text(one.storage),
            "topology": clean.text(one.topology),
        }

    def _cells(self) -> list[Json]:
        workloads = self._clean.workloads
        rows = self._experiment.cells.order_by("position")
        return [_filled(shape.FileCell, row, **self._row(row), workload=workloads[row.workload]) for row in rows]

    def _trials(self) -> list[Json]:
        rows = list(self._experiment.trials.order_by("position").select_related("environment"))
        position = {row.pk: row.position for row in rows}
        return [
            _filled(
                shape.FileTrial,
                row,
                **self._row(row),
                repeat_of=position.get(row.repeat_of_id) if row.repeat_of_id else None,
                environment=self._numbered(row.environment),
            )
            for row in rows
        ]

    def _row(self, row: Cell | Trial) -> Json:
        return {
            "server_id": self._place[row.server_id],
            "variant": self._clean.variants[row.variant],
            "error": self._clean.text(row.error),
            "fix": self._clean.text(row.fix),
        }

    def _runs(self) -> Iterator[tuple[str, bytes]]:
        wanted = Run.objects.of_done_cells().filter(cell__experiment=self._experiment).order_by("cell__position")
        related = wanted.select_related("cell", "environment", "series", "evidence")
        for run in related.iterator(AT_ONCE):
            yield shape.RUN.format(run.cell.position), _json(shape.FileRun, self._run(run))

    def _run(self, run: Run) -> Json:
        evidence, clean = run.evidence, self._clean
        return _filled(
            shape.FileRun,
            run,
            latency_avg_ms=run.latency_ms.get("avg"),
            latency_max_ms=run.latency_ms.get("max"),
            figures=[{**one, "note": clean.text(one["note"])} for one in run.figures],
            effective=clean.variables(run.effective),
            command=[clean.text(word) for word in evidence.command],
            environment=self._numbered(run.environment),
            probe=self._probes.get(run.probe_id) if run.probe_id else None,
            series=run.series.columns,
            histogram=evidence.histogram,
            output=clean.text(evidence.output),
            my_cnf=clean.text(evidence.my_cnf) if self._is_sandbox[run.cell.server_id] else "",
        )

    def _evidence(self) -> Iterator[tuple[str, bytes]]:
        tried = self._experiment.trials.filter(state=Trial.State.DONE).select_related("evidence", "environment")
        for trial in tried.order_by("position").iterator(AT_ONCE):
            self._numbered(trial.environment)
            data = self._clean.facts(trial.evidence.data)
            hidden = {} if self._is_sandbox[trial.server_id] else {k: v for k, v in _SERVER_TEXTS.items() if k in data}
            yield shape.TRIAL.format(trial.position), _json(shape.FileEvidence, {**data, **hidden})

    def _numbered(self, environment: Environment | None) -> int | None:
        """Environments that are equal after the removal get the same number."""
        if environment is None:
            return None
        if environment.pk not in self._numbers:
            text = _json(shape.FileEnvironment, self._environment(environment.data)).decode()
            self._numbers[environment.pk] = self._environments.setdefault(text, len(self._environments) + 1)
        return self._numbers[environment.pk]

    def _environment(self, data: Mapping[str, Any]) -> Json:
        found = self._clean.facts(data)
        if server := data.get("server"):
            variables = self._clean.variables(server.get("variables") or {})
            found["server"] = {**self._clean.facts(server), "variables": variables}
        return found


def _filled(part: type[shape.Shape], row: Model, **said: object) -> Json:
    """A value for each field of the part: from `said`, else the attribute of the row."""
    return {name: said[name] if name in said else getattr(row, name) for name in part.model_fields}


def _json(part: type[shape.Shape], value: Json) -> bytes:
    """Sorted by name, so that equal values give equal bytes. Checked like an import, so that every written file can be
    imported. Where a version refuses fields that it does not know, those that have their default are left out: an older
    version reads the file if nobody used what is new."""
    try:
        content = _encoded(value)
        checked = strict_json.read(content, part.__name__, part)
        if issubclass(part, shape.Exact):
            content = _encoded(checked.model_dump(exclude_defaults=True))
    except (NotImported, UnicodeEncodeError) as wrong:
        said = wrong.message if isinstance(wrong, NotImported) else "a text holds half a character."
        raise NoFile(f"This experiment cannot be written as a file: {said}".replace("stored", "written")) from wrong
    return content


def _encoded(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=datetime.isoformat)
    return f"{text}\n".encode()
