"""The registry of sources, best first."""

import pytest

from workers.metrics import SOURCES


def test_sources_are_listed_best_first():
    assert list(SOURCES) == ["trace", "file_waits", "status", "binlog_size", "commit_waits", "host"]


@pytest.mark.parametrize("key", SOURCES)
def test_every_source_can_be_shown(key):
    source = SOURCES[key]
    assert source.key == key and source.title and source.cost
