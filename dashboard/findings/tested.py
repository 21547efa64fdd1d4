"""The tested system in a line (server, version, engine, disk, host), and the settings behind each variant's name."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.flushing import gloss
from dashboard.findings.probed import NOT_PROBED, FlushMedians
from dashboard.records.experiments.environment import OF_WORKER
from dashboard.records.experiments.kind_names import HISTORIES
from dashboard.text.numbers import UNKNOWN, ms
from workers.bench.plan import Plan, Variant
from workers.bench.trial_kinds import CHECK_TITLES

ENGINES = {"innodb": "InnoDB", "rocksdb": "MyRocks", "tokudb": "TokuDB"}
MEMORY = "memory of its host, where a flush costs next to nothing"
MOST_VARIANTS = 8  # more are listed in the evidence only


@dataclass(frozen=True)
class SpelledOut:
    """A variant's settings as a server knows them. `gloss`: when they flush the logs, "" if they do not say it."""

    name: str
    settings: str
    gloss: str = ""


def where(name: str, facts: Mapping[str, str], engines: Sequence[str], flush: FlushMedians = NOT_PROBED) -> str:
    """`db1, MariaDB 10.11.6, InnoDB, simulated disk (sata-7200, 4 KiB flushed when idle: 2 ms appended), AMD EPYC`.
    Unknown facts are left out."""
    known = {key: value for key, value in facts.items() if value != UNKNOWN}
    parts = [
        name,
        _version(known.get("server version", "")),
        " and ".join(engines),
        _disk(known, flush),
        *_host(known, ""),
    ]
    worker = ", ".join(_host(known, OF_WORKER))
    return ", ".join(filter(None, [*parts, f"measured from another host ({worker})" if worker else ""]))


def _host(known: Mapping[str, str], whose: str) -> list[str]:
    cpu, cores, memory = (known.get(f"{whose}{name}", "") for name in ("CPU", "cores", "memory"))
    return [part for part in (cpu, cores and f"{cores} cores", memory and f"{memory} of memory") if part]


def _disk(known: Mapping[str, str], flush: FlushMedians) -> str:
    simulated = known.get("simulated device")
    file_system = known.get("file system")
    told = ", ".join(filter(None, (simulated or known.get("device model"), file_system, _flushed(flush))))
    on_host = MEMORY if file_system in ("tmpfs", "ramfs") else "disk of its host"
    return f"{'simulated disk' if simulated else on_host} ({told})" if told else ""


def _flushed(flush: FlushMedians) -> str:
    """An append takes longer than an overwrite: one time alone would be compared with the flushes of both logs."""
    ways = ((flush.append_ms, "appended, with the journal"), (flush.overwrite_ms, "overwritten"))
    told = [f"{ms(took)} {way}" for took, way in ways if took is not None]
    return f"4 KiB flushed when idle: {' and '.join(told)}" if told else ""


def _version(text: str) -> str:
    """`10.11.19-MariaDB-0+deb12u1-log` -> `MariaDB 10.11.19`."""
    number = text.partition("-")[0]
    return f"{'MariaDB' if 'MariaDB' in text else 'MySQL'} {number}" if number else ""


def engines(plan: Plan) -> list[str]:
    """Each engine of the variants once, as people write it."""
    return list(dict.fromkeys(map(engine_of, plan.variants)))


def engine_of(variant: Variant) -> str:
    engine = (variant.engine or "innodb").lower()
    return ENGINES.get(engine, engine)


def engine_of_tables(variant: Variant, kind: str) -> str:
    """Those of small histories are InnoDB's, whatever the engine of the variant."""
    return ENGINES["innodb"] if kind in HISTORIES else engine_of(variant)


def planned_variant(plan: Plan, name: str) -> Variant:
    """Without settings where the plan has none of that name: a trial of an imported file may name another."""
    return next((variant for variant in plan.variants if variant.name == name), Variant("", {}))


def naming(engine: str, text: str) -> str:
    """The title or the stored sentence of a check with the engine's name."""
    return text.replace("the engine", engine)


def check_title(key: str, engine: str) -> str:
    """With the engine's name. A key of another version is written as words."""
    return naming(engine, CHECK_TITLES.get(key, key.replace("-", " ")))


def named(settings: Iterable[SpelledOut], sentences: Sequence[str]) -> list[SpelledOut]:
    """Those that the sentences name: a page spells them out before the sentences."""
    text = " ".join(sentences)
    return [one for one in settings if re.search(rf"(?<![\w/]){re.escape(one.name)}(?![\w/])", text)]


def beside(settings: Iterable[SpelledOut], reasons: Sequence[str]) -> list[tuple[str, list[SpelledOut]]]:
    """Each reason with the settings that it is the first to name."""
    left, found = list(settings), []
    for reason in reasons:
        first = named(left, [reason])
        left = [one for one in left if one not in first]
        found.append((reason, first))
    return found


def spelled_out(plan: Plan, clean: Callable[[str], str]) -> list[SpelledOut]:
    """Of each variant whose name does not contain its settings. Settings that all variants share are left out."""
    variants = plan.variants
    if len(variants) > MOST_VARIANTS:
        return []
    given = [{**one.settings, **({"topology": one.topology} if one.topology else {})} for one in variants]
    shared = set.intersection(*(set(settings.items()) for settings in given)) if len(given) > 1 else set()
    own = [
        ", ".join(f"{name}={value}" for name, value in settings.items() if (name, value) not in shared)
        for settings in given
    ]
    told = zip(variants, own, given, strict=True)
    found = (SpelledOut(clean(variant.name), says, gloss(settings)) for variant, says, settings in told)
    return [one for one in found if one.settings and one.name != one.settings]
