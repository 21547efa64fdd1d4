"""The servers that can be installed by name: the entries of catalogue.toml."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from workers.sandbox.builds.compiled import CompiledEngine
from workers.sandbox.builds.debian import SUITES, DebianSuite
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
    table.only(("title", "flavour", "version", "year", "download_mib", "size_mib", "purpose", "plugins", *SOURCES))
    sources = [kind for kind in SOURCES if kind in table]
    if len(sources) != 1:
        raise table.wrong("", f"has {len(sources)} sources", f"Give it one of: {', '.join(SOURCES)}.")
    return CatalogueEntry(
        table.text("title"),
        table.one_of("flavour", get_args(FlavourKey)),
        table.text("version"),
        SOURCES[sources[0]](table.table(sources[0])),
        table.whole("download_mib"),
        table.whole("size_mib"),
        table.text("purpose"),
        plugins=table.some_of("plugins", ENGINES) if "plugins" in table else (),
        year=table.whole("year"),
    )


def _debian(table: TomlTable) -> DebianSuite:
    table.only(("suite", "packages", "without_dependencies"))
    suite, alone = table.one_of("suite", SUITES), table.texts("without_dependencies", ())
    return DebianSuite(suite, table.texts("packages"), alone)


def _maven(table: TomlTable) -> MavenArtifact:
    table.only(("artifact", "sha256", "places", "keep", "nested"))
    places, nested = table.table("places", {"": ""}), table.table("nested", {})
    return MavenArtifact(
        table.text("artifact"),
        table.text("sha256"),
        {inside: places.text(inside) for inside in places.data},
        table.texts("keep", ("*",)),
        {inside: nested.text(inside) for inside in nested.data},
    )


def _compiled(table: TomlTable) -> CompiledEngine:
    table.only(("suite", "packages", "tools", "source", "recipe", "made", "tree_mib"))
    return CompiledEngine(
        DebianSuite(table.one_of("suite", SUITES), table.texts("packages")),
        table.texts("tools"),
        table.text("source"),
        table.text("recipe"),
        table.one_of("made", ENGINES),
        table.whole("tree_mib"),
    )


SOURCES: dict[str, Callable[[TomlTable], BuildSource]] = {"debian": _debian, "maven": _maven, "compiled": _compiled}
CATALOGUE = read(FILE)
