"""*Test connection* in a child process, and what is kept of it."""

from dataclasses import asdict, dataclass

from workers.errors import ServerError
from workers.host.apart import ApartLimits
from workers.servers import durability, preflight
from workers.servers.answered import AnsweredFacts, FoundService
from workers.servers.checks import read_only_by
from workers.servers.children import in_child
from workers.servers.durability import DurabilityStatement
from workers.servers.facts import Facts
from workers.servers.keys import SeenKeys
from workers.servers.preflight import PreflightCheck, PreflightResult
from workers.servers.present import settings_in_words
from workers.servers.services import recognised
from workers.servers.settings import SETTINGS
from workers.servers.target import Target

LIMITS = ApartLimits(preflight.WHOLE[0] + 15)  # below PREFLIGHT_LIMIT of housekeeping


@dataclass(frozen=True)
class ServerTest:
    """`facts`: None if the server was not reached."""

    checks: tuple[PreflightCheck, ...]
    durability: tuple[DurabilityStatement, ...] = ()
    facts: AnsweredFacts | None = None
    keys: SeenKeys | None = None


def run_apart(target: Target, limits: ApartLimits = LIMITS) -> ServerTest:
    """Never raises, whatever the server does."""
    try:
        return in_child(limits, run, target)
    except ServerError as ended:
        return ServerTest(preflight.failed(ended).checks)


def run(target: Target) -> ServerTest:
    result = preflight.run(target)
    if result.facts is None:
        return ServerTest(result.checks, keys=result.keys)
    kept = _kept(result.facts, result, target.host)
    return ServerTest(result.checks, tuple(durability.report(result.facts)), kept, result.keys)


def _kept(facts: Facts, result: PreflightResult, host: str) -> AnsweredFacts:
    present = {name: value for name in SETTINGS if (value := facts.variable(name)) is not None}
    return AnsweredFacts(
        flavour=facts.flavour,
        version_text=facts.version_text,
        engines=dict(facts.engines),
        settings=present,
        words=tuple(settings_in_words(facts)),
        replication=asdict(result.replication) if result.replication else None,
        service=FoundService(*recognised(facts.variables, host)),
        max_connections=facts.variable("max_connections"),
        free_bytes=result.free_bytes,
        lookalike=facts.lookalike,
        read_only=tuple(read_only_by(facts)),
    )
