"""The image of a trial's server, with the witness's empty tables."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from workers.crash.replica import SCHEMA
from workers.errors import SandboxError
from workers.sandbox import images
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.sandbox.users import User, unprivileged_user
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target

SCHEMA_SQL = Path(__file__).with_name("schema.sql")
ENGINES_SQL = "SELECT DISTINCT engine FROM information_schema.tables WHERE table_schema = %s"


def witness_image(
    root: Path,
    build: Build,
    engine: str,
    user: str,
    create: Callable[..., Sandbox] = Sandbox.create,
    connect: Callable[[Target], Connection] = connect,
    find_user: Callable[[str], User] = unprivileged_user,
) -> str:
    """The key of the image, which is made on first use. Raises SandboxError or ServerError."""
    what = (build.key, build.version_text, str(find_user(user).uid), engine, SCHEMA_SQL.read_text())
    key = f"witness-{hashlib.sha256(' '.join(what).encode()).hexdigest()[:20]}"
    if images.find(root, key) is None:
        with create(root, build, {}, name="witness image", trace=False, user=user) as server:
            with connect(server.target) as connection:
                ask.rows(connection, f"CREATE SCHEMA {SCHEMA}")
                make_tables(connection, SCHEMA, engine)
            server.stop()
            server.save_image(key)
    return key


def make_tables(connection: Connection, schema: str, engine: str) -> None:
    """Make the witness's tables in an empty schema. SandboxError when the server silently uses another engine (no
    NO_ENGINE_SUBSTITUTION, or an enforced engine): the verdict would name the wrong engine."""
    connection.select_db(schema)
    for statement in filter(str.strip, SCHEMA_SQL.read_text().format(engine=engine).split(";")):
        ask.rows(connection, statement)
    made = {ask.as_text(found) for (found,) in ask.rows(connection, ENGINES_SQL, [schema])}
    if {found.lower() for found in made} != {engine.lower()}:
        raise SandboxError(
            f"The witness's tables are in {', '.join(sorted(made))} instead of {engine}: nothing was crashed.",
            "See SHOW ENGINES, sql_mode and enforce_storage_engine of the server.",
        )
