"""A second server on a copy of a running server's data, for experiments that must not change the original."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from workers.sandbox import images, owner, place
from workers.sandbox.server import Sandbox


@contextmanager
def twin(original: Sandbox, root: Path, settings: Mapping[str, str]) -> Iterator[Sandbox]:
    """A running copy below `root`, removed afterwards. Raises SandboxError.

    The original is frozen during the copy. The copy is as after a kill of the original, with all commits in its files.
    """
    place.require_space(root, images.size_bytes(original.datadir))
    folder = owner.new_folder(root / "live")
    try:
        with _frozen(original):
            images.copy(original.datadir, folder / "data", original.user)
        name, user = f"copy of {original.name}", original.user.name
        with Sandbox.create(
            root, original.build, settings, name=name, trace=False, user=user, datadir_on=folder
        ) as copy:
            yield copy
    finally:
        owner.remove(folder)


@contextmanager
def _frozen(sandbox: Sandbox) -> Iterator[None]:
    sandbox.settle()
    try:
        sandbox.freeze()
        yield
    finally:
        os.kill(sandbox.pid, signal.SIGCONT)
