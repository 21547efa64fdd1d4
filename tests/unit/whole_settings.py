"""Every setting on which the durability report rests, so that nothing is lost."""

from workers.servers.deciding import SOMETIMES

EVERYWHERE = {
    "innodb_flush_log_at_trx_commit": "1",
    "innodb_flush_log_at_timeout": "1",
    "sync_binlog": "1",
    "log_bin": "ON",
    "innodb_flush_method": "O_DIRECT",
    "innodb_doublewrite": "ON",
    "innodb_force_recovery": "0",
}
MYROCKS = {
    "rocksdb_flush_log_at_trx_commit": "1",
    "rocksdb_manual_wal_flush": "ON",
    "rocksdb_write_disable_wal": "OFF",
    "rocksdb_enable_2pc": "ON",
    "rocksdb_wal_recovery_mode": "1",
}
MYSQL_8 = ("mysql", (8, 0, 36))


def whole(flavour, version, **more):
    """Of a server of that version; `more`: other values, None: the server does not tell it."""
    there = {name: row.instead for name, row in SOMETIMES.items() if row.exists(flavour, version)}
    return {name: value for name, value in (EVERYWHERE | there | more).items() if value is not None}
