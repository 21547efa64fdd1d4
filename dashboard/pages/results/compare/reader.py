"""Who looks at a comparison. Behind a link, servers are called the same in all its experiments."""

from collections.abc import Sequence

from dashboard.findings.compare.columns import experiments_of
from dashboard.findings.compare.figures import Column
from dashboard.findings.redact import neutral_names, redactor_of
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.reader import Reader


def reader_of(columns: Sequence[Column], token: str = "") -> Reader:
    """`token`: of the share link that was opened, "" for somebody who logged in."""
    if not token:
        return Reader(Addresses(None), {})
    experiments = experiments_of(columns)
    return Reader(Addresses(None, token), neutral_names(*(one.plan for one in experiments)), redactor_of(*experiments))
