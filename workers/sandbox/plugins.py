"""Storage engines that are plugins: can they run here, and do they run?"""

import contextlib

from workers.errors import SandboxError, ServerEnded
from workers.sandbox.builds import Build
from workers.servers import look
from workers.servers.connection import connect
from workers.servers.target import Target


def require_can_run(build: Build, name: str) -> None:
    """SandboxError: this machine cannot run an engine of the build."""
    for engine in build.engines:
        if missing := engine.missing():
            raise SandboxError(f"The sandbox {name} was not started. {missing}")


def require_run(build: Build, target: Target, last_words: str) -> None:
    """A server runs without a plugin that cannot start, and only its error log says so: ServerEnded then."""
    if not build.engines:
        return
    with contextlib.closing(connect(target)) as connection:
        there = look.read(connection)
    for engine in build.engines:
        if not there.has_engine(engine.name):
            raise ServerEnded(
                f"The sandbox {target.name} runs without its engine {engine.name}: SHOW ENGINES does not offer it, "
                f"and the server was ended. Its error log ends with: {last_words}",
                "Check the settings it was given.",
            )
