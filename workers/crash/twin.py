"""A running copy of a server."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from workers.sandbox import images, owner, place, untrusted
from workers.sandbox.server import UUID_FILE, Sandbox
from workers.sandbox.users import User


@contextmanager
def twin(
    original: Sandbox,
    root: Path,
    settings: Mapping[str, str],
    *,
    other_id: bool = False,
    create: Callable[..., Sandbox] = Sandbox.create,
    copy_files: Callable[[Path, Path, User], None] = images.copy,
) -> Iterator[Sandbox]:
    """A running copy of a server below `root`, for what must not change the original. Removed afterwards. Raises
    SandboxError.

    The original is frozen during the copy. The copy is as after a kill of the original, with all commits in its files.
    `other_id`: MySQL's server_uuid is not copied, so that the copy can follow the original.
    """
    place.require_space(root, untrusted.size_bytes(original.datadir))
    with owner.live_folder(root, "copy") as folder:
        with _frozen(original):
            copy_files(original.datadir, folder / "data", original.user)
        if other_id:
            untrusted.remove(folder / "data", [UUID_FILE])
        name, user = f"copy of {original.name}", original.user.name
        with create(root, original.build, settings, name=name, trace=False, user=user, datadir_on=folder) as copy:
            yield copy


@contextmanager
def _frozen(sandbox: Sandbox) -> Iterator[None]:
    sandbox.settle()
    try:
        sandbox.freeze()
        yield
    finally:
        os.kill(sandbox.pid, signal.SIGCONT)
