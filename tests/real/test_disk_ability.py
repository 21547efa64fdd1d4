"""Whether this host can lose power is found out by losing it."""

import os

import pytest

from tests.real.disks import leavings, needs_disk
from workers.errors import SandboxError
from workers.sandbox.disk import ability
from workers.sandbox.disk.volatile import VolatileDisk


@pytest.fixture(autouse=True)
def asked_anew():
    ability.missing.cache_clear()
    yield
    ability.missing.cache_clear()


@needs_disk
def test_this_host_can_lose_power_and_the_check_leaves_nothing():
    assert ability.missing() == ""
    assert leavings(ability.ROOT) == (0, 0, [])
    assert not ability.ROOT.exists()


def test_the_host_is_checked_once(monkeypatch):
    asked = []
    monkeypatch.setattr(ability, "CHECKS", (lambda: asked.append(1) or "",))
    assert (ability.missing(), ability.missing(), asked) == ("", "", [1])


def test_the_first_missing_thing_is_named(monkeypatch):
    monkeypatch.setattr(ability, "CHECKS", (lambda: "", lambda: "no loop", lambda: 1 / 0))
    assert ability.missing() == "no loop"


@needs_disk
@pytest.mark.parametrize("method, says", [("cut", "did not lose"), ("storage", "do not reach")])
def test_a_disk_that_does_not_lose_power_is_noticed(monkeypatch, method, says):
    """Without its cut, a disk keeps everything, and power_on then forgets what was not flushed: so neither."""
    monkeypatch.setattr(VolatileDisk, method, lambda *_, **__: None)
    if method == "cut":
        monkeypatch.setattr(VolatileDisk, "power_on", lambda _: None)
    assert says in ability.missing()
    assert leavings(ability.ROOT) == (0, 0, [])


@needs_disk
def test_a_lying_disk_is_noticed(monkeypatch):
    genuine = VolatileDisk.storage
    monkeypatch.setattr(VolatileDisk, "storage", lambda disk, k_us: (genuine(disk, k_us), disk.lie(True)))
    assert "did not lose exactly" in ability.missing()


def test_a_disk_that_cannot_be_made_is_reported(monkeypatch):
    def refuse(*_):
        raise SandboxError("No loop device.", "Nothing was mounted.")

    monkeypatch.setattr(ability, "CHECKS", (ability._a_real_cut,))
    monkeypatch.setattr(VolatileDisk, "create", refuse)
    assert "No loop device" in ability.missing()


@pytest.mark.parametrize(
    "check, path, fix",
    [(ability.CHECKS[2], "/dev/fuse", "modprobe fuse"), (ability.CHECKS[3], "/dev/loop-control", "modprobe loop")],
)
def test_the_fix_for_a_device_without_permission_is_named(monkeypatch, check, path, fix):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "open", refuse)
    said = check()
    assert path in said and fix in said and "docker run" in said


def test_a_missing_privilege_and_a_missing_tool_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(ability, "SYSTEM_PATH", str(tmp_path))
    assert "e2fsprogs" in ability._tools()
    monkeypatch.setattr(ability.Path, "read_text", lambda _: "CapEff:\t0000000000000000\n")
    assert "CAP_SYS_ADMIN" in ability._privilege()
    assert "rootless" in ability._namespace()
