"""What the worker's host lacks is said in words, wherever the error came from."""

import errno
import os

import pytest

from workers.host.shortages import LACKS, message


@pytest.mark.parametrize("number", LACKS)
def test_the_message_names_what_the_host_lacks_and_where(number):
    failure = message(OSError(number, os.strerror(number), "/data/x"))
    assert "/data/x" in failure.message and LACKS[number][0] in failure.message
    assert failure.fix.startswith("The measurements are kept.")
    assert "Errno" not in str(failure) and os.strerror(number) not in str(failure)


def test_descriptors_that_are_used_up_are_named():
    assert str(message(OSError(errno.EMFILE, "Too many open files"))).startswith(
        "The worker has no file descriptor left."
    )


@pytest.mark.parametrize(
    ("failure", "says"),
    [(OSError(errno.EPERM, "Operation not permitted"), "Operation not permitted"), (OSError(), "OSError")],
)
def test_another_error_is_told_as_the_system_words_it(failure, says):
    assert message(failure).message == f"The worker's host refused: {says}."
