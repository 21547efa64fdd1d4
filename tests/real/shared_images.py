"""Images that the processes of one test run share: a process copies what another has made. To make one of MySQL 8.0
costs seconds, and most processes need it. Images that a test names itself stay its own."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from unittest import mock

from workers.sandbox import images
from workers.sandbox.users import unprivileged_user

RUN = "PYTEST_XDIST_TESTRUNUID"  # the same in all processes of a run
OF_DISKS = ".whole-disk-"


class SharedImages:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder, self._fresh = folder, f"-{unprivileged_user().uid}"
        self._ensure, self._find = images.ensure, images.find
        self._inside: ContextVar[bool] = ContextVar("inside", default=False)
        self._users = (folder / "users").open("w")
        fcntl.flock(self._users, fcntl.LOCK_SH)

    def close(self) -> None:
        """The last process removes them."""
        with self._users:
            try:
                fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            shutil.rmtree(self._folder)

    def find(self, root: Path, key: str) -> Path | None:
        found = self._find(root, key)
        is_elsewhere = not found and self._is_shared(key) and (self._folder / key).is_dir()
        return self.ensure(root, key, lambda to: None) if is_elsewhere else found

    def ensure(self, root: Path, key: str, make: Callable[[Path], None]) -> Path:
        if not self._is_shared(key) or self._find(root, key):
            return self._ensure(root, key, make)
        with self._alone(key):
            kept = self._folder / key
            if kept.is_dir():
                return self._ensure(root, key, lambda to: _copy(kept, to))
            made, making = self._ensure(root, key, make), self._folder / f"making {key}"
            shutil.rmtree(making, ignore_errors=True)  # of a process that was interrupted
            _copy(made, making)
            making.rename(kept)
            return made

    def _is_shared(self, key: str) -> bool:
        of = key.partition(OF_DISKS)[0]
        return not self._inside.get() and (of.startswith(("witness-", "galera-")) or of.endswith(self._fresh))

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        with (self._folder / f"{key}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            token = self._inside.set(True)
            try:
                yield
            finally:
                self._inside.reset(token)


def _copy(image: Path, to: Path) -> None:
    subprocess.run(["cp", "--archive", "--reflink=auto", "--sparse=always", image, to], check=True)


@contextmanager
def shared(beside: Path) -> Iterator[None]:
    """In the processes of `pytest -n`. The images lie beside that folder, on its disk."""
    if RUN not in os.environ:
        yield
        return
    made = SharedImages(beside.parent / f"ds-images-{os.environ[RUN]}")
    with mock.patch.object(images, "ensure", made.ensure), mock.patch.object(images, "find", made.find):
        yield
    made.close()
