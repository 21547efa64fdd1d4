"""MariaDB: https://mariadb.com/kb/en/gtid/."""

from workers.crash.dialects.dialect import Dialect

# Durable, able to become primary, and with threads enough: one thread applies 1300 transactions/s of a load of 9000,
# sixteen with group commit 7000.
FOLLOWER = {
    "log_bin": "ON",
    "log_slave_updates": "ON",
    "sync_binlog": "1",
    "innodb_flush_log_at_trx_commit": "1",
    "slave_parallel_threads": "16",
    "skip_slave_start": "ON",
}

DIALECTS = (
    Dialect(
        since=(10, 1, 3),
        word="SLAVE",
        account="account.sql",
        point="point_mariadb.sql",
        written="SELECT @@GLOBAL.gtid_binlog_pos",
        applied="SELECT @@GLOBAL.gtid_slave_pos",
        received="Gtid_IO_Pos",
        begin="SET GLOBAL gtid_slave_pos = %s",
        demote="SET GLOBAL gtid_slave_pos = %s",  # MASTER_DEMOTE_TO_SLAVE, but of any version
        of_follower=FOLLOWER,
    ),
)
