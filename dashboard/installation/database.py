"""The database: SQLite in the home folder, or the PostgreSQL in DATABASE_URL. Read by the settings."""

from collections.abc import Mapping

from dashboard.installation.home import database

FORM = "postgresql://USER:PASSWORD@HOST:PORT/NAME?sslmode=require"
SCHEMES = ("postgresql://", "postgres://")
# Connections outlive requests and are tested before use. A short `reconnect_timeout` avoids psycopg's growing waits.
POOL = {"min_size": 0, "max_size": 16, "timeout": 10, "max_idle": 300, "reconnect_timeout": 10}
# Without these a reader notices a broken connection after two hours, a writer after a quarter of an hour.
LINE = {"connect_timeout": "10", "keepalives_idle": "10", "keepalives_interval": "5", "tcp_user_timeout": "20000"}


class BadDatabase(ValueError):
    """DATABASE_URL is not the address of a usable database. The message never quotes it, because it contains a
    password."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"DATABASE_URL {why}. Nothing was started. Write {FORM}, with % : / ? # @ and spaces inside of a name or "
            "password percent-encoded (@ is %40), or leave it out to use SQLite."
        )


def databases(environment: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """Django's DATABASES. Raises BadDatabase."""
    url = environment.get("DATABASE_URL", "")
    return {"default": _postgresql(url) if url else _sqlite()}


def _sqlite() -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "CONN_MAX_AGE": 600,  # to open the file and read its schema anew takes 7 ms
        "NAME": database(),
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


def _postgresql(url: str) -> dict[str, object]:
    parts = _parts(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname"),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": parts.pop("port", ""),
        "OPTIONS": {"application_name": "durascope", **LINE, **parts, "pool": POOL},
        "CONN_MAX_AGE": 0,  # back to the pool
        "CONN_HEALTH_CHECKS": True,
    }


def _parts(url: str) -> dict[str, str]:
    """Parsed by PostgreSQL's own library. Further checks find passwords that were not encoded."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    if not url.startswith(SCHEMES):
        raise BadDatabase("is no address of a PostgreSQL database")
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except (ProgrammingError, UnicodeError):
        raise BadDatabase("cannot be read") from None  # the library's message quotes the address
    if not parts.get("dbname"):
        raise BadDatabase("names no database")
    if set("@/") & set(parts["dbname"]) or "@" in parts.get("host", ""):
        raise BadDatabase("holds an @ or / too many")
    ports = parts.get("port", "").split(",")
    if not all(port == "" or (port.isdecimal() and 0 < int(port) < 65536) for port in ports):
        raise BadDatabase("names a port that is none")
    return parts
