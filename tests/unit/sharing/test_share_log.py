"""The log may be read by people whom no link was given to: it holds no token that opens one."""

import io
import logging
import sys

import pytest
from django.test import Client

from dashboard.installation.log_lines import LogLine
from dashboard.records.sharing import actions
from tests.unit.results import factory


@pytest.fixture
def log(monkeypatch):
    """What the handler of the settings writes."""
    [console] = [one for one in logging.getLogger().handlers if isinstance(one.formatter, LogLine)]
    written = io.StringIO()
    monkeypatch.setattr(console, "stream", written)
    return written


@pytest.mark.django_db
def test_a_404_below_a_link_is_logged_without_its_token(log):
    _, token = actions.share(None, factory.experiment())
    assert Client().get(f"/share/{token}/").status_code == 200
    for missing in ("embed/throughput/", "trials/0/", "nothing"):
        assert Client().get(f"/share/{token}/{missing}").status_code == 404
        assert f"Not Found: /share/[token]/{missing}\n" in log.getvalue()
    assert token not in log.getvalue()


def test_a_traceback_holds_none_either():
    path = f"/share/{'x-_9' * 8}/trials/1/"
    try:
        raise ValueError(path)
    except ValueError:
        record = logging.LogRecord("a", logging.ERROR, __file__, 1, "Broken: %s", (path,), sys.exc_info())
    line = LogLine("%(message)s").format(record)
    assert line.startswith("Broken: /share/[token]/trials/1/\nTraceback")
    assert line.endswith("ValueError: /share/[token]/trials/1/")


def test_addresses_without_a_token_are_logged_unchanged():
    record = logging.LogRecord("a", logging.INFO, __file__, 1, "/share/experiments/1/create/", (), None)
    assert LogLine("%(message)s").format(record) == "/share/experiments/1/create/"
