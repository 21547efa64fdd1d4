"""The audit: what servers survive by their settings."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Field, Schema
from ninja.pagination import RouterPaginated
from pydantic import ConfigDict

from dashboard.findings.audit.audit import Audit, against, audit
from dashboard.findings.audit.subject import by_tests, pasted
from dashboard.pages.api.door import Token
from dashboard.records.servers import queries
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.read import MOST_CHARACTERS, read

router = RouterPaginated()


class SurvivalOut(Schema):
    """`outcome`: kept, may be lost, unknown, or empty where it does not apply. `changes`: settings that end it."""

    outcome: str
    says: str
    changes: list[str]


class MeasuredOut(Schema):
    """Trials of one crash kind with this version and these settings. `neighbour`: another version of the series."""

    kind: str
    state: str
    says: str
    experiment_id: int
    neighbour: str


class LineOut(Schema):
    """`server_id`: null for a text. An empty `measured`: not measured here."""

    name: str
    server_id: int | None
    version: str
    killed: SurvivalOut
    power_loss: SurvivalOut
    failover: SurvivalOut
    finding: str
    changes: list[str]
    measured: list[MeasuredOut]
    notes: list[str]
    read_at: datetime | None


class DifferenceOut(Schema):
    """null: the server has no such setting, or it is not known."""

    setting: str
    one: str | None
    other: str | None


class ComparedOut(Schema):
    one: str
    other: str
    differences: list[DifferenceOut]


class AuditOut(Schema):
    """`lines`: the worst first. `replicas`: each primary beside each of its replicas. `against`: two texts compared."""

    finding: str
    worst: str
    lines: list[LineOut]
    replicas: list[ComparedOut]
    against: ComparedOut | None = None


class TextIn(Schema):
    """`text`, `other`: answers of SHOW GLOBAL VARIABLES, or my.cnf files. `of`: the version of a my.cnf."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(max_length=MOST_CHARACTERS, examples=["sync_binlog\t0\nversion\t10.11.6-MariaDB"])
    other: str = Field("", max_length=MOST_CHARACTERS)
    of: str = Field("", max_length=40, examples=["MariaDB 10.11"])


@router.get("/audit", auth=Token("see"), response=AuditOut)
def audit_servers(request: HttpRequest) -> Audit:
    """All attached servers, by the settings of their last connection tests. Ask for tests to read them again."""
    return audit(by_tests(queries.last_tests()))


@router.post("/audit", auth=Token("see"), response=AuditOut)
def audit_texts(request: HttpRequest, asked: TextIn) -> dict[str, object]:
    """One server or two, by their settings. Nothing of the texts is stored or logged."""
    named = named_version(asked.of)
    texts = {"A": asked.text, "B": asked.other}
    subjects = [pasted(name, read(text, named)) for name, text in texts.items() if text or name == "A"]
    found = audit(subjects)
    names = ("finding", "worst", "lines", "replicas")
    pair = against(*subjects) if len(subjects) == 2 else None
    return {**{name: getattr(found, name) for name in names}, "against": pair}
