"""Restores an attached server: variables and schemas."""

from collections.abc import Callable, Iterable, Sequence

from workers.errors import ServerError
from workers.servers import schema, variables
from workers.servers.connection import connect
from workers.servers.target import Target

WHOLE = (600.0, 16 << 20)  # seconds and bytes: an endless answer must not delay other restores


def undo(
    target: Target,
    changed: Sequence[tuple[str, str]],
    schemas: Iterable[str],
    restored: Callable[[str, str], None],
    require_claim: Callable[[], None],
) -> None:
    """Restore variables (name, old value; the last change first) and drop our schemas, even if a part fails.

    `require_claim` is called before each change and raises Taken when another experiment may hold the server.
    `restored(kind, name)` is called for each restored thing. ServerError names all others.
    """
    failed: list[ServerError] = []
    with connect(target, whole=WHOLE) as connection:
        try:
            variables.restore(connection, changed, lambda name: restored("variable", name), require_claim)
        except ServerError as error:
            failed.append(error)
        for name in schemas:
            require_claim()
            try:
                schema.drop(connection, name)
                restored("schema", name)
            except ServerError as error:
                failed.append(ServerError(f"The schema {name} was not dropped: {error.message}", error.fix))
    if failed:
        fixes = dict.fromkeys(error.fix for error in failed if error.fix)
        raise ServerError(" ".join(error.message for error in failed), " ".join(fixes))
