"""The device's clock and statistics, and the commands that steer it."""

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.disk.cache import Cache
from workers.sandbox.disk.control import obey
from workers.sandbox.disk.device import VolatileDevice
from workers.sandbox.disk.image import BLOCK_BYTES, Image

SIZE = 64 * BLOCK_BYTES


@pytest.fixture
def device():
    fd = os.memfd_create("image")
    os.truncate(fd, SIZE)
    yield VolatileDevice(Cache(Image(fd), SIZE))
    os.close(fd)


def write(device: VolatileDevice, blocks: int = 1) -> None:
    device.write(0, memoryview(b"x" * BLOCK_BYTES * blocks))


def flush(device: VolatileDevice) -> list:
    """Ask for a flush; the list gets the answer when it comes."""
    answers = []
    device.flush(answers.append)
    return answers


def waited(device: VolatileDevice) -> float:
    began = time.monotonic()
    while (left := device.wait_s()) is not None:
        time.sleep(left)
        device.tick()
    return time.monotonic() - began


def stat(device: VolatileDevice) -> dict[str, str]:
    return dict(word.split("=") for word in obey(device, "stat").split()[1:])


def test_a_flush_that_costs_nothing_ends_at_once(device):
    write(device)
    assert flush(device) == [None]
    assert device.wait_s() is None
    assert stat(device)["flush_bytes"] == str(BLOCK_BYTES)


def test_a_flush_that_failed_let_nothing_through(device, monkeypatch):
    """The disk of the host is full."""
    full = OSError(28, "No space left on device")

    def fail():
        raise full

    monkeypatch.setattr(device.cache, "finish_flush", fail)
    write(device)
    assert flush(device) == [full]
    assert (stat(device)["flushes"], stat(device)["flush_bytes"]) == ("0", "0")


def test_a_flush_takes_k_and_n_over_r(device):
    """2 ms + 40 blocks at 40 bytes per microsecond: 4.096 ms."""
    assert obey(device, "set 2000 40") == "ok"
    write(device, 40)
    began = time.monotonic()
    answers = flush(device)
    assert answers == []
    assert device.wait_s() <= 0.0061  # no more than that was asked for, however late a busy machine is
    waited(device)
    assert time.monotonic() - began > 0.0055  # and never early
    assert answers == [None]


def test_flushes_wait_for_each_other(device):
    obey(device, "set 3000 0")
    write(device)
    first, second = flush(device), flush(device)
    assert device.wait_s() <= 0.003
    assert waited(device) > 0.0055
    assert (first, second) == ([None], [None])
    assert stat(device)["flushes"] == "2"


def test_data_written_during_a_flush_is_not_kept(device):
    obey(device, "set 1000 0")
    write(device)
    flush(device)
    device.write(BLOCK_BYTES, memoryview(b"y" * BLOCK_BYTES))
    waited(device)
    assert obey(device, "cut") == f"ok lost={BLOCK_BYTES} kept=0"
    obey(device, "reset")
    assert device.read(0, 2 * BLOCK_BYTES) == b"x" * BLOCK_BYTES + bytes(BLOCK_BYTES)


def test_the_cut_answers_all_waiting_flushes(device):
    obey(device, "set 60000000 0")
    write(device)
    first, second = flush(device), flush(device)
    assert obey(device, "cut").startswith("ok")
    assert (first, second, device.wait_s()) == ([None], [None], None)
    obey(device, "reset")
    assert device.read(0, 1) == b"\0"


def test_no_flush_ends_on_hold_and_the_cut_releases_all(device):
    obey(device, "set 1000 0")
    write(device)
    first = flush(device)
    assert obey(device, "hold") == "ok"
    second = flush(device)
    time.sleep(0.002)
    device.tick()
    assert (first, second, device.wait_s()) == ([], [], None)
    assert obey(device, "cut") == f"ok lost={BLOCK_BYTES} kept=0"
    assert (first, second) == ([None], [None])


def test_a_cut_releases_requests_that_came_during_the_hold(device):
    obey(device, "hold")
    waiting = flush(device)
    assert waiting == []
    obey(device, "cut")
    assert waiting == [None]
    obey(device, "reset")
    assert flush(device) == [None]


def test_the_device_lies_until_lying_is_switched_off(device):
    obey(device, "lie on")
    write(device)
    assert flush(device) == [None]
    assert stat(device)["ignored"] == "1"
    assert stat(device)["pending_bytes"] == str(BLOCK_BYTES)
    obey(device, "lie off")
    flush(device)
    assert stat(device)["pending_bytes"] == "0"


def test_a_lying_device_loses_what_was_flushed(device):
    obey(device, "lie on")
    write(device)
    flush(device)
    obey(device, "cut")
    obey(device, "reset")
    assert device.read(0, 1) == b"\0"


def test_a_second_cut_finds_nothing_more(device):
    write(device)
    assert obey(device, "cut") == obey(device, "cut 1000 1 512")
    assert stat(device)["cuts"] == "1"


def test_a_reset_without_a_cut_forgets_too(device):
    write(device)
    assert obey(device, "reset") == "ok"
    assert device.read(0, 1) == b"\0"


NO_COMMANDS = """
    fly | set | set 1 | set -1 0 | set nan 0 | set inf 0 | set x 0 | lie | lie maybe | cut x 1 512 | cut 1001 | cut -1
    | cut 1 1 100 | cut 1 1 8192 | cut 1 2 512 4 | stat all | release it | record | record 0 | record 1000
    | record 1000 5 | stop now | become | become 5 |
"""


@pytest.mark.parametrize("line", [line.strip() for line in NO_COMMANDS.split("|")])
def test_an_unknown_command_is_refused_and_changes_nothing(device, line):
    write(device)
    before = stat(device)
    assert obey(device, line).startswith("error: ")
    assert stat(device) == before


@given(st.text(max_size=80))
def test_any_line_gets_an_answer(line):
    fd = os.memfd_create("image")
    try:
        assert obey(VolatileDevice(Cache(Image(fd), 0)), line).startswith(("ok", "error: "))
    finally:
        os.close(fd)


def test_a_release_ends_what_was_held(device):
    obey(device, "hold")
    write(device)
    held = flush(device)
    assert held == []
    assert obey(device, "release") == "ok"
    assert held == [None]


def test_a_recording_takes_a_descriptor_and_leaves_that_open(device):
    fd = os.memfd_create("events")
    assert obey(device, "record 100000", [fd]) == "ok"
    assert obey(device, "record 100000", [fd]).startswith("error: record: a recording is in progress")
    write(device)
    flush(device)
    assert obey(device, "stop") == "ok"
    size = os.fstat(fd).st_size
    assert size > BLOCK_BYTES
    write(device)
    assert os.fstat(fd).st_size == size
    os.close(fd)
