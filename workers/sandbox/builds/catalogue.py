"""The servers that can be installed by name: the entries of catalogue.toml."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from workers.sandbox.builds.compiled import CompiledEngine
from workers.sandbox.builds.debian import DebianSuite
from workers.sandbox.builds.engines import ENGINES
from workers.sandbox.builds.maven import MavenArtifact
from workers.servers.facts import FlavourKey
from workers.toml.table import TomlTable

FILE = Path(__file__).with_name("catalogue.toml")
GPL = "GPL-2.0"
BuildSource = DebianSuite | MavenArtifact | CompiledEngine


@dataclass(frozen=True)
class CatalogueEntry:
    """`version`: the reported version, or its first parts. Sizes are measured, in MiB. `year`: of the version, or of
    its series."""

    title: str
    flavour: FlavourKey
    version: str
    source: BuildSource
    download_mib: int
    size_mib: int
    purpose: str
    licence: str = GPL
    plugins: tuple[str, ...] = ()
    year: int = 0


def read(path: Path) -> dict[str, CatalogueEntry]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    return {key: _entry(file.table(key)) for key in file.data}


def _entry(table: TomlTable) -> CatalogueEntry:
    table.only((*(one.name for one in fields(CatalogueEntry)), *SOURCES))
    sources = [kind for kind in SOURCES if kind in table]
    if len(sources) != 1:
        raise table.wrong("", f"has {len(sources)} sources", f"Give it one of: {', '.join(SOURCES)}.")
    source = SOURCES[sources[0]](table.table(sources[0]))
    plugins = table.some_of("plugins", ENGINES) if "plugins" in table else ()
    described = {key: value for key, value in table.data.items() if key not in SOURCES}
    return TomlTable(table.file, table.path, described).read(CatalogueEntry, source=source, plugins=plugins)


SOURCES: dict[str, Callable[[TomlTable], BuildSource]] = {
    "debian": lambda table: table.read(DebianSuite),
    "maven": lambda table: table.read(MavenArtifact),
    "compiled": lambda table: table.read(
        CompiledEngine, server=table.table("server").read(DebianSuite), made=table.one_of("made", ENGINES)
    ),
}
CATALOGUE = read(FILE)
