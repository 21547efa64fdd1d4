import time

import pytest

from tests.unit.bench.load_requests import request
from workers.bench import sysbench
from workers.errors import LoadError


def test_a_sysbench_that_closes_its_output_and_stays_is_killed_and_named(tmp_path, monkeypatch):
    fake = tmp_path / "sysbench"
    fake.write_text("#!/bin/sh\nexec >&- 2>&-\nexec sleep 30 # libmariadb.so\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    began = time.monotonic()
    with pytest.raises(LoadError, match="did not end, and was killed"):
        sysbench.run(request(), lambda second: None, lambda: False)
    assert time.monotonic() - began < 5
