"""Pairs of innodb_flush_log_at_trx_commit / sync_binlog to tick, and the pair that each server has now."""

from collections.abc import Collection, Iterable, Mapping

from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.findings.flushing import gloss
from dashboard.records.experiments.present import present_settings
from workers.bench.plan import Variant
from workers.servers.ask import whole

PAIRS = ("1/1", "1/0", "2/1", "2/0", "0/1", "0/0")
FLUSH_LOG, SYNC_BINLOG = "innodb_flush_log_at_trx_commit", "sync_binlog"
BINLOG: Mapping[str, Mapping[str, str]] = {"keep": {}, "on": {"log_bin": "ON"}, "off": {"log_bin": "OFF"}}
SHOWN = '{0}: {1} <b class="yours" data-yours="{0}">yours</b>'
HIDDEN = SHOWN.replace("data-yours", "hidden data-yours")


def variant(pair: str, binlog: str, build: str = "", storage: str = "") -> Variant:
    flush_log, sync_binlog = pair.split("/")
    settings = {FLUSH_LOG: flush_log, SYNC_BINLOG: sync_binlog}
    return Variant(pair, {**BINLOG[binlog], **settings}, build=build, storage=storage)


def present(server_ids: Collection[int]) -> dict[int, str]:
    """Of these servers: id -> the pair that its last preflight found. A server that was never reached is not in it, nor
    is one whose settings are no numbers."""
    pairs = {
        pk: [has.get(name) for name in (FLUSH_LOG, SYNC_BINLOG)] for pk, has in present_settings(server_ids).items()
    }
    return {pk: f"{one}/{other}" for pk, (one, other) in pairs.items() if None not in (whole(one), whole(other))}


def choices(found: Iterable[str], yours: Iterable[str]) -> list[tuple[str, SafeString]]:
    """The usual pairs and those of servers (`found`). `yours`: pairs of the servers that are chosen."""
    shown = set(yours)
    known = dict.fromkeys([*PAIRS, *sorted(found)])
    return [(pair, format_html(SHOWN if pair in shown else HIDDEN, pair, _says(pair))) for pair in known]


def _says(pair: str) -> str:
    return gloss(variant(pair, "keep").settings) or "as a server has it now"
