"""The option file holds what was asked for, and nothing that was smuggled in."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.errors import SandboxError
from workers.sandbox import options
from workers.sandbox.builds import Build
from workers.sandbox.builds.layout import Layout

MARIADB = Build("system-mariadb", "", "mariadb", (10, 11, 0), Layout(Path("/usr/sbin/mariadbd")))
FOLDER = Path("/srv/sandboxes/live/1")


def lines(settings, build=MARIADB):
    return options.my_cnf(build, FOLDER, 4711, settings).splitlines()


def test_all_paths_lie_in_the_folder_of_the_sandbox():
    text = lines({})
    for line in ("basedir=/usr", f"datadir={FOLDER}/data", f"socket={FOLDER}/run/sock", "port=4711"):
        assert line in text
    assert "bind_address=127.0.0.1" in text


def test_a_server_in_a_namespace_listens_on_its_own_address():
    text = options.my_cnf(MARIADB, FOLDER, 4711, {}, address="10.231.0.1")
    assert [line for line in text.splitlines() if line.startswith("bind_address")] == ["bind_address=10.231.0.1"]


def test_settings_win_over_defaults():
    text = lines({"innodb_buffer_pool_size": "1G"})
    assert "innodb_buffer_pool_size=1G" in text
    assert "innodb_buffer_pool_size=128M" not in text


@pytest.mark.parametrize("value", ["ON", "on ", "1", "true"])
def test_the_binlog_has_a_file_name(value):
    assert "log_bin=binlog" in lines({"log_bin": value})


@pytest.mark.parametrize("value", ["OFF", "off", "0", "No"])
def test_the_binlog_can_be_switched_off(value):
    assert "skip_log_bin" in lines({"log_bin": value})


def test_the_binlog_is_off_by_default():
    assert "skip_log_bin" in lines({})


@pytest.mark.parametrize(
    "settings",
    [
        {"log_bin": "/etc/binlog"},
        {"datadir": "/var/lib/mysql"},
        {"init_file": "/tmp/evil.sql"},
        {"plugin_load_add": "ha_evil.so"},
        {"sync_binlog": "1\nuser=root"},
        {"sync_binlog": "1 # comment"},
        {"sync_binlog\nuser": "root"},
        {"sync-binlog": "1"},
        {"": "1"},
        {"!include": "x"},
    ],
)
def test_a_setting_that_would_break_the_option_file_is_refused(settings):
    with pytest.raises(SandboxError):
        lines(settings)


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12), max_size=3))
def test_the_option_file_writes_one_line_per_setting_or_refuses(settings):
    try:
        text = lines(settings)
    except SandboxError:
        return
    assert len(text) == len(lines({})) + len(settings.keys() - options.DEFAULTS.keys())
    assert all(f"{name}={value}" in text for name, value in settings.items() if name != "log_bin")


def test_the_second_port_of_mysql_is_switched_off():
    mysql = Build("system-mysql", "", "mysql", (8, 0, 33), Layout(Path("/usr/sbin/mysqld")))
    assert "mysqlx=OFF" in lines({}, mysql)
    assert "mysqlx=OFF" not in lines({})


@pytest.mark.parametrize("on", ["ON", "on ", "1", "true"])
@pytest.mark.parametrize(("flavour", "condition"), [("mariadb", "COND_wakeup_ready"), ("mysql", "COND_done")])
def test_performance_schema_also_times_the_wait_for_a_leader(on, flavour, condition):
    told = [
        line for line in lines({"performance_schema": on}, replace(MARIADB, flavour=flavour)) if "instrument" in line
    ]
    assert len(told) == 1 and told[0].endswith(f"::{condition}=ON'")
    assert told[0].startswith("loose_")  # MySQL 5.5 does not know it, and starts all the same


def test_without_performance_schema_nothing_is_timed():
    assert [line for line in lines({}) if "instrument" in line] == []
