"""A loop device is made in one call of the kernel, or in two where it knows no other way."""

import errno

import pytest

from workers.sandbox.disk import loops
from workers.sandbox.disk.loops import LOOP_CONFIGURE, LOOP_SET_FD, LOOP_SET_STATUS64


@pytest.fixture
def kernel(monkeypatch):
    """`kernel(number)`: it answers LOOP_CONFIGURE with that error, 0: with none. The list holds all calls."""

    def answers(number):
        calls = []

        def ioctl(loop, call, given):
            calls.append((call, given))
            if call == LOOP_CONFIGURE and number:
                raise OSError(number, "no")

        monkeypatch.setattr(loops.fcntl, "ioctl", ioctl)
        return calls

    return answers


def test_the_file_and_its_release_are_given_in_one_call(kernel):
    calls = kernel(0)
    loops._configure(3, 7)
    [(call, given)] = calls
    assert (call, len(given)) == (LOOP_CONFIGURE, 304)
    backing, block, info = loops.CONFIG.unpack(given)
    assert (backing, block, loops.INFO.unpack(info)[loops.FLAGS]) == (7, 0, loops.AUTOCLEAR)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTTY])
def test_a_kernel_before_5_8_gets_two_calls(kernel, number):
    calls = kernel(number)
    loops._configure(3, 7)
    assert [call for call, _ in calls[1:]] == [LOOP_SET_FD, LOOP_SET_STATUS64]


def test_a_device_that_another_process_took_is_not_asked_twice(kernel):
    calls = kernel(errno.EBUSY)
    with pytest.raises(OSError, match="no"):
        loops._configure(3, 7)
    assert len(calls) == 1
