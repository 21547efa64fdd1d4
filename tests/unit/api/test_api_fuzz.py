"""The API asked with whatever its own document allows, and with much that it does not: nothing breaks, and every answer
is one that the document describes."""

import traceback
from copy import deepcopy
from itertools import groupby

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings

from dashboard.findings import document as whole
from dashboard.pages.api.document import openapi
from dashboard.pages.api.resources import recipes
from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Trial
from dashboard.records.fleet import task_queue
from dashboard.records.servers.models import Preflight, Server
from dashboard.records.sharing import actions as sharing
from tests.examples import SHARE, tried
from tests.unit.api.tokens import somebody, token_of
from tests.unit.conducting import experiments as make
from tests.unit.results import trials
from tests.unit.schedules import made as nightly
from tests.walks import report, undone
from workers.bench.workloads import WORKLOADS

# PostgreSQL refuses what SQLite does, and more: NUL, long texts, numbers of more than 32 bits.
pytestmark = pytest.mark.any_database
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance",
]  # fmt: skip
FEW = settings(
    max_examples=tried(12),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)

SERVERS = [[1], [2], [1, 2], [4711], []]
RECIPE = {  # a start that is right more often than not
    "type": "object",
    "required": ["servers", "recipe"],
    "additionalProperties": False,
    "properties": {
        "servers": {"enum": SERVERS},
        "recipe": {"enum": ["group-commit", "what-does-safety-cost", "none"]},
        "size": {"enum": ["quick", "full"]},
        "set": {"enum": [{}, {"threads": "1"}, {"repeats": "x"}, {"trials": "1", "load_s": "nan"}]},
    },
}
TIMES = {
    "name": {"type": "string"},
    "cron": {"enum": ["30 2 * * *", "x"]},
    "ends_by": {"enum": [None, "06:00", "00:31"]},
}
KNOWN = {  # a field of what is sent -> what has a meaning there
    "ScheduleIn": {
        "servers": SERVERS,
        "recipe": ["", "group-commit"],
        "set": [{}],
        "cron": ["30 2 * * *", "* * * * *"],
    },
    "TimesPatch": {"cron": ["", "0 3 * * 1-5", "0 0 30 2 *"], "zone": ["UTC", "Europe/Berlin", "Mars/Base"]},
    "OwnerIn": {"to": ["an administrator", "nobody"]},
    "ExpendableIn": {"typed_name": ["db7", "box", ""], "crash": [["/bin/kill"], [], ["a b"]], "start": [["/on"], [""]]},
    "FailoverManagerIn": {"typed_name": ["db7", "box", ""], "command": [["/bin/true"], [], ["a b"]]},
    "ServerIn": {"kind": ["sandbox", "attached"], "build": ["system-mariadb", ""], "host": ["", "db1", "::1", "a b"]},
    "StartIn": {"servers": SERVERS, "recipe": ["", "group-commit"], "set": [{}]},
    "WorkloadChoice": {"key": list(WORKLOADS)},
    "CrashIn": {"kinds": [[], ["power-loss"], ["process-kill", "lying-disk"]], "trials": [0, 1, 10**9]},
}


def document():
    """The API's own, narrowed: ids 1 and 2 are there, and what is sent is mostly something that is known, so that
    requests get beyond being told that there is no such thing."""
    made = deepcopy(openapi())
    for methods in made["paths"].values():
        for operation in methods.values():
            for parameter in operation["parameters"]:
                if parameter["name"].endswith("_id"):
                    parameter["schema"] = {"type": "integer", "enum": [1, 2, 4711, 2**63 - 1]}
                if parameter["name"] == "key":
                    parameter["schema"] = {"type": "string", "enum": ["group-commit", "acid-or-not", "none"]}
    for name, fields in KNOWN.items():
        for field, values in fields.items():
            known = made["components"]["schemas"][name]["properties"]
            known[field] = {"enum": values}
    each_night = {
        **RECIPE,
        "required": ["name", "cron", *RECIPE["required"]],
        "properties": RECIPE["properties"] | TIMES,
    }
    for name, right in {"StartIn": RECIPE, "ScheduleIn": each_night}.items():
        made["components"]["schemas"][name] = {"anyOf": [right, made["components"]["schemas"][name]]}
    return made


@pytest.fixture(scope="module")
def schema():
    """Made when it is needed, as are all imports of schemathesis: every process that runs tests imports this file."""
    import schemathesis

    made = schemathesis.openapi.from_dict(document())
    made.app = get_wsgi_application()
    return made


@pytest.fixture
def ids(db, monkeypatch):
    """Something to ask for: parameter -> the ids that stand behind 1 and 2."""
    monkeypatch.setattr(task_queue, "send", lambda *_: None)  # there is no Redis
    box = Server.objects.create(pk=1, name="box", kind="sandbox", build="system-mariadb")
    attached = Server.objects.create(pk=2, name="db7", kind="attached", host="db7.example.com", user="bench")
    done = trials.experiment({"2/0": {"power-loss": [(0, 0), (5, 0), None]}}, servers=[box])
    cancelled = trials.experiment({"1/1": {"process-kill": [(0, 0)]}}, servers=[box], state="cancelled", measured=2)
    test = Preflight.objects.create(server=attached, state="done", facts={"flavour": "mariadb"})
    schedule = nightly.schedule(box, somebody(Role.OPERATOR, "dba"))
    make.pending_restore(attached, cancelled, "start")
    links = [sharing.share(None, one)[0].pk for one in (done, cancelled)]
    return {
        "server_id": [1, 2],
        "experiment_id": [done.pk, cancelled.pk],
        "trial_id": list(Trial.objects.values_list("pk", flat=True)[:2]),
        "link_id": links,
        "test_id": [test.pk, test.pk],
        "schedule_id": [schedule.pk, schedule.pk],
    }


@pytest.fixture(scope="module")
def validates():
    """Ask, and compare the answer with the document."""
    from schemathesis import checks

    chosen = [getattr(checks, name) for name in CHECKS]
    return lambda case, headers: case.call_and_validate(headers=headers, checks=chosen)


@pytest.fixture
def headers(db):
    return {"Authorization": f"Bearer {token_of(somebody(Role.ADMINISTRATOR))}", "Accept-Encoding": "identity"}


@pytest.fixture
def kept_open():
    """Requests in this process share the test's transaction, as those of Django's own test client do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


OPERATIONS = [f"{method.upper()} {path}" for path, methods in openapi()["paths"].items() for method in methods]
RESOURCES = sorted({operation.split("/")[3] for operation in OPERATIONS})


def asked_at_random(operation, schema, ask):
    """What schema.parametrize() does, but a test's requests are made up when it runs: every process that runs tests
    would make up those of all operations."""
    from schemathesis.generation.feedback import FeedbackSources
    from schemathesis.pytest._test_builder import build_operation_test

    method, path = operation.split()
    feedback = FeedbackSources(constants_value_source=None)
    asking = build_operation_test(
        config=schema.config,
        operation=schema[path][method],
        test_func=ask,
        given_kwargs={},
        feedback=feedback,
        explicit_settings=FEW,
    )
    first = [one for one in OPERATIONS if one.startswith(method)].index(operation)
    asking.hypothesis_explicit_examples = a_share_of_each_kind(asking.hypothesis_explicit_examples, first)
    asking()


def a_share_of_each_kind(examples, first):
    """Of the systematic requests, 454 for one operation: a fifth, and at least one of each scenario of each parameter.
    They are sorted by their description, which names the field: each field with five wrong values gets one of them.
    Operations of one method begin at different requests. The three that take a plan leave out nothing together."""

    def of(example, *names):
        return [str(getattr(example.kwargs["case"].meta.phase.data, name, "")) for name in names]

    def kind(example):
        return of(example, "scenario", "parameter_location", "parameter")

    alike = [list(same) for _, same in groupby(sorted(examples, key=kind), kind)]
    return [
        one
        for same in alike
        for one in sorted(same, key=lambda one: of(one, "description"))[first % min(SHARE, len(same)) :: SHARE]
    ]


def broken(operations, schema, ask):
    """Each operation begins with the same database. A group of failures has its requests in its notes."""
    for operation in operations:
        try:
            with undone():
                asked_at_random(operation, schema, ask)
        except BaseExceptionGroup as failures:
            yield f"{operation}: " + "\n".join(traceback.format_exception(failures))


@pytest.mark.usefixtures("kept_open")
@pytest.mark.parametrize("resource", RESOURCES)
def test_each_random_request_gets_an_answer_of_the_schema(resource, schema, validates, ids, headers):
    def ask(case):
        for name in ids.keys() & (case.path_parameters or {}).keys():
            if case.path_parameters[name] in (1, 2):
                case.path_parameters[name] = ids[name][case.path_parameters[name] - 1]
        validates(case, headers)

    asked = [operation for operation in OPERATIONS if operation.split("/")[3] == resource]
    report(broken(asked, schema, ask))


@pytest.mark.usefixtures("kept_open")
def test_the_fuzz_sees_what_breaks_and_what_is_not_described(schema, validates, ids, headers, monkeypatch):
    """The detector itself: an operation that raises, and one that answers with less than the document says."""
    from schemathesis.core.failures import FailureGroup

    case = schema["/api/v1/recipes"]["GET"].Case()
    validates(case, headers)
    monkeypatch.setattr(recipes.shelf, "shelf", lambda: 1 / 0)
    (found,) = broken(["GET /api/v1/recipes"], schema, lambda case: validates(case, headers))
    assert "Server error" in found
    monkeypatch.setattr(whole, "everything", lambda _: {"format": "x"})
    case = schema["/api/v1/experiments/{experiment_id}/result"]["GET"].Case()
    case.path_parameters = {"experiment_id": ids["experiment_id"][0]}
    with pytest.raises(FailureGroup, match="Response violates schema"):
        validates(case, headers)
