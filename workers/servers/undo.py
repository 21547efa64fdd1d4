"""Putting a borrowed server back as it was."""

from collections.abc import Callable, Iterable, Sequence

from workers.servers import schema, variables
from workers.servers.connection import connect
from workers.servers.target import Target

WHOLE = (600.0, 16 << 20)  # seconds and bytes: a server that answers without end does not keep the others waiting


def undo(
    target: Target,
    changed: Sequence[tuple[str, str]],
    schemas: Iterable[str],
    restored: Callable[[str, str], None],
    must_hold: Callable[[], None],
) -> None:
    """Restore variables (name, old value; the last change first) and drop our schemas, whatever of it fails.

    `must_hold` is called before each change and raises Taken when the server may be another experiment's by now.
    `restored(kind, name)` is called for each thing that is back. Raises ServerError for what is not.
    """
    with connect(target, whole=WHOLE) as connection:
        try:
            variables.restore(connection, changed, lambda name: restored("variable", name), must_hold)
        finally:
            for name in schemas:
                must_hold()
                schema.drop(connection, name)
                restored("schema", name)
