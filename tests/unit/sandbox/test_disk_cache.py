"""What is in memory, what is in the image, and what a cut leaves: the cache against a model of two arrays."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.disk.cache import Cache
from workers.sandbox.disk.image import BLOCK_BYTES, Image

BLOCKS = 6
SIZE = BLOCKS * BLOCK_BYTES
ranges = st.tuples(st.integers(0, SIZE - 1), st.integers(1, 3 * BLOCK_BYTES), st.integers(1, 255))
steps = st.one_of(st.tuples(st.just("write"), ranges), st.sampled_from([("begin", None), ("finish", None)]))


@pytest.fixture
def image(tmp_path):
    fd = os.open(tmp_path / "image", os.O_RDWR | os.O_CREAT)
    os.truncate(fd, SIZE)
    yield fd
    os.close(fd)


def blank() -> tuple[int, Cache]:
    fd = os.memfd_create("image")
    os.truncate(fd, SIZE)
    return fd, Cache(Image(fd), SIZE)


def filled(fd: int, byte: bytes, blocks: int = BLOCKS) -> Cache:
    cache = Cache(Image(fd), SIZE)
    cache.write(0, memoryview(byte * BLOCK_BYTES * blocks))
    return cache


@given(st.lists(steps, max_size=30))
def test_written_data_is_read_back_and_flushed_data_survives(script):
    """The model: `seen` is what a reader sees, `leaving` what a flush promised, `kept` what is in the image."""
    fd, cache = blank()
    seen = kept = leaving = bytes(SIZE)
    flushing = False
    try:
        for name, argument in script:
            if name == "write":
                offset, length, byte = argument
                data = bytes([byte]) * min(length, SIZE - offset)
                cache.write(offset, memoryview(data))
                seen = seen[:offset] + data + seen[offset + len(data) :]
            elif name == "begin" and not flushing:
                cache.begin_flush()
                leaving, flushing = seen, True
            elif name == "finish" and flushing:
                cache.finish_flush()
                kept, flushing = leaving, False
            assert cache.read(0, SIZE) == seen
            assert os.pread(fd, SIZE, 0) == kept
        cache.cut()
        cache.forget()
        assert cache.read(0, SIZE) == kept
    finally:
        os.close(fd)


def test_a_cut_loses_all_unflushed_data(image):
    cut = filled(image, b"x").cut()
    assert (cut.lost_bytes, cut.kept_bytes) == (SIZE, 0)
    assert os.pread(image, SIZE, 0) == bytes(SIZE)


def test_a_cut_loses_a_flush_in_progress(image):
    cache = filled(image, b"x")
    cache.begin_flush()
    cache.cut()
    cache.finish_flush()
    assert os.pread(image, SIZE, 0) == bytes(SIZE)
    assert cache.read(0, SIZE) == b"x" * SIZE  # but goes on answering from memory
    cache.forget()
    assert cache.read(0, SIZE) == bytes(SIZE)


def test_nothing_reaches_the_image_after_a_cut(image):
    cache = filled(image, b"x")
    cache.cut()
    cache.write(0, memoryview(b"y" * BLOCK_BYTES))
    cache.begin_flush()
    cache.finish_flush()
    assert cache.read(0, 2) == b"yy"
    assert os.pread(image, SIZE, 0) == bytes(SIZE)


def test_a_cut_at_1000_permille_keeps_everything(image):
    cut = filled(image, b"x").cut(1000, 5)
    assert (cut.lost_bytes, cut.kept_bytes) == (0, SIZE)
    assert os.pread(image, SIZE, 0) == b"x" * SIZE


def torn(seed: int, granularity: int = 512, byte: bytes = b"x", first: int = 0) -> bytes:
    fd, cache = blank()
    try:
        for block in (*range(first, BLOCKS), *range(first)):
            cache.write(block * BLOCK_BYTES, memoryview(byte * BLOCK_BYTES))
        cache.cut(500, seed, granularity)
        return os.pread(fd, SIZE, 0)
    finally:
        os.close(fd)


@given(st.integers(0, 2**63))
def test_the_same_seed_tears_alike_whatever_the_order_of_writes(seed):
    assert torn(seed) == torn(seed, first=3)
    assert torn(seed, byte=b"y") == torn(seed).replace(b"x", b"y")


def test_another_seed_tears_otherwise():
    assert len({torn(seed) for seed in range(50)}) == 50


@pytest.mark.parametrize("granularity", [512, 1024, 2048, 4096])
def test_a_tear_keeps_whole_pieces_only(granularity):
    survived = torn(3, granularity)
    pieces = {survived[at : at + granularity] for at in range(0, SIZE, granularity)}
    assert pieces == {b"x" * granularity, bytes(granularity)}


def test_a_tear_keeps_about_the_wanted_share():
    fd = os.memfd_create("image")
    os.truncate(fd, 400 * BLOCK_BYTES)
    cache = Cache(Image(fd), 400 * BLOCK_BYTES)
    cache.write(0, memoryview(b"x" * 400 * BLOCK_BYTES))
    cut = cache.cut(250, 1)
    assert 0.22 < cut.kept_bytes / (400 * BLOCK_BYTES) < 0.28
    assert os.pread(fd, 400 * BLOCK_BYTES, 0).count(b"x") == cut.kept_bytes
    os.close(fd)


def test_blocks_that_the_host_could_not_take_stay_in_memory(image, monkeypatch):
    cache = filled(image, b"x")
    cache.begin_flush()
    cache.write(0, memoryview(b"y" * BLOCK_BYTES))
    with monkeypatch.context() as full, pytest.raises(OSError, match="only a part"):
        full.setattr(os, "pwritev", lambda *_: 0)
        cache.finish_flush()
    assert cache.read(0, SIZE) == b"y" * BLOCK_BYTES + b"x" * (SIZE - BLOCK_BYTES)
    cache.begin_flush()
    cache.finish_flush()
    assert os.pread(image, SIZE, 0) == cache.read(0, SIZE)
