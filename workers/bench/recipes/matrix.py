"""Variants as every combination of the options of some axes, over common settings.

    [plan.common]
    storage = "hdd-10k"
    settings = { innodb_flush_log_at_trx_commit = "1" }

    [plan.axes.server]
    "MySQL 5.5" = { build = "mysql-5.5.34" }
    "MySQL 5.6" = { build = "mysql-5.6.14" }

    [plan.axes.binlog]
    "binlog off" = { settings = { log_bin = "OFF" } }
    "binlog on" = { settings = { log_bin = "ON", sync_binlog = "1" } }

makes four variants, the first called "MySQL 5.5, binlog off". Variants in `[[plan.variants]]` come first.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

from workers.toml.table import TomlTable

PARTS = ("settings", "engine", "build", "storage", "topology")


def variants(plan: TomlTable) -> list[dict[str, Any]]:
    """As for Plan.from_dict. Raises PlanError."""
    common = _part(plan.table("common", {}))
    written = [_merged(_named(table), common) for table in plan.tables("variants")]
    return written + (_combined(plan.table("axes"), common) if "axes" in plan else [])


def _named(table: TomlTable) -> dict[str, Any]:
    unnamed = {key: value for key, value in table.data.items() if key != "name"}
    return {"name": table.text("name"), **_part(TomlTable(table.file, table.path, unnamed))}


def _combined(axes: TomlTable, common: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [_chosen(one, common) for one in product(*(_options(axes.table(axis)) for axis in axes.data))]


def _options(axis: TomlTable) -> list[tuple[str, dict[str, Any]]]:
    if not axis.data:
        raise axis.wrong("", "has no options", 'Write one a line: "binlog on" = { settings = { log_bin = "ON" } }.')
    return [(name, _part(axis.table(name))) for name in axis.data]


def _chosen(options: tuple[tuple[str, dict[str, Any]], ...], common: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"name": ", ".join(name for name, _ in options)}
    for _, part in options:
        made = _merged(part, made)
    return _merged(made, common)


def _merged(part: Mapping[str, Any], under: Mapping[str, Any]) -> dict[str, Any]:
    """`part` over `under`; settings are joined name by name."""
    settings = {**under.get("settings", {}), **part.get("settings", {})}
    return {**under, **part, "settings": settings}


def _part(table: TomlTable) -> dict[str, Any]:
    table.only(PARTS)
    settings = table.table("settings", {})
    texts = {name: table.text(name) for name in PARTS[1:] if name in table}
    return {**texts, "settings": {name: settings.text(name) for name in settings.data}}
