"""Files are told apart by their names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.metrics.fsync_trace import OLD_BINLOG, classify
from workers.sandbox.options import BINLOG_BASE
from workers.servers.facts import Facts

WITH_BINLOG = Facts("mariadb", (10, 11, 0), "", {"log_bin_basename": "/srv/data/binlog"}, {})
WITHOUT = Facts("mariadb", (10, 11, 0), "", {"log_bin_basename": ""}, {})


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("/srv/data/ib_logfile0", "redo"),
        ("/srv/data/ib_logfile101", "redo"),
        ("/srv/data/#innodb_redo/#ib_redo12", "redo"),
        ("/srv/data/#innodb_redo/#ib_redo12_tmp", "redo"),
        ("/srv/data/#rocksdb/000012.log", "redo"),
        ("/srv/data/binlog.000001", "binlog"),
        ("/srv/data/binlog.index", "binlog"),
        ("/elsewhere/binlog.1000000", "binlog"),
        ("/srv/data/ibdata1", "data"),
        ("/srv/data/shop/orders.ibd", "data"),
        ("/srv/data/undo001", "data"),
        ("/srv/data/undo_001", "data"),
        ("/srv/data/#ib_16384_0.dblwr", "data"),
        ("/srv/data/ib_doublewrite", "data"),
        ("/srv/data/#rocksdb/000013.sst", "data"),
        ("/srv/data/log000000000003.tokulog29", "redo"),
        ("/srv/data/_shop_orders_main_2_1d.tokudb", "data"),
        ("/srv/data/tokudb.environment", "data"),
        ("/srv/data/tokudb.rollback", "data"),
        ("/srv/data/tokudb.directory", "data"),
        ("/srv/data/shop/binlog.ibd", "data"),
        ("/srv/data/shop/orders.frm", "other"),
        ("/srv/data/relay-bin.000001", "other"),
        ("/srv/data/binlog2.000001", "other"),
        ("/srv/data/ddl_recovery.log", "other"),
        ("/srv/data/aria_log.00000001", "other"),
        ("/srv/data/__tokudb_lock_dont_delete_me_logs", "other"),
        ("/srv/data", "other"),
        ("[memory map]", "other"),
        ("", "other"),
    ],
)
def test_a_path_is_known_as_its_kind_of_file(path, files):
    assert classify(path, WITH_BINLOG) == files


def test_a_server_without_a_binlog_has_no_file_of_one():
    assert classify("/srv/data/binlog.000001", WITHOUT) == "other"


@given(st.text())
def test_every_name_has_a_kind(path):
    assert classify(path, WITH_BINLOG) in ("redo", "binlog", "data", "other")


def test_the_binlog_of_a_sandbox_too_old_to_name_the_file_is_known():
    old = Facts("mysql", (5, 5, 9), "", {"log_bin": "ON"}, {})
    assert classify("/srv/data/binlog.000001", old) == classify("/srv/data/binlog.index", old) == "binlog"
    assert classify("/srv/data/ib_logfile0", old) == "redo"
    assert OLD_BINLOG == BINLOG_BASE
