"""How a storage is written, what it promises, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.errors import SandboxError
from workers.sandbox.storage import PROFILES, explain, parse


@pytest.mark.parametrize(
    ("text", "per_s"),
    [("sata-7200", 120), ("hdd-10k", 150), ("x25-m", 1200), ("k=5ms", 200), ("k=400us+log", 2500), ("k=0.01s", 100)],
)
def test_a_storage_promises_fsyncs_per_second(text, per_s):
    assert parse(text).fsyncs_per_s == pytest.approx(per_s)


def test_bytes_cost_time():
    """5 ms + 1 MB at 100 MB/s."""
    assert parse("k=5ms,r=100MB/s").fsync_ms(1_000_000) == pytest.approx(15)
    assert parse("k=5ms").fsync_ms(1_000_000) == pytest.approx(5)


@pytest.mark.parametrize(
    ("text", "apart"),
    [("hdd-10k", set()), ("hdd-10k+log", {"redo", "binlog"}), ("hdd-10k+redo", {"redo"}), ("k=1ms+binlog", {"binlog"})],
)
def test_a_storage_says_which_logs_lie_on_another_device(text, apart):
    assert parse(text).apart == apart
    assert ("device of its kind" in explain(text)) == bool(apart)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("floppy", "There is no storage 'floppy'. Profiles: sata-7200"),
        ("", "There is no storage"),
        ("sata-7200+", "not a layout"),
        ("sata-7200+data", "Known: +log, +binlog, +redo"),
        ("k=5", "There is no storage"),
        ("k=0ms", "K must be above 0"),
        ("k=2s", "at most 1000 ms"),
        ("k=5ms,r=0MB/s", "R must be between"),
        ("k=5ms,r=100", "There is no storage"),
        ("k=-1ms", "There is no storage"),
        ("k=nanms", "There is no storage"),
        ("SATA-7200", "There is no storage"),
    ],
)
def test_a_text_that_is_no_storage_is_refused(text, says):
    with pytest.raises(SandboxError) as refused:
        parse(text)
    assert says in str(refused.value)


@given(st.text(max_size=40))
def test_any_text_is_a_storage_or_refused(text):
    try:
        assert parse(text).fsyncs_per_s > 0
    except SandboxError:
        assert explain(text) == text


@pytest.mark.parametrize("key", PROFILES)
def test_every_profile_says_where_its_figures_are_from(key):
    assert PROFILES[key].source
    assert parse(key).k_ms > 0 and parse(key).r_mb_per_s > 0
