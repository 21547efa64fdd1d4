"""Does the probe find the device that was promised? Both signs of the check."""

import pytest

from workers.metrics.device_probe import DeviceProbe, FlushTimes
from workers.sandbox.promise import compare
from workers.sandbox.storage import parse


def probe(ms: float) -> DeviceProbe:
    return DeviceProbe(
        (FlushTimes("append", 4096, 9, 99, 99, 99, 99, 99), FlushTimes("overwrite", 4096, 9, ms, 0, 0, 0, 0))
    )


@pytest.mark.parametrize("ms", [4.6, 5.0, 5.5])
def test_a_probe_within_ten_per_cent_matches(ms):
    found = compare(parse("k=5ms"), probe(ms))
    assert found.matches and "within 10 %" in found.says
    assert found.promised_per_s == pytest.approx(200)


@pytest.mark.parametrize(("ms", "why"), [(5.6, "too busy"), (10, "too busy"), (4.5, "too fast"), (0.1, "too fast")])
def test_a_wrong_k_does_not_match(ms, why):
    found = compare(parse("k=5ms"), probe(ms))
    assert not found.matches
    assert "does not match" in found.says and why in found.says


def test_the_comparison_names_the_device_of_two():
    found = compare(parse("k=5ms+log"), probe(10), "redo and binlog")
    assert found.storage == "k=5ms+log, redo and binlog"
    assert found.says.startswith("k=5ms+log, redo and binlog promises 200 fsync/s")
