"""What an archive holds beside its disks so that its script lets a replica follow: logins and words of servers."""

from collections.abc import Mapping
from pathlib import Path

from workers.crash import dialects
from workers.crash.replica_link import ACCOUNT
from workers.sandbox import options
from workers.sandbox.builds import Build
from workers.sandbox.flavours import FAMILIES

REPLICA_CNF = "replica.cnf"
PASSWORD = "@PASSWORD@"  # noqa: S105 - the script makes one up


def files_of_replica(build: Build, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Name -> text. `settings`: of the replica."""
    dialect, account = dialects.of(build), {"account": ACCOUNT, "password": PASSWORD}
    script = Path(__file__).with_name("follow.sh").read_text()
    return {
        REPLICA_CNF: options.portable_cnf(build, settings),
        "login.sql": FAMILIES[build.flavour].account_sql(build.version).format(password=PASSWORD),
        "source.sql": dialect.account_sql.format(**account),
        "point.sql": dialect.point_sql.format(**account, port="@PORT@", position=dialect.by_gtid),
        "follow.sh": script.replace("@WORD@", dialect.word),
    }
