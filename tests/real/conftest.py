"""Real servers for tests: sandboxes of the system's MariaDB, below a folder on disk."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dashboard.records.fleet.models import Worker
from tests.real.crew import Crew
from tests.real.wider import Wider
from workers.sandbox import owner
from workers.sandbox.server import Sandbox
from workers.upkeep.heartbeat import Heartbeat

VAR_TMP = "/var/tmp"  # on a disk nearly everywhere, and open to the unprivileged user


@pytest.fixture(scope="session")
def sandbox_root() -> Iterator[Path]:
    """Each of its sandboxes has a part of the disk for itself. Where an ext4 without a journal makes a file, it looks
    at all files of that part that were removed in the last minute."""
    root = Path(tempfile.mkdtemp(prefix="ds-", dir=VAR_TMP))
    root.chmod(0o755)
    owner.enterable(root / "live")
    subprocess.run(["chattr", "+T", root / "live"], check=False, capture_output=True)
    yield root
    shutil.rmtree(root)


@pytest.fixture
def leaves_nothing(sandbox_root: Path) -> Iterator[None]:
    """No sandbox of the test is there after it. Servers that tests share stay."""
    before = set((sandbox_root / "live").glob("*"))
    yield
    assert set((sandbox_root / "live").glob("*")) <= before


@pytest.fixture(scope="session")
def make_sandbox(sandbox_root: Path) -> Iterator[Callable[..., Sandbox]]:
    """`make_sandbox({"log_bin": "ON"}, name=..., image_key=..., trace=...)`; all are removed at the end. `reads`: files
    beside its own that its server may open."""
    with ExitStack() as all_made:

        def make(
            settings: dict[str, str] | None = None, *, name: str = "test", reads: tuple[Path, ...] = (), **options
        ) -> Sandbox:
            build = Wider.of_the_system(*reads)
            return all_made.enter_context(Sandbox.create(sandbox_root, build, settings or {}, name=name, **options))

        yield make


@pytest.fixture(scope="session")
def sandbox(make_sandbox: Callable[..., Sandbox]) -> Sandbox:
    """One running server for the whole session, binlog on, shared by all tests: leave it as it was."""
    return make_sandbox({"log_bin": "ON"}, name="shared")


@pytest.fixture(scope="module")
def crew(sandbox_root: Path) -> Iterator[Crew]:
    """Redis and workers, shared by the tests of a file: `crew.of(2)`."""
    made = Crew(sandbox_root)
    yield made
    made.end()


@pytest.fixture
def worker(transactional_db: None) -> Iterator[Worker]:
    """The worker that conducts in the process of the test."""
    heartbeat = Heartbeat()
    yield heartbeat.start()
    heartbeat.stop()
