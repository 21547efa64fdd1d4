"""The authentication plugins of sysbench's client library, without those that send the password in clear text.

MariaDB's library loads any plugin that the server asks for. Only a folder without such plugins prevents it. MySQL's
library refuses by itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workers.host import temporary
from workers.servers.clear_text import PLUGINS, proves_its_identity
from workers.servers.target import Target

ROOT = Path("/usr")
INSTALLED = ("lib/*/libmariadb3/plugin/*.so", "lib*/mariadb/plugin/*.so")  # Debian and Ubuntu; Fedora


@contextmanager
def without_clear_text(target: Target) -> Iterator[dict[str, str]]:
    """Variables for sysbench's environment: a folder with links to the other plugins. None for a server that proves its
    identity."""
    if proves_its_identity(target):
        yield {}
        return
    with temporary.folder("plugins") as folder:
        for plugin in (found for pattern in INSTALLED for found in ROOT.glob(pattern)):
            if plugin.stem not in PLUGINS:
                (folder / plugin.name).symlink_to(plugin)
        yield {"MARIADB_PLUGIN_DIR": str(folder)}
