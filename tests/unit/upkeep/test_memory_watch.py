"""A worker near the limit of its memory ends one experiment, and only near it."""

import pytest

from workers.host import memory
from workers.host.memory import MemoryUse
from workers.upkeep import conducting_now, memory_watch

NEAR, FAR = MemoryUse(95, 100), MemoryUse(89, 100)


@pytest.fixture
def cgroups(tmp_path):
    """Control groups as the kernel shows them: MAX (or "max"), memory.current, and cached files of one."""

    def make(**groups):
        for name, (limit, current, cached) in groups.items():
            folder = tmp_path / name.replace("__", "/")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "memory.max").write_text(f"{limit}\n")
            (folder / "memory.current").write_text(f"{current}\n")
            (folder / "memory.stat").write_text(f"anon 1\ninactive_file {cached}\nslab_reclaimable 0\n")
        own = tmp_path / "own"
        own.write_text(f"0::/{list(groups)[-1].replace('__', '/')}\n")
        return memory.use(tmp_path, own)

    return make


def test_the_group_that_is_nearest_to_its_limit_counts(cgroups):
    """Its own or one above. What the kernel would take back is not used."""
    assert cgroups(system=(1000, 900, 0), system__worker=(1000, 500, 100)) == MemoryUse(900, 1000, "/system")
    assert cgroups(system=(1000, 100, 0), system__worker=(1000, 500, 100)) == MemoryUse(400, 1000)


def test_without_a_limit_nothing_is_watched(cgroups, tmp_path):
    assert cgroups(system=("max", 900, 0), system__worker=("max", 500, 0)) is None
    (tmp_path / "own").write_text("4:memory:/elsewhere\n")
    assert memory.use(tmp_path, tmp_path / "own") is None
    assert memory.use(tmp_path, tmp_path / "missing") is None


def test_the_experiment_that_began_last_ends_and_the_others_go_on():
    with conducting_now.once(7), conducting_now.once(8), conducting_now.once(9):
        memory_watch.look(lambda: FAR)
        assert not any(map(conducting_now.must_end, (7, 8, 9)))
        memory_watch.look(lambda: NEAR)
        assert "memory" in conducting_now.must_end(9) and not conducting_now.must_end(8)
        memory_watch.look(lambda: NEAR)
        assert not conducting_now.must_end(8), "the other has not ended yet"
    assert not conducting_now.must_end(9) and not conducting_now.experiments()


def test_the_next_one_follows_where_that_was_not_enough():
    with conducting_now.once(7):
        with conducting_now.once(8):
            memory_watch.look(lambda: NEAR)
        memory_watch.look(lambda: NEAR)
        assert conducting_now.must_end(7)


def test_a_worker_without_an_experiment_ends_none():
    memory_watch.look(lambda: NEAR)
    memory_watch.look(lambda: None)
    assert not conducting_now.experiments()


def test_one_that_hangs_at_its_end_keeps_the_next_only_for_a_time(monkeypatch):
    with conducting_now.once(7), conducting_now.once(8):
        memory_watch.look(lambda: NEAR)
        monkeypatch.setattr(conducting_now, "ENDS_WITHIN_S", 0.0)
        memory_watch.look(lambda: NEAR)
        assert conducting_now.must_end(8) and conducting_now.must_end(7)
        memory_watch.look(lambda: NEAR)


def test_a_group_above_is_named_and_the_worker_not_blamed(monkeypatch):
    said = []
    monkeypatch.setattr(conducting_now, "end_newest", said.append)
    memory_watch.look(lambda: MemoryUse(95, 100, "/system"))
    memory_watch.look(lambda: NEAR)
    assert "control group /system" in said[0] and "The worker used" not in said[0]
    assert "The worker used" in said[1]
