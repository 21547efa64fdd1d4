"""The database alone, as it is: `deploy/install.sh --upgrade` keeps it while migrations run, and puts it back if the
upgrade fails. Unlike a restored backup it is the same installation: nothing is held, and nobody is logged out."""

import os
import tempfile
from pathlib import Path

from dashboard.backup import actions
from dashboard.installation import newer_database


def take(file: Path) -> str:
    """Replaces an older one. Raises BackupRefused."""
    migrations = newer_database.applied_migrations()
    with actions.folder_in(file.absolute().parent) as folder:
        draft = folder / file.name
        actions.engine().dump(draft)
        actions.must_be_complete(migrations, actions.engine().migrations(draft))
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(file)
    return f"The database is kept in {file} ({file.stat().st_size >> 10} KiB)."


def put_back(file: Path) -> str:
    """Each migration is stored whole or not at all, so a database with the same migrations is the same. On a full disk
    that needs no room. Raises BackupRefused."""
    engine = actions.engine()
    if sorted(engine.migrations(file)) == sorted(newer_database.applied_migrations()):
        return "No step of the upgrade was stored in the database. It is as it was."
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=file.absolute().parent) as folder:
        draft = Path(folder) / file.name
        os.link(file, draft)  # takes no room; the file itself stays until the upgrade has ended
        with engine.restored(draft) as old:
            pass
    return f"The database of before the upgrade was put back. {old}"
