"""The fields of the JSON parts of a file, with types and bounds. docs/experiment-file.schema.json is made from it.

Parts that are only shown, such as an environment, may have more fields.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, create_model
from pydantic.json_schema import models_json_schema

from dashboard.findings.point import Figures
from dashboard.installation.stored import Unreadable, read
from dashboard.text.names import Name as Seen
from workers.bench import plan as plans
from workers.bench.plan import ENGINE_NAME, MOST_CELLS, MOST_THREADS
from workers.bench.plan_field import Kind, PlanField, fields_of
from workers.crash.outage import ClientOutage
from workers.crash.points.story import PointsStory
from workers.crash.setup_and_result import TrialStep
from workers.crash.verdict import CheckResult
from workers.metrics.device_probe import FlushTimes
from workers.metrics.fsync_sweep import SweepPoint
from workers.sandbox.promise import DevicePromise
from workers.topology.setup_and_result import FailoverStory

FORMAT = "durascope-experiment-file"
VERSION = 1
MOST_TRIALS = 10_000  # planned and repeated ones
INDEX = "experiment.json"
RUN, TRIAL = "runs/{:05}.json", "trials/{:05}.json"  # by position
ENVIRONMENT, PROBE = "environments/{:05}.json", "probes/{:05}.json"  # numbered from 1


def _aware(text: str) -> str:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a moment needs its time zone")
    try:
        moment.astimezone(UTC)
    except OverflowError as beyond:
        raise ValueError("a moment is outside the calendar") from beyond
    return text


Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Large = Annotated[int, Field(ge=0, le=10**15)]
Amount = Annotated[int | float, Field(ge=0, le=1e15)]
Place = Annotated[int, Field(ge=1, le=MOST_CELLS + MOST_TRIALS)]  # of a server, environment or probe: from 1
Position = Annotated[int, Field(ge=0, le=MOST_CELLS + MOST_TRIALS)]
Moment = Annotated[str, Field(max_length=40, json_schema_extra={"format": "date-time"}), AfterValidator(_aware)]
Name = Annotated[Seen, Field(min_length=1, max_length=80)]
Title = Annotated[Seen, Field(min_length=1, max_length=120)]
Word = Annotated[str, Field(max_length=80)]
Key = Annotated[str, Field(max_length=80, pattern=r"^[a-z0-9_.-]*$")]
Column = Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Line = Annotated[str, Field(max_length=1_000)]
Text = Annotated[str, Field(max_length=20_000)]
Lines = Annotated[list[Line], Field(max_length=5_000)]
Scalar = str | int | float | bool | None
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Over = Literal["done", "failed", "cancelled", "interrupted"]
State = Literal["waiting", "done", "failed", "cancelled", "interrupted"]


class Shape(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    def as_given(self) -> dict[str, Any]:
        """As in the file: without the defaults of absent fields."""
        return self.model_dump(exclude_unset=True)


class Exact(Shape):
    """Nothing but what is named."""

    model_config = ConfigDict(extra="forbid")


class Open(Shape):
    """What is named, and more that is only shown."""

    model_config = ConfigDict(extra="allow")


def stored_as(kind: type) -> PlainValidator:
    """A value that `dashboard.installation.stored` reads as this type. It stays as it is in the file."""

    def checked(value: object) -> object:
        try:
            read(kind, value)
        except Unreadable as wrong:
            raise ValueError(wrong.message) from wrong
        return value

    return PlainValidator(checked, json_schema_input_type=kind)


class FileOrigin(Exact):
    """Where an experiment came from, when it had been imported itself."""

    at: Moment
    address: Word
    version: Word
    experiment_id: Large
    exported_at: Moment
    sha256: Digest


class FileExport(Exact):
    """When and where the file was written. The rest of a file depends on the experiment alone."""

    at: Moment
    address: Word
    version: Word
    experiment_id: Large
    imported: FileOrigin | None


class FileAbout(Exact):
    name: Title
    recipe: Annotated[str, Field(max_length=80, pattern="^[a-z0-9-]*$")]
    recipe_size: Annotated[str, Field(max_length=20, pattern="^[a-z]*$")]
    state: Over
    error: Text
    fix: Text
    seed: Large
    baseline: Word
    estimate_s: Amount
    production_confirmed: bool
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None


class FileTarget(Exact):
    """`server_id` is the server's place in this list, from 1."""

    server_id: Place
    name: Name
    is_sandbox: bool
    present: dict[Word, Line] = {}


class FileVariant(Exact):
    name: Name
    settings: dict[Word, Line]
    engine: Annotated[str, Field(pattern=f"^{ENGINE_NAME.pattern}$")]
    build: Word
    storage: Word
    topology: Line = ""


class FileWorkload(Exact):
    label: Name
    key: Key
    params: dict[Word, Text]


Model = TypeVar("Model", bound=BaseModel)


def with_fields(fields: dict[str, Any]) -> Callable[[type[Model]], type[Model]]:
    """Add fields to the decorated class, as pydantic's `create_model` takes them."""
    return lambda model: create_model(
        model.__name__, __base__=model, __doc__=model.__doc__, __module__=model.__module__, **fields
    )


def _parts(plan: type, *, is_checked: bool) -> dict[str, Any]:
    """The fields of the plan. A field with a default may be absent, because older files lack it. `is_checked`: its
    bounds were checked before it was stored. Bounds of the crash plan are not checked if nothing is crashed."""
    return {one.name: (_part(one, is_checked), ... if one.is_required else one.default) for one in fields_of(plan)}


def _part(one: PlanField, is_checked: bool) -> object:
    if one.name == "name":
        return Title
    known = one.description
    is_bounded = is_checked and known.most is not None
    bounds = Field(ge=known.least, le=known.most) if is_bounded else Field(ge=0, le=2**31 - 1)
    kinds: dict[Kind, object] = {
        "whole": Annotated[int, bounds],
        "number": Amount,
        "text": Word,
        "yes": bool,
        "wholes": Annotated[list[Annotated[int, bounds]], Field(min_length=1, max_length=MOST_THREADS)],
        "texts": Annotated[list[Key], Field(max_length=100)],
    }
    return kinds[known.kind]


@with_fields(_parts(plans.CrashPlan, is_checked=False))
class FileCrash(Exact):
    pass


@with_fields(_parts(plans.Plan, is_checked=True))
class FilePlan(Exact):
    """workers.bench.plan.Plan, its servers numbered."""

    targets: Annotated[list[FileTarget], Field(min_length=1, max_length=500)]
    variants: Annotated[list[FileVariant], Field(min_length=1, max_length=500)]
    workloads: Annotated[list[FileWorkload], Field(min_length=1, max_length=500)]
    crash: FileCrash


class FileClaims(Exact):
    """dashboard.records.experiments.claims: what the recipe claimed when the experiment was planned."""

    title: Line
    changed: Lines
    variants: Lines
    workloads: Lines
    claims: Annotated[list[dict[str, object]], Field(max_length=500)]


class FileCell(Exact):
    """One repeat of one point. The measurement of a cell with the state done is in runs/."""

    position: Position
    block: Count
    variant: Name
    workload: Name
    threads: Annotated[int, Field(ge=1, le=MOST_THREADS)]
    repeat: Annotated[int, Field(ge=1, le=1000)]
    state: State
    error: Text
    fix: Text
    server_id: Place
    started_at: Moment | None
    ended_at: Moment | None


class FileTrial(Exact):
    """One crash. The evidence of a trial with the state done is in trials/; the verdict follows from it."""

    position: Position
    variant: Name
    kind: Annotated[str, Field(max_length=60, pattern="^[a-z0-9:+-]+$")]
    repeat: Annotated[int, Field(ge=1, le=1000)]
    seed: Large
    state: State
    error: Text
    fix: Text
    sent: Count | None
    acknowledged: Count | None
    in_doubt: Count | None
    lost_engine: Count | None
    lost_engine_ms: Amount | None
    lost_binlog: Count | None
    lost_binlog_ms: Amount | None
    lost_replica: Count | None
    phantoms: Count | None
    recovery_s: Amount | None
    server_id: Place
    started_at: Moment | None
    ended_at: Moment | None
    repeat_of: Position | None
    environment: Place | None


class FileIndex(Exact):
    """experiment.json"""

    format: Literal["durascope-experiment-file"]
    schema_version: Literal[1]
    export: FileExport
    experiment: FileAbout
    plan: FilePlan
    claims: FileClaims | None
    probes: Annotated[list[Place], Field(max_length=MOST_CELLS)]
    environments: Count
    cells: Annotated[list[FileCell], Field(max_length=MOST_CELLS)]
    trials: Annotated[list[FileTrial], Field(max_length=MOST_TRIALS)]


class FileFsyncLatency(Exact):
    files: Word
    source: Line
    calls: Large
    total_ms: Amount
    max_ms: Amount
    buckets: dict[Annotated[str, Field(pattern="^[1-9][0-9]{0,11}$")], Large]


class FileRun(Exact):
    """runs/POSITION.json: one measurement by sysbench. Throughput and percentiles follow from it. `series`: a value for
    each second; `histogram`: (upper edge in ms, transactions); `output`: what sysbench printed; `my_cnf`: the option
    file of a sandbox."""

    started_at: Moment
    elapsed_s: Annotated[int | float, Field(gt=0, le=1e6)]
    transactions: Large
    errors: Count
    latency_avg_ms: Amount | None
    latency_max_ms: Amount | None
    figures: Annotated[list[object], stored_as(Figures)]
    latencies: Annotated[list[FileFsyncLatency], Field(max_length=100)]
    load_average: Amount | None
    effective: dict[Word, Text]
    command: Lines
    environment: Place
    probe: Place | None
    series: Annotated[dict[Column, list[Amount | None]], Field(max_length=100)]
    histogram: list[Annotated[list[Amount], Field(min_length=2, max_length=2)]]
    output: str
    my_cnf: str


class FileHost(Open):
    """Machine, kernel, distribution."""

    __pydantic_extra__: dict[str, Scalar]


class FileServer(Open):
    flavour: Word = ""
    version: Line = ""
    engines: dict[Word, Line] = {}
    variables: dict[Word, Scalar] = {}


class FileEnvironment(Open):
    """environments/N.json: where was measured."""

    host: FileHost | None = None
    storage: FileHost | None = None
    sysbench: Scalar = None
    server: FileServer | None = None


class FileSweep(Open):
    times: Annotated[list[object], stored_as(tuple[SweepPoint, ...])]


class FileProbe(Open):
    """probes/N.json: what a device did before the load."""

    storage: Word = ""
    build: Word = ""
    flushes: Annotated[list[object], stored_as(tuple[FlushTimes, ...])]
    sweep: FileSweep | None = None
    promise: Annotated[object, stored_as(DevicePromise)] = None  # of simulated devices only


class FileReplica(Open):
    moment: Line
    state: Line
    error: Text
    different_rows: Large | None


class FileBinlog(Open):
    end: Line
    end_at: Line
    unreadable: Text
    reused: Lines


class FileEvidence(Open):
    """trials/POSITION.json: what a verdict rests on."""

    checks: Annotated[list[object], stored_as(tuple[CheckResult, ...])]
    steps: Annotated[list[object], stored_as(tuple[TrialStep, ...])]
    failover: Annotated[object, stored_as(FailoverStory | None)] = None
    points: Annotated[object, stored_as(PointsStory | None)] = None
    crash_at_s: Amount
    failed_at: Word
    error: Text = ""
    sets: dict[Word, Large | None]
    binlog: FileBinlog | None = None
    replicas: Annotated[list[FileReplica], Field(max_length=100)] = []
    gtid_before: Text = ""
    gtid_after: Text = ""
    reissued: Lines = []
    prepared_left: Large | None = None
    tables_ok: bool | None = None
    recovery_lines: Annotated[list[Text], Field(max_length=5_000)] = []
    problems: Annotated[list[Text], Field(max_length=1_000)] = []
    outage: Annotated[object, stored_as(ClientOutage | None)] = None
    log_lines: Annotated[list[Text], Field(max_length=5_000)] = []
    my_cnf: Text = ""
    notes: dict[Line, Text] = {}
    digest_key: Line = ""


NAMES: dict[type[Shape], str] = {FileRun: RUN, FileEnvironment: ENVIRONMENT, FileProbe: PROBE, FileEvidence: TRIAL}


def schema() -> dict[str, object]:
    """JSON Schema of experiment.json; those of the other parts are among its $defs."""
    models: list[type[Shape]] = [FileIndex, *NAMES]
    refs, made = models_json_schema([(model, "validation") for model in models])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An experiment of Durascope as a file",
        "description": "experiment.json. `parts` names the definitions of the other JSON parts. See portable.md.",
        **refs[FileIndex, "validation"],
        "parts": {name.partition("/")[0]: refs[model, "validation"] for model, name in NAMES.items()},
        "$defs": made["$defs"],
    }
