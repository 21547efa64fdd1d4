"""Fixtures of the crash tests."""

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, Binlog
from workers.crash.binlog import read


@pytest.fixture
def seen(tmp_path):
    """`seen(binlog, binlog, ...)`: what the reader says of these files."""

    def reader(*logs: Binlog, servers: int = 1):
        files = [tmp_path / f"log.{number:06}" for number, _ in enumerate(logs, 1)]
        for file, log in zip(files, logs, strict=True):
            file.write_bytes(log.data)
        return read(files, SCHEMA, SECRET, servers=servers)

    return reader
