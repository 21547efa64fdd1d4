"""Two servers are compared by the settings that decide durability and replication, in older and newer words."""

from workers.servers.compared import SettingDifference, differences, name_of

ONE = {"sync_binlog": "1", "log_bin": "ON", "server_uuid": "a", "port": "3306"}


def test_only_settings_that_differ_are_told():
    """Each server has an identity of its own, and 1 means ON."""
    other = {**ONE, "sync_binlog": "0", "log_bin": "1", "server_uuid": "b", "port": "3307"}
    assert differences(ONE, other, same_flavour=True) == (SettingDifference("sync_binlog", "1", "0"),)


def test_a_setting_that_one_server_lacks_is_a_difference_only_within_a_flavour():
    more = {**ONE, "sync_relay_log": "1"}
    assert differences(more, ONE, same_flavour=True) == (SettingDifference("sync_relay_log", "1", None),)
    assert differences(more, ONE, same_flavour=False) == ()


def test_older_and_newer_words_name_one_setting():
    older, newer = "RPL_SEMI_SYNC_MASTER_ENABLED", "rpl_semi_sync_source_enabled"
    assert name_of(older) == name_of(newer) == newer
    assert name_of("server_uuid") == name_of("port") == ""
