from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from dashboard.charts.chart import Chart
from dashboard.charts.guardrails import guardrails
from dashboard.charts.marks.saw import saw
from dashboard.charts.marks.speed_loss import speed_loss
from dashboard.charts.marks.table_chart import table_chart
from dashboard.charts.registry import SPEED
from dashboard.findings import tested, together
from dashboard.findings.answer import answer_without_crashes
from dashboard.findings.conclusion import of_load
from dashboard.findings.finding import progress
from dashboard.findings.guardrails import GuardedServer, guarded_servers
from dashboard.findings.looks import looks
from dashboard.findings.names import neutral_names
from dashboard.findings.probed import NOT_PROBED, FlushMedians, broken, flush_of, promises
from dashboard.findings.redact import redactor_of
from dashboard.findings.result.compared import comparison
from dashboard.findings.result.comparison import ComparedSetting
from dashboard.findings.service_level import service_levels
from dashboard.findings.shown import ResultView, shown
from dashboard.pages.results import claims_page, parts, queries
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash import page as crash_page
from dashboard.pages.results.markdown import markdown
from dashboard.pages.results.picture import picture, pictures
from dashboard.pages.results.queries import ResultCell
from dashboard.pages.results.short import short_finding
from dashboard.pages.templatetags.tables import CellRow
from dashboard.records.experiments.environment import OF_WORKER, EnvironmentFacts, facts
from dashboard.records.experiments.models import Cell, Experiment
from dashboard.text.numbers import at, sig
from workers.bench.workloads import OWN
from workers.errors import PlanError
from workers.transaction.preview import for_guests
from workers.transaction.read import read

FLUSH, BUFFERING = "innodb_flush_log_at_trx_commit", "innodb_log_file_buffering"


@dataclass(frozen=True)
class MeasuredPlace:
    """`server`: its name for this reader; `facts`: of its host, version and disk, as pages show them; `flush`: of its
    only device; `got_2_late`: a variant of MariaDB flushes the redo log once a second, but writes it past the page
    cache, because the server was started with another value."""

    server: str
    is_sandbox: bool
    facts: Mapping[str, str]
    flush: FlushMedians = NOT_PROBED
    got_2_late: bool = False


def shown_to(experiment: Experiment, choice: Mapping[str, str], *, shared: bool) -> ResultView:
    """The reader's choice. Behind a share link, names of servers and everything that identifies them are removed."""
    if shared:
        names, clean = neutral_names(experiment.as_plan()), cache(redactor_of(experiment).text)
        return shown(experiment, choice, names, clean)
    return shown(experiment, choice)


def context(experiment: Experiment, choice: Mapping[str, str], token: str = "") -> dict[str, object]:
    """`token`: of the share link that was opened, "" for a person who logged in."""
    rows, shared = queries.cells(experiment), bool(token)
    view = shown_to(experiment, choice, shared=shared)
    addresses = Addresses(experiment.pk, token)
    met = places(view, rows)
    known = progress(experiment, (row.state for row in rows), view.clean)
    found, crash = of_load(view, known), crash_page.crash_part(experiment, view, addresses)
    engines = tested.engines(view.plan)
    lines = dict.fromkeys(tested.where(_named(one, shared), one.facts, engines, one.flush) for one in met)
    lines |= dict.fromkeys([*_busy(rows, met), *_own_load(view, shared), *_own_flushes(view), *_set_late(met)])
    settings = tested.spelled_out(view.plan, view.clean)
    answer = crash.answer if crash else answer_without_crashes(view, found)
    named = tested.named(settings, answer.sentences)
    others = [one for one in settings if one not in named]
    reasons = tested.beside(others, answer.recommendation.at_once if answer.recommendation else ())
    told = [one for _, mine in reasons for one in mine]
    speed = pictures(SPEED, view, addresses) if rows else []
    main = picture("risk", view, addresses) if crash else speed.pop(0) if speed and view.points else None
    compared = comparison(view, answer.choice.setting)
    promised = promises(view.devices, view.names, view.clean)
    return {
        "experiment": experiment,
        "name": view.clean(experiment.name),
        "shared": shared,
        "addresses": addresses,
        "shown": view,
        "claims": claims_page.context(experiment, view),
        "finding": found,
        "levels": [] if shared else service_levels(view),
        "progress": known,
        "failed": sum(row.state == Cell.State.FAILED for row in rows),
        "can_resume": experiment.may_be_resumed and _is_unfinished(view, rows),
        "crash": crash,
        "answer": answer,
        "choice": answer.choice,
        "headline": short_finding(answer.choice),
        "comparison": compared,
        "disk": _disk(met),
        "table_chart": table_chart(compared, addresses.trial, partial(_trials, addresses, view)),
        "saw": saw(compared, addresses.trial),
        "plot": speed_loss(compared) if shared and answer.choice.why != "controls failed" else None,
        "main": main if main and (speed or main.chart.series) else None,
        "risk": main if crash else None,
        "each_server": _each_server(view, addresses),
        "pictures": speed,
        "parts": parts.links(view, addresses) if rows else [],
        "choosers": choosers(view) + crash_page.choosers(view),
        "plan": view.plan,
        "guardrails": "" if all(one.is_sandbox for one in view.plan.targets) else view.plan.limits.in_words,
        "own_transaction": _own_transaction(view, shared),
        "together": together.of_experiment(experiment, shared=shared),
        "variants": _variants(view),
        "promises": promised,
        "broken_promises": broken(promised),
        "contradictions": contradicted(view),
        "places": met,
        "written": [view.clean(one) for one in experiment.written],
        "guarded": [] if shared else watched(experiment),
        "tested": lines,
        "workload": _workload(view),
        "named": named,
        "preview": [
            short_finding(answer.choice),
            *answer.sentences,
            *(f"{one.name}: {one.gloss}." for one in named if one.gloss),
        ],
        "reasons": reasons,
        "settings": [one for one in others if one not in told],
        "markdown": markdown(view.clean(experiment.name), answer, lines, settings),
        "cells": [_row(view, addresses, row) for row in rows],
    }


def _disk(met: Sequence[MeasuredPlace]) -> str:
    """Of the measured speed, in few words."""
    told = dict.fromkeys(one.facts.get("simulated device") or one.facts.get("file system") or "" for one in met)
    return f"disk of the host ({', '.join(filter(None, told))})" if any(told) else "disk of the host"


def _trials(addresses: Addresses, view: ResultView, row: ComparedSetting) -> str:
    return addresses.trials(row.place, list(view.names).index(row.server_id), view.choice.crash_kind)


def _each_server(view: ResultView, addresses: Addresses) -> list[tuple[str, str]]:
    """(Name, address of the result with this server alone), where the page shows several."""
    if len(view.servers) < 2:
        return []
    return [(name, f"{addresses.page()}?server={place}") for place, name in enumerate(view.names.values())]


def _own_load(view: ResultView, shared: bool) -> list[str]:
    """A reader must not take it for a load of sysbench."""
    own = next((one.label for one in view.plan.workloads if one.key == OWN), "")
    return [f"The load is an own transaction{'' if shared else f' ({own})'}"] if own else []


def _busy(rows: Sequence[ResultCell], met: Sequence[MeasuredPlace]) -> list[str]:
    """Other programs had the processors. Load averages before later measurements hold the load of this experiment."""
    load = next((row.load_average for row in rows if row.run_id), None)
    told = [one.facts.get("cores") or one.facts.get(f"{OF_WORKER}cores", "") for one in met]
    cores = min((int(text) for text in told if text.isdecimal()), default=0)
    if load is None or not cores or load <= cores:
        return []
    return [f"The worker's host was busy before the first measurement: load average {sig(load)}, {cores} cores"]


def _workload(view: ResultView) -> str:
    """Of the shown speed; "" where the page says that it is an own transaction."""
    chosen = next((one for one in view.plan.workloads if one.label == view.choice.workload), None)
    return view.clean(chosen.label) if chosen and chosen.key != OWN else ""


def _own_flushes(view: ResultView) -> list[str]:
    """Of a replica: a loss of its own must not be taken for one of the setting."""
    own = view.plan.crash.replica_flushes
    return [f"At crash points the replica is at {own} (flush_log/sync_binlog), whatever its primary has"] if own else []


def _set_late(met: Sequence[MeasuredPlace]) -> list[str]:
    """Its speed is that of SET GLOBAL, not that of an option file."""
    if not any(one.got_2_late for one in met):
        return []
    return [f"{FLUSH}=2 was set while MariaDB ran. Started with it, it can be several times as fast"]


def _own_transaction(view: ResultView, shared: bool) -> str:
    """The file; for guests its statements, without what may be private."""
    file = next((one.params["file"] for one in view.plan.workloads if one.key == OWN), "")
    if not file or not shared:
        return file
    try:
        return view.clean("\n".join(for_guests(read(file))))
    except PlanError:  # of an older version, which allowed more
        return "Its statements are not shown, because this version does not read the file."


def watched(experiment: Experiment) -> list[tuple[GuardedServer, Chart]]:
    """Not for guests: the figures name replicas and folders."""
    return [(one, guardrails(number, one)) for number, one in enumerate(guarded_servers(experiment), start=1)]


def _variants(view: ResultView) -> list[dict[str, object]]:
    return [
        {
            **vars(variant),
            "shown": view.clean(variant.name),
            "settings": [view.clean(f"{name}={value}") for name, value in variant.settings.items()],
            "colour": look.colour,
        }
        for variant, look in zip(view.plan.variants, looks(view.variants), strict=True)
    ]


def contradicted(view: ResultView) -> list[dict[str, object]]:
    """Variants whose sources contradict each other about fsyncs. `at`: the fewest threads with a contradiction; `more`:
    how many other numbers of threads have one."""
    found = [(line, [point for point in line.points if point.contradictions]) for line in view.lines]
    return [
        {
            "name": line.name,
            "at": at(points[0].threads),
            "says": [view.clean(one.says) for one in points[0].contradictions],
            "more": len(points) - 1,
        }
        for line, points in found
        if points
    ]


def _is_unfinished(view: ResultView, rows: Sequence[ResultCell]) -> bool:
    """Whether the plan has cells or trials without a result. *Resume* queues them."""
    states = {row.state for row in rows} | {trial.state for trial in view.trials}
    return bool(states - {Cell.State.DONE})


def choosers(view: ResultView) -> list[dict[str, object]]:
    """The selects above the charts. A select with a single option is left out."""
    servers = list(view.names)
    labels = [view.clean(label) for label in view.workloads]
    offered = (
        ("workload", "Workload", labels, _index(view.workloads, view.choice.workload)),
        ("server", "Server", list(view.names.values()), _index(servers, view.choice.server_id)),
        ("threads", "Threads", list(map(at, view.plan.threads)), _index(view.plan.threads, view.at_threads)),
        ("baseline", "Compared with", [view.clean(name) for name in view.variants], view.variants.index(view.baseline)),
    )
    return [
        {
            "name": name,
            "label": label,
            "options": list(enumerate(options)),
            "chosen": chosen,
            "nothing": "all, side by side" if name == "server" else "",  # the empty option
        }
        for name, label, options, chosen in offered
        if len(options) > 1
    ]


def _index(known: Sequence[object], one: object) -> int | None:
    return known.index(one) if one in known else None


def _named(place: MeasuredPlace, shared: bool) -> str:
    replaced = "name replaced" if shared else ""
    sandbox = "a sandbox: a server made for this test" if place.is_sandbox else ""
    beside = ", ".join(filter(None, (replaced, sandbox)))
    return f"{place.server} ({beside})" if beside else place.server


def places(view: ResultView, rows: Sequence[ResultCell]) -> list[MeasuredPlace]:
    """One for each server and environment in which it was measured; a restart with other variables is no other one."""
    met = dict.fromkeys((row.server_id, row.environment_id) for row in rows)
    known = [(server, one) for server, one in met if one is not None]
    known_facts = queries.environments({one for _, one in known})
    sandboxes = {target.server_id for target in view.plan.targets if target.is_sandbox}
    with_2 = {
        row.environment_id for row in rows if tested.planned_variant(view.plan, row.variant).settings.get(FLUSH) == "2"
    }
    found: list[MeasuredPlace] = []
    for server, one in known:
        place = MeasuredPlace(
            view.names[server],
            server in sandboxes,
            {name: view.clean(fact) for name, fact in facts(known_facts[one]).items()},
            flush_of([device for device in view.devices if device.server_id == server]),
            one in with_2 and _started_without_2(known_facts[one]),
        )
        if place not in found:
            found.append(place)
    return found


def _started_without_2(environment: EnvironmentFacts) -> bool:
    """Whether it was started so that it writes its redo log past the page cache."""
    return environment.variables.get(BUFFERING) == "OFF" and environment.variables.get(FLUSH) != "2"


def _row(view: ResultView, addresses: Addresses, row: ResultCell) -> CellRow:
    return CellRow(
        place=row.position + 1,
        url=addresses.cell(row.id) if row.run_id else "",
        server=view.names[row.server_id],
        variant=view.clean(row.variant),
        workload=view.clean(row.workload),
        threads=row.threads,
        repeat=row.repeat,
        tps=row.tps,
        state=row.state,
        says=view.clean(f"{row.error} {row.fix}") if row.error else "",
    )
