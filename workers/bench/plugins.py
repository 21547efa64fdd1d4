"""The ways to log in that sysbench's client library may load, without those that send the password in clear text.

MariaDB's library does what whoever answers asks for, and cannot be told otherwise but by what its folder of plugins
holds. MySQL's refuses by itself.
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
    """What it adds to sysbench's environment: a folder with links to the others, or nothing where nobody else could be
    at the other end."""
    if proves_its_identity(target):
        yield {}
        return
    with temporary.folder("plugins") as folder:
        for plugin in (found for pattern in INSTALLED for found in ROOT.glob(pattern)):
            if plugin.stem not in PLUGINS:
                (folder / plugin.name).symlink_to(plugin)
        yield {"MARIADB_PLUGIN_DIR": str(folder)}
