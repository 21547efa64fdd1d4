"""The form of a plan: presets to tick, and short texts for the rest."""

import re
import secrets
from collections.abc import Mapping
from types import MappingProxyType

from django import forms
from django.utils.html import format_html

from dashboard.pages.experiments import durability_pairs, filled_in
from dashboard.pages.experiments.filled_in import PARTS
from dashboard.pages.experiments.plan_inputs import PlanInputs
from dashboard.pages.servers.offered import ServersField, offered
from dashboard.records.experiments import actions, controls, naming, shelf
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from dashboard.text.asked import asked_number
from workers.bench.plan import CrashPlan, Plan, Variant, WorkloadChoice
from workers.bench.recipes import QUICK, SIZES
from workers.bench.recipes.recipe import PLACES
from workers.bench.workloads import OWN, WORKLOADS
from workers.errors import PlanError
from workers.sandbox import builds
from workers.sandbox.storage import PROFILES, explain
from workers.transaction.read import read


def _lines_widget(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "class": "code"})


class PlanForm(PlanInputs):
    """`variants` holds pairs to tick; `binlog`, `build` and `storage` hold for them. `own_variants`: one a line: `name:
    setting=value setting=value engine=rocksdb`. `workloads` holds keys to tick; `own_workloads`: one a line: `label:
    key param=value`."""

    servers = ServersField(Server.objects.all(), help_text="Several are measured one after the other, and compared.")
    variants = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Durability",
        help_text="All ticked pairs are measured.",
    )
    binlog = forms.ChoiceField(
        choices=[("keep", "as the server has it"), ("on", "on"), ("off", "off")],
        required=False,
        initial="keep",
        label="Binary log",
        help_text="Without a binary log, replicas and recovery to a point in time have nothing to read.",
    )
    build = forms.ChoiceField(
        choices=lambda: [("", "the server's own"), *((key, build.title) for key, build in builds.every().items())],
        required=False,
        label="Build",
        help_text="The server binaries of a sandbox.",
    )
    storage = forms.ChoiceField(
        choices=lambda: [("", "the disk of its host"), *((key, f"{key}: {explain(key)}") for key in PROFILES)],
        required=False,
        label="Device",
        help_text="A simulated disk for the data of a sandbox.",
    )
    own_variants = forms.CharField(
        required=False,
        widget=_lines_widget(4),
        label="Variants of your own",
        help_text="Any other settings, measured beside those ticked above; one variant a line.",
    )
    workloads = forms.MultipleChoiceField(
        choices=lambda: [(one.key, one.title) for one in WORKLOADS.values() if one.key != OWN],
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
    own_transaction = forms.CharField(
        required=False,
        strip=False,
        widget=_lines_widget(6),
        label="Your own transaction",
        help_text="A TOML file with tables, values and statements. Paste it, or choose the file.",
    )
    production_confirmed = forms.BooleanField(
        required=False,
        label="Load on a production server is intended",
        help_text="For this experiment only. Your tables on the server are not touched. Other users of the server will "
        "notice the load. The settings are those of the whole server: while 0/0 is measured, their commits are not "
        "safe. All settings are restored at the end.",
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        recipe: str = "",
        size: str = QUICK,
        server: str = "",
        source: Experiment | None = None,
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`server`: the id of a server that is ticked from the start. `source`: the experiment to run again; its recipe
        counts as long as its plan is the recipe's. `more`: crash and trials that it is to have instead of its own."""
        self.recipe, self.size = shelf.find(recipe), size if size in SIZES else QUICK
        if source:
            self.recipe, self.size = shelf.of_experiment(source), source.recipe_size or QUICK
        first = self._first_values(source, server) | _chosen(server, source)
        super().__init__(data, initial=first | filled_in.more_trials(more if source else {}))
        self._show_present(is_own_plan=not (source or self.recipe))

    def _first_values(self, source: Experiment | None, server: str) -> dict[str, object]:
        """A sandbox has no binary log unless the plan says so: then sync_binlog would change nothing."""
        if source:
            return filled_in.of_plan(source.as_plan())
        if self.recipe:
            return filled_in.of_recipe(self.recipe, self.size)
        pk = asked_number(server)
        meant = Server.objects.all() if pk is None else Server.objects.filter(pk=pk)
        only_sandboxes = not meant.exclude(kind=Server.Kind.SANDBOX).exists()
        return filled_in.USUAL | ({"binlog": "on"} if only_sandboxes else {})

    def _show_present(self, *, is_own_plan: bool) -> None:
        """Mark the present pair of each chosen server. A plan without a recipe measures it too."""
        self.present = durability_pairs.present(offered(self["servers"]))
        yours = [self.present[pk] for pk in self.initial["servers"] if pk in self.present]
        if is_own_plan:
            self.initial["variants"] = list(dict.fromkeys([*self.initial["variants"], *yours]))
        pairs = self.fields["variants"]
        assert isinstance(pairs, forms.MultipleChoiceField)
        pairs.choices = durability_pairs.choices(self.present.values(), yours)

    def clean_own_variants(self) -> list[Variant]:
        return [_variant(*parts) for parts in _lines(self.cleaned_data["own_variants"])]

    def clean_own_workloads(self) -> list[WorkloadChoice]:
        return [_workload(*parts) for parts in _lines(self.cleaned_data["own_workloads"])]

    def clean_own_transaction(self) -> list[WorkloadChoice]:
        text = self.cleaned_data["own_transaction"].replace("\r\n", "\n")
        try:
            return [WorkloadChoice(read(text).title, OWN, {"file": text})] if text.strip() else []
        except PlanError as refused:
            raise forms.ValidationError(str(refused)) from refused

    def plan(self) -> Plan:
        """The plan of the form, with a new seed. workers.bench.review checks whether it can run."""
        data = self.cleaned_data
        place = {name: data[name] for name in PLACES}
        variants = [durability_pairs.variant(pair, data["binlog"] or "keep", **place) for pair in data["variants"]]
        workloads = [WorkloadChoice(WORKLOADS[key].title, key, {}) for key in data["workloads"]]
        crash = self.values(CrashPlan)
        if data["control_trials"] is None:
            named = self.recipe.control_trials(self.size) if self.recipe else None
            crash["control_trials"] = controls.usual(data["trials"], data["servers"], named)
        plan = Plan(
            **(self.values(Plan) | {"name": data["name"]}),
            targets=tuple(actions.targets(data["servers"])),
            variants=(*variants, *data["own_variants"]),
            workloads=(*workloads, *data["own_workloads"], *data["own_transaction"]),
            seed=secrets.randbelow(2**31),
            crash=CrashPlan(**crash),
        )
        return naming.named(plan)


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


def _chosen(server: str, source: Experiment | None = None) -> dict[str, list[int]]:
    """The servers of the source that still exist; without a source the given server, or the only server."""
    known = {str(pk): pk for pk in Server.objects.values_list("pk", flat=True)}
    only = next(iter(known)) if len(known) == 1 else ""
    planned = [str(target.server_id) for target in source.as_plan().targets] if source else []
    return {"servers": [known[one] for one in planned or [server or only] if one in known]}
