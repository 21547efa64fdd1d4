"""The audit: what servers survive by their settings."""

from django.http import HttpRequest
from ninja import Field, Query, Schema
from ninja.pagination import RouterPaginated

from dashboard.findings.audit.audit import Audit, AuditLine, ComparedServers, against, audit
from dashboard.findings.audit.fleet import fleet_audit
from dashboard.findings.audit.level import AuditedLevel
from dashboard.findings.audit.subject import pasted
from dashboard.findings.audit.survival import Survival
from dashboard.findings.crash.badges import Badge
from dashboard.findings.crash.reference import ReferenceCrashes
from dashboard.findings.service_level import LevelTarget
from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Given, with_values
from dashboard.pages.api.paging import Pages
from workers.servers.compared import SettingDifference
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.read import MOST_CHARACTERS, read

router = RouterPaginated()


@with_values(Survival, "outcome says changes")
class SurvivalOut(Schema):
    """`outcome`: kept, may be lost, unknown, or empty where it does not apply. `changes`: settings that end it."""


@with_values(Badge, "kind state says experiment_id cell neighbour")
class MeasuredOut(Schema):
    """Trials of one crash kind with this version and these settings. `cell`: the address of these trials in the newest
    experiment. `neighbour`: another version of the series."""


@with_values(ReferenceCrashes, "kind says where on source lost of otherwise tried loads also")
class ReferenceOut(Schema):
    """Crashes that Durascope's authors measured elsewhere, on a simulated disk: no measurement of this installation.
    `where` says so in words, `on` is flavour and version, `source` a document of Durascope. `lost` of `of` crashes, or
    crash points of so many recorded `loads`, lost commits; `otherwise` of `tried` failed in another way."""


@with_values(LevelTarget, "asked measured met")
class TargetOut(Schema):
    """`met`: met, missed or unclear."""


@with_values(AuditedLevel, "asked met experiment_id tested meet says")
class AuditedLevelOut(Schema):
    """The service level and the present settings. `experiment_id`: the result of the figures; null: none. `tested`: the
    present settings in it, empty: it tested others only. `meet`: its settings that meet the level."""

    targets: list[TargetOut]


@with_values(AuditLine, "name server_id version finding unclear changes notes read_at")
class LineOut(Schema):
    """`server_id`: null for a text. An empty `measured`: not measured here. `reference`: of crash kinds that are not in
    `measured`."""

    killed: SurvivalOut
    power_loss: SurvivalOut
    failover: SurvivalOut
    measured: list[MeasuredOut]
    reference: list[ReferenceOut]
    level: AuditedLevelOut | None


@with_values(SettingDifference, "setting one other")
class DifferenceOut(Schema):
    """null: the server has no such setting, or it is not known."""


@with_values(ComparedServers, "one other")
class ComparedOut(Schema):
    differences: list[DifferenceOut]


@with_values(Audit, "finding worst")
class AuditOut(Schema):
    """`finding`, `worst`, `count`: of all servers. `lines`: those of the part, the worst first. `replicas`: primaries
    of the part, each beside one of its replicas. `against`: two texts compared."""

    count: int
    lines: list[LineOut]
    replicas: list[ComparedOut]
    against: ComparedOut | None = None


class TextIn(Given):
    """`text`, `other`: answers of SHOW GLOBAL VARIABLES, or my.cnf files. `of`: the version of a my.cnf."""

    text: str = Field(max_length=MOST_CHARACTERS, examples=["sync_binlog\t0\nversion\t10.11.6-MariaDB"])
    other: str = Field("", max_length=MOST_CHARACTERS)
    of: str = Field("", max_length=40, examples=["MariaDB 10.11"])


@router.get("/audit", auth=Token("see"), response=AuditOut)
def audit_servers(request: HttpRequest, wanted: Query[Pages.Input]) -> dict[str, object]:
    """All attached servers, by the settings of their last connection tests. Ask for tests to read them again."""
    fleet = fleet_audit()
    found, _ = fleet.part(fleet.outcomes[wanted.offset :][: wanted.limit])
    return _told(found, len(fleet.outcomes), None)


@router.post("/audit", auth=Token("see"), response=AuditOut)
def audit_texts(request: HttpRequest, asked: TextIn) -> dict[str, object]:
    """One server or two, by their settings. Nothing of the texts is stored or logged."""
    named = named_version(asked.of)
    texts = {"A": asked.text, "B": asked.other}
    subjects = [pasted(name, read(text, named)) for name, text in texts.items() if text or name == "A"]
    return _told(audit(subjects), len(subjects), against(*subjects) if len(subjects) == 2 else None)


def _told(found: Audit, count: int, pair: ComparedServers | None) -> dict[str, object]:
    told = {name: getattr(found, name) for name in ("finding", "worst", "lines", "replicas")}
    return {**told, "count": count, "against": pair}
