"""The reader of a comparison. Behind a share link, a server has one neutral name in all compared experiments."""

from collections.abc import Sequence

from dashboard.findings.names import neutral_names
from dashboard.findings.redact import redactor_of
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments.models import Experiment
from workers.bench.plan import Plan


def reader_of(experiments: Sequence[Experiment], token: str = "") -> Reader:
    """`token`: of the share link that was opened, "" for a person who logged in."""
    if not token:
        return Reader(Addresses(None), {})
    names = neutral_names(*(Plan.from_dict(one.plan) for one in experiments))
    return Reader(Addresses(None, token), names, redactor_of(*experiments))
