"""An experiment that has everything, its file, and files that were tampered with."""

import io
import json
import zipfile

from dashboard.portable import shape
from dashboard.portable.actions import import_file
from dashboard.portable.archive import packed
from dashboard.portable.write import file_of
from dashboard.records.experiments.models import Run
from tests.unit.results import factory, trials
from workers.bench.histogram import percentiles

RATES = {
    "1/1": {"power-loss": [(0, 0), (0, 0)], "lying-disk": [(21000, 21000)], "graceful-restart": [(0, 0)]},
    "0/0 on db7.example.com": {"power-loss": [(1897, 20000), None], "process-kill": [(948, 0)]},
}
LEVELS = {"1/1": 1000.0, "0/0 on db7.example.com": 6000.0}


def experiment(**known):
    """Two variants, cells and trials, one of each failed, one trial repeated; as a worker stores them."""
    fields = {"levels": LEVELS, "seconds": 12, "measured": 11, "name": "db7 in rack 3: what it costs"} | known
    made = trials.experiment(RATES, **fields)
    unmeasured = made.cells.filter(state="waiting").first()
    if unmeasured:
        unmeasured.state, unmeasured.error = "failed", "10.9.8.7 refused 'bench_admin'@'x'"
        unmeasured.save()
    last = made.trials.order_by("position").last()
    again = trials.trial(made, last.server_id, last.variant, last.kind, last.repeat, (950, 0), repeat_of=last,
                         environment=last.environment)  # fmt: skip
    assert again.repeat_of_id
    as_a_worker_stores_them(made)
    made.refresh_from_db()
    return made


def as_a_worker_stores_them(made):
    for run in Run.objects.filter(cell__experiment=made).select_related("evidence"):
        run.tps = run.transactions / run.elapsed_s
        told = {name: run.latency_ms[name] for name in ("avg", "max")}
        run.latency_ms = percentiles([tuple(bucket) for bucket in run.evidence.histogram], told["max"]) | told
        run.save()


def unpacked(file):
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def index_of(file):
    return json.loads(unpacked(file)[shape.INDEX])


def without_marks(file):
    """experiment.json as it stands there, but for when and where it was written."""
    index = index_of(file)
    del index["export"]
    return json.dumps(index, indent=1)


def tampered(file, change=None, **contents):
    """The file with other contents (name -> bytes, None: left out) and `change(index)` applied."""
    found = unpacked(file)
    index = json.loads(found.pop(shape.INDEX))
    for name, content in contents.items():
        found[name] = content
    found = {name: content for name, content in found.items() if content is not None}
    if change:
        change(index)
    return packed({shape.INDEX: json.dumps(index).encode(), **found})


def imported(file, user=None):
    return import_file(user, io.BytesIO(file)).experiment


def round_trip(**known):
    """(Original, its file, the imported one)"""
    original = experiment(**known)
    file = file_of(original)
    return original, file, imported(file)


__all__ = ["factory"]
