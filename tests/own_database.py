"""An empty database for a process that a test starts: a file in its home, or one of the private PostgreSQL's."""

import hashlib
import os
from pathlib import Path
from urllib.parse import urlsplit

import psycopg


def own_database(home: Path) -> dict[str, str]:
    """What tells a process so; the same for the same home."""
    here = os.environ.get("DATABASE_URL")
    if here is None:
        return {"DURASCOPE_SQLITE": str(home / "durascope.sqlite3")}
    name = f"own_{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"
    with psycopg.connect(_renamed(here, "postgres"), autocommit=True) as link:
        if not link.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            link.execute(f'CREATE DATABASE "{name}"')
    return {"DATABASE_URL": _renamed(here, name)}


def _renamed(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()
