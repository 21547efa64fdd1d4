"""Made-up crash trials and their tallies, without a database."""

from itertools import count

from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.crash.trials import Tried
from dashboard.findings.lines import VariantPlace

NBSP = "\N{NO-BREAK SPACE}"
_IDS = count(1)
ALL = 1000  # the commits of a trial's load


def tried(kind="power-loss", engine=0, binlog=0, **known):
    """A trial that lost so many commits from engine and binlog; None: not known."""
    verdict = "invalid" if engine or binlog else "valid"
    columns = {
        "id": next(_IDS), "position": 0, "server_id": 1, "variant": "1/1", "kind": kind, "repeat": 1, "seed": 1,
        "state": "done", "verdict": verdict, "error": "", "acknowledged": ALL, "lost_engine": engine,
        "lost_engine_ms": engine and engine / 10, "lost_binlog": binlog, "lost_binlog_ms": binlog and binlog / 10,
        "lost_replica": None, "phantoms": None, "recovery_s": 0.5, "repeat_of_id": None, "engine": "InnoDB",
    }  # fmt: skip
    return Tried(**columns | known)


def unclear(kind="power-loss", **known):
    return tried(kind, None, None, **{"verdict": "unknown"} | known)


def tally(*trials):
    return Tally(1, "1/1", trials[0].kind, trials)


def setting(name, *trials, server_id=1, recorded=None):
    place = VariantPlace(variant=name, server_id=server_id, name=name, colour=0, dash=0)
    return CrashSetting(place, None, tally(*trials), None, mine=False, recorded=recorded)


def plain(text):
    return text.replace(NBSP, " ")
