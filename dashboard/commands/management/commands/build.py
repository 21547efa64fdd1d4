"""Server builds of this machine: `manage.py build list | install NAME | add NAME --basedir PATH | remove NAME`.

Exit status: 0 done, 2 refused or failed; then nothing incomplete is left.
"""

from argparse import ArgumentParser
from pathlib import Path

from dashboard.commands.command import Subcommands
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import install, parts, store
from workers.sandbox.builds.catalogue import CATALOGUE
from workers.sandbox.builds.parts import PARTS


class Command(Subcommands):
    help = "List, install, add and remove server builds for sandboxes."
    stopped = "Nothing was installed; what was downloaded is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        commands.add_parser("list", help="all builds and parts, with state and purpose")
        installs = commands.add_parser("install", help="install builds of the catalogue")
        installs.add_argument("names", nargs="+", metavar="NAME")
        installs.add_argument("--mirror", default="", metavar="URI", help="Debian's archive, where apt knows none")
        adds = commands.add_parser("add", help="take a server of your own")
        adds.add_argument("name", metavar="NAME")
        source = adds.add_mutually_exclusive_group(required=True)
        source.add_argument("--basedir", type=Path, metavar="PATH", help="used in place")
        source.add_argument("--tarball", type=Path, metavar="FILE", help="unpacked into the builds' folder")
        removes = commands.add_parser("remove", help="remove an installed build; what was downloaded is kept")
        removes.add_argument("name", metavar="NAME")
        removes.add_argument("--downloads", action="store_true", help="remove what was downloaded for it, too")

    def _list(self, **_: object) -> None:
        everything: dict[str, builds.KnownBuild | parts.BuildPart] = {**builds.every(), **PARTS}
        for key, known in everything.items():
            self.say(f"{key}: {known.title}\n    {_state(key)}\n    {known.purpose}")
        self.say(f"Installed builds are in {store.folder()}.")

    def _install(self, *, names: list[str], mirror: str, **_: object) -> None:
        for name in names:
            install.install(name, self.say, mirror)
            self.say(_ready(name))

    def _add(self, *, name: str, basedir: Path | None, tarball: Path | None, **_: object) -> None:
        install.add(name, self.say, basedir=basedir, tarball=tarball)
        self.say(_ready(name))

    def _remove(self, *, name: str, downloads: bool, **_: object) -> None:
        install.remove(name, self.say, with_downloads=downloads)
        self.say(f"{name} was removed.")


def _ready(key: str) -> str:
    if key in PARTS:
        return f"{key} is installed: {PARTS[key].title}."
    build = builds.find(key)
    return f"{key} is installed: {build.title}, version {build.version_text}."


def _state(key: str) -> str:
    """Its version if it is installed; else the download and space that it needs."""
    try:
        if key in PARTS:
            return f"installed: {parts.find(key)}"
        build = builds.find(key)
    except SandboxError as absent:
        if entry := CATALOGUE.get(key) or PARTS.get(key):
            return f"not installed: {entry.download_mib} MiB to download, {entry.size_mib} MiB when installed"
        return f"not here: {absent}"
    manifest = store.read(key)
    size = f", {manifest.size_mib} MiB" if manifest and manifest.size_mib else ""
    return f"installed: version {build.version_text}{size}"
