"""Putting a borrowed server back as it was."""

from collections.abc import Callable, Iterable, Sequence

from workers.servers import schema, variables
from workers.servers.connection import connect
from workers.servers.target import Target


def undo(
    target: Target,
    changed: Sequence[tuple[str, str]],
    schemas: Iterable[str],
    paid: Callable[[str, str], None],
) -> None:
    """Restore variables (name, old value; the last change first) and drop our schemas, whatever of it fails.

    `paid(kind, name)` is called for each thing that is back. Raises ServerError for what is not.
    """
    with connect(target) as connection:
        try:
            variables.restore(connection, changed, lambda name: paid("variable", name))
        finally:
            for name in schemas:
                schema.drop(connection, name)
                paid("schema", name)
