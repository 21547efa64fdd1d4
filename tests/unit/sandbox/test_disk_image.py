"""A state over a base: it reads as one disk, and the base is never changed."""

import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.disk.image import BLOCK_BYTES, StateImage, packed, unpacked

BLOCKS = 4
SIZE = BLOCKS * BLOCK_BYTES
BASE = b"".join(bytes([65 + number]) * BLOCK_BYTES for number in range(BLOCKS))


def in_memory(data: bytes) -> int:
    fd = os.memfd_create("image")
    os.pwrite(fd, data, 0)
    return fd


@given(
    st.dictionaries(st.integers(0, BLOCKS - 1), st.integers(0, 255)),
    st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(1, 2 * BLOCK_BYTES), st.integers(0, 255)), max_size=5),
    st.integers(0, SIZE - 1),
    st.integers(1, SIZE),
)
def test_a_state_over_its_base_reads_as_one_disk(state, writes, offset, length):
    blocks = {number: bytes([byte]) * BLOCK_BYTES for number, byte in state.items()}
    fd, model = in_memory(BASE), bytearray(BASE)
    image, given_fd = StateImage(fd), in_memory(b"".join(packed(blocks)))
    image.become(unpacked(given_fd, SIZE))
    for number, block in blocks.items():
        model[number * BLOCK_BYTES : (number + 1) * BLOCK_BYTES] = block
    for at, size, byte in writes:
        data = bytes([byte]) * min(size, SIZE - at)
        image.write(at, [data[:100], data[100:]])
        model[at : at + len(data)] = data
    length = min(length, SIZE - offset)
    assert image.read(offset, length) == model[offset : offset + length]
    assert os.pread(fd, SIZE, 0) == BASE
    os.close(fd)
    os.close(given_fd)


FALSE = {
    "short": b"\1",
    "fewer blocks than said": struct.pack("<2Q", 1, 0) + bytes(100),
    "more than said": struct.pack("<2Q", 1, 0) + bytes(BLOCK_BYTES + 1),
    "far too many": struct.pack("<Q", 2**60),
    "outside": struct.pack("<2Q", 1, BLOCKS) + bytes(BLOCK_BYTES),
}


@pytest.mark.parametrize("data", FALSE.values(), ids=FALSE)
def test_data_that_is_no_list_of_blocks_is_refused(data):
    fd = in_memory(data)
    with pytest.raises(ValueError, match="block"):
        unpacked(fd, SIZE)
    os.close(fd)
