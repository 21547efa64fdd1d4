"""The form of a plan: presets to tick, everything else as short text."""

import re
import secrets
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.html import format_html

from dashboard.experiments import actions, controls, shelf
from dashboard.servers.models import Server
from dashboard.words import check_name
from workers.bench.plan import CrashPlan, Plan, Variant, WorkloadChoice
from workers.bench.recipes import QUICK, SIZES, Recipe
from workers.bench.recipes.recipe import PLACES
from workers.bench.workloads import WORKLOADS
from workers.crash.kinds import CRASH_KINDS
from workers.metrics.registry import SOURCES
from workers.sandbox import builds
from workers.sandbox.storage import PROFILES, explain

# The durability settings that people run: innodb_flush_log_at_trx_commit / sync_binlog.
PAIRS = {
    "1/1": "redo and binlog flushed at each commit",
    "1/0": "redo flushed at each commit, binlog left to the system",
    "2/1": "redo flushed once a second, binlog at each commit",
    "2/0": "redo flushed once a second, binlog left to the system",
    "0/1": "redo written once a second, binlog flushed at each commit",
    "0/0": "redo written once a second, binlog left to the system",
}
PARTS = ("engine", "build", "storage")  # of a variant, beside its settings
BINLOG = {"keep": {}, "on": {"log_bin": "ON"}, "off": {"log_bin": "OFF"}}


def _lines_widget(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "class": "code"})


class ServersField(forms.ModelMultipleChoiceField):
    """Servers to tick; one that needs a confirmation says so where it is chosen."""

    def label_from_instance(self, server: Server) -> str:
        return f"{server.name} (production)" if server.label == Server.Label.PRODUCTION else server.name


class PlanForm(forms.Form):
    """`variants` holds pairs to tick; `binlog`, `build` and `storage` hold for them. `own_variants`: one a line: `name:
    setting=value setting=value engine=rocksdb`. `workloads` holds keys to tick; `own_workloads`: one a line: `label:
    key param=value`."""

    name = forms.CharField(
        max_length=120, validators=[check_name], help_text="To know the result again, in lists and links."
    )
    servers = ServersField(
        Server.objects.all(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose a server."},
        help_text="Several are measured one after the other, and compared.",
    )
    variants = forms.MultipleChoiceField(
        choices=[(pair, f"{pair}: {says}") for pair, says in PAIRS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Durability",
        help_text="How a commit is written: each pair that is ticked is measured.",
    )
    binlog = forms.ChoiceField(
        choices=[("keep", "as the server has it"), ("on", "on"), ("off", "off")],
        required=False,
        initial="keep",
        label="Binary log",
        help_text="Without it replicas and recovery to a point in time have nothing to read.",
    )
    build = forms.ChoiceField(
        choices=lambda: [("", "the server's own"), *((key, build.title) for key, build in builds.every().items())],
        required=False,
        label="Build",
        help_text="Of sandboxes: which server binaries run.",
    )
    storage = forms.ChoiceField(
        choices=lambda: [("", "the host's own disk"), *((key, f"{key}: {explain(key)}") for key in PROFILES)],
        required=False,
        label="Device",
        help_text="Of sandboxes: a simulated disk that its data lies on.",
    )
    own_variants = forms.CharField(
        required=False,
        widget=_lines_widget(4),
        label="Variants of your own",
        help_text="Any other settings, measured beside those ticked above; one variant a line.",
    )
    workloads = forms.MultipleChoiceField(
        choices=lambda: [(workload.key, workload.title) for workload in WORKLOADS.values()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="What one transaction does. Each is measured with each variant.",
    )
    own_workloads = forms.CharField(
        required=False,
        widget=_lines_widget(3),
        label="Workloads with parameters",
        help_text=format_html(
            "One a line: <code>{}</code>, as in <code>{}</code>",
            "label: workload parameter=value",
            "ten rows: rows-per-transaction rows=10",
        ),
    )
    threads = forms.CharField(
        max_length=200, initial="1, 8, 32", help_text="Connections that commit at once; each number is measured."
    )
    repeats = forms.IntegerField(
        initial=3,
        help_text="Measurements of each point. With fewer than 3 no interval is known and nothing is compared.",
    )
    warmup_s = forms.IntegerField(initial=2, label="Warm-up seconds", help_text="Load before it counts.")
    measure_s = forms.IntegerField(
        initial=10, label="Measuring seconds", help_text="Of each repeat. Longer repeats differ less by chance."
    )
    load_workers = forms.IntegerField(
        initial=1,
        required=False,
        label="Load from workers",
        help_text="So many workers of the site share the threads and start together; 1 is enough until a host is busy.",
    )
    table_rows = forms.IntegerField(
        initial=10_000, label="Rows in the table", help_text="Few fit the cache: commits are measured, not reads."
    )
    baseline = forms.CharField(
        max_length=80,
        required=False,
        help_text="The variant that ratios refer to; the first one when left empty.",
    )
    main_variant = forms.CharField(
        max_length=80,
        required=False,
        label="Headline: variant",
        help_text="The first sentence of the result compares it with the baseline. The last one when left empty.",
    )
    main_threads = forms.IntegerField(
        required=False,
        label="Headline: threads",
        help_text="The number of threads of that comparison. The highest one when left empty.",
    )
    sources = forms.MultipleChoiceField(
        choices=lambda: [(key, f"{source.title} ({source.cost})") for key, source in SOURCES.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Metric sources",
        help_text="Where fsyncs and groups are read. One that a server does not offer is left out, and said.",
        initial=[key for key, source in SOURCES.items() if source.default],
    )
    trials = forms.IntegerField(
        initial=0,
        label="Trials of each crash",
        help_text="Of each variant. 30 without a loss still allow that 12 % of crashes lose something.",
    )
    control_trials = forms.IntegerField(
        required=False,
        min_value=0,
        label="Control trials",
        help_text="Of each control. Empty: as many as of each crash, at most 3.",
    )
    kinds = forms.MultipleChoiceField(
        choices=lambda: [(kind.key, f"{kind.title}. {kind.says}") for kind in CRASH_KINDS.values()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Crashes",
        help_text="What is done to the server in the middle of its load.",
        initial=["process-kill", "power-loss"],
    )
    clients = forms.IntegerField(initial=16, label="Clients", help_text="Connections that commit until the crash.")
    load_s = forms.FloatField(initial=2.0, label="Seconds of load", help_text="Until the crash comes.")
    replica = forms.BooleanField(
        required=False,
        label="With a replica: does it still agree afterwards?",
        help_text="A second sandbox follows the first, and its rows are compared.",
    )
    production_confirmed = forms.BooleanField(
        required=False,
        label="Load on a production server is intended",
        help_text="For this experiment only. Its tables are not touched; its users will notice the load.",
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, recipe: str = "", size: str = QUICK, server: str = ""
    ) -> None:
        """`server`: the id, as in an address, of one that is chosen from the start."""
        self.recipe = shelf.find(recipe)
        self.size = size if size in SIZES else QUICK
        super().__init__(data, initial=_initial(self.recipe, self.size) | _chosen(server))

    def clean_threads(self) -> tuple[int, ...]:
        try:
            return tuple(int(part) for part in self.cleaned_data["threads"].replace(",", " ").split())
        except ValueError as wrong:
            raise forms.ValidationError("Write whole numbers, for example 1, 8, 32.") from wrong

    def clean_own_variants(self) -> list[Variant]:
        return [_variant(*parts) for parts in _lines(self.cleaned_data["own_variants"])]

    def clean_own_workloads(self) -> list[WorkloadChoice]:
        return [_workload(*parts) for parts in _lines(self.cleaned_data["own_workloads"])]

    def plan(self) -> Plan:
        """The plan as filled in, with a new seed. Whether it can run is said by workers.bench.review."""
        data = self.cleaned_data
        place = {name: data[name] for name in PLACES}
        left_open = data["control_trials"] is None
        variants = [_pair(pair, data["binlog"] or "keep", **place) for pair in data["variants"]]
        workloads = [WorkloadChoice(WORKLOADS[key].title, key, {}) for key in data["workloads"]]
        return Plan(
            name=data["name"],
            targets=tuple(actions.targets(data["servers"])),
            variants=(*variants, *data["own_variants"]),
            workloads=(*workloads, *data["own_workloads"]),
            threads=data["threads"],
            repeats=data["repeats"],
            warmup_s=data["warmup_s"],
            measure_s=data["measure_s"],
            table_rows=data["table_rows"],
            load_workers=1 if data["load_workers"] is None else data["load_workers"],
            seed=secrets.randbelow(2**31),
            baseline=data["baseline"],
            main_variant=data["main_variant"],
            main_threads=data["main_threads"] or 0,
            sources=tuple(data["sources"]),
            crash=CrashPlan(
                kinds=tuple(data["kinds"]),
                trials=data["trials"],
                control_trials=controls.usual(data["trials"]) if left_open else data["control_trials"],
                clients=data["clients"],
                load_s=data["load_s"],
                replica=data["replica"],
            ),
        )


def _pair(pair: str, binlog: str, build: str = "", storage: str = "") -> Variant:
    flush_log, sync_binlog = pair.split("/")
    settings = {"innodb_flush_log_at_trx_commit": flush_log, "sync_binlog": sync_binlog}
    return Variant(pair, BINLOG[binlog] | settings, build=build, storage=storage)


def _lines(text: str) -> list[tuple[str, dict[str, str], list[str]]]:
    """`name: key=value word` lines as (name, {key: value}, [word])."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, rest = line.rpartition(": ")
        if not colon:
            raise forms.ValidationError(f"Write a name, a colon and a space first: {line!r}.")
        words = re.split(r"[\s,]+(?!r=)", rest)  # a storage is written with a comma: k=5ms,r=100MB/s
        pairs = dict(word.split("=", 1) for word in words if "=" in word)
        found.append((name.strip(), pairs, [word for word in words if "=" not in word]))
    return found


def _variant(name: str, settings: dict[str, str], words: list[str]) -> Variant:
    if words:
        raise forms.ValidationError(f"{name}: write each setting as name=value; {words[0]!r} is not.")
    parts = {key: settings.pop(key) for key in PARTS if key in settings}
    return Variant(name, {key.lower(): value for key, value in settings.items()}, **parts)


def _workload(label: str, params: dict[str, str], words: list[str]) -> WorkloadChoice:
    if len(words) != 1:
        raise forms.ValidationError(f"{label}: name one workload and its parameters, as in: ten: insert rows=10.")
    return WorkloadChoice(label, words[0], params)


def _initial(recipe: Recipe | None, size: str) -> dict[str, Any]:
    """The form's first values: the recipe's plan written as a person would."""
    if not recipe:
        return {"name": "Comparison", "variants": ["1/1", "2/0", "0/0"], "workloads": ["update-by-key"]}
    plan, named = recipe.plan([], size=size), recipe.control_trials(size)
    plain = [one for one in plan.workloads if not one.params and one.label == WORKLOADS[one.key].title]
    with_params = [one for one in plan.workloads if one not in plain]
    return {
        **_written_variants(plan.variants),
        "name": plan.name,
        "workloads": [workload.key for workload in plain],
        "own_workloads": "\n".join(_written(one.label, one.params, one.key) for one in with_params),
        "threads": ", ".join(map(str, plan.threads)),
        "baseline": plan.baseline,
        "control_trials": "" if named is None else controls.usual(plan.crash.trials, named),
        "main_variant": plan.main_variant,
        "main_threads": plan.main_threads or "",
        **{name: getattr(plan.crash, name) for name in ("trials", "kinds", "clients", "load_s", "replica")},
        **{name: getattr(plan, name) for name in ("repeats", "warmup_s", "measure_s", "table_rows", "load_workers")},
    }


def _chosen(server: str) -> dict[str, Any]:
    """The server that was asked for, or the only one that there is."""
    known = {str(pk): pk for pk in Server.objects.values_list("pk", flat=True)}
    only = next(iter(known)) if len(known) == 1 else ""
    return {"servers": [known[one] for one in (server or only,) if one in known]}


def _written_variants(variants: tuple[Variant, ...]) -> dict[str, Any]:
    """As ticks when all are pairs under one binlog setting, on one build and device to choose; as lines otherwise."""
    place = {name: getattr(variants[0], name) for name in PLACES}
    can_be_chosen = place["storage"] in ("", *PROFILES)
    for binlog in BINLOG if can_be_chosen else ():
        if all(variant.name in PAIRS and variant == _pair(variant.name, binlog, **place) for variant in variants):
            return {"variants": [variant.name for variant in variants], "binlog": binlog, **place}
    lines = [_written(variant.name, {**variant.settings, **_parts(variant)}) for variant in variants]
    return {"own_variants": "\n".join(lines), "variants": []}


def _parts(variant: Variant) -> dict[str, str]:
    """What is not as it is when nothing is said."""
    plain = Variant("", {})
    return {key: value for key in PARTS if (value := getattr(variant, key)) != getattr(plain, key)}


def _written(name: str, pairs: Mapping[str, str], *words: str) -> str:
    return f"{name}: " + " ".join([*words, *(f"{key}={value}" for key, value in pairs.items())])
