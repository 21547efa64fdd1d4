"""MySQL: https://dev.mysql.com/doc/refman/8.4/en/replication-gtids-auto-positioning.html."""

from dataclasses import replace

from workers.crash.dialects.dialect import Dialect

SOURCE = {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"}
SOURCE_OLD = {**SOURCE, "log_slave_updates": "ON"}
# It is never crashed, so it need not be durable, and one thread keeps up. Parallel threads may wait a minute for the
# rest of a transaction before they stop (SLAVE_WAIT_GROUP_DONE in MySQL's rpl_replica.cc), which a crashed source never
# sends.
FOLLOWER = {**SOURCE, "log_bin": "ON", "sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}

_NEW = Dialect(
    since=(8, 0, 26),
    word="REPLICA",
    account="account.sql",
    point="point_mysql.sql",
    written="SELECT @@GLOBAL.gtid_executed",
    applied="SELECT @@GLOBAL.gtid_executed",
    received="Retrieved_Gtid_Set",
    begin="SET GLOBAL gtid_purged = %s",
    own="SELECT @@GLOBAL.server_uuid",
    of_source=SOURCE,
    of_follower={**FOLLOWER, "replica_parallel_workers": "0", "skip_replica_start": "ON"},
)
_OLD = replace(
    _NEW,
    since=(5, 6, 9),
    word="SLAVE",
    account="account_old.sql",
    point="point_mysql_old.sql",
    of_source=SOURCE_OLD,
    of_follower={**FOLLOWER, "log_slave_updates": "ON", "skip_slave_start": "ON"},
)

DIALECTS = (_OLD, _NEW)
