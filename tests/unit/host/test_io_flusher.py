"""Whether a simulated disk may wait for itself is tried, and said with the remedy."""

import ctypes
import errno

import pytest

from workers.host import io_flusher
from workers.host.ability import holds

SYS_RESOURCE = 24


@pytest.mark.parametrize(
    ("refused", "says", "left"),
    [(0, "", [1, 0]), (errno.EPERM, "no CAP_SYS_RESOURCE", [1]), (errno.EINVAL, "Linux 5.6 or newer", [1])],
)
def test_a_refused_io_flusher_is_reported_and_a_granted_one_is_taken_back(monkeypatch, refused, says, left):
    asked = []

    def prctl(option, on, *_):
        asked.append(on.value)
        ctypes.set_errno(refused)
        return -1 if refused else 0

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: type("libc", (), {"prctl": staticmethod(prctl)}))
    said = io_flusher.risk()
    assert says in said and bool(said) == bool(refused) and asked == left
    assert "add SYS_RESOURCE" in said or refused != errno.EPERM


def test_the_kernel_itself_refuses_only_without_the_capability():
    assert bool(io_flusher.risk()) == (not holds(SYS_RESOURCE))
