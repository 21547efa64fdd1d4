"""Removes what a reader of a share link may not see: hosts, accounts, paths, names of servers, because people name
servers after hosts, and the output of owners' commands. It removes this output first, then known strings (of servers,
workers and environments), then all text that looks like a path, an address or an account. In doubt it removes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from dashboard.findings.names import neutral_names, server_names
from dashboard.findings.probed import StoredProbe
from dashboard.records.experiments.environment import PLACES, EnvironmentFacts
from dashboard.records.experiments.models import Environment, Experiment, Run
from dashboard.records.experiments.trial_evidence import StoredEvidence
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from workers.crash.owners_command import DOUBT, FIX
from workers.toml.table import TomlTable

REMOVED = "[removed]"
FILE = TomlTable.of_file(Path(__file__).with_suffix(".toml"))
IDENTIFYING = frozenset(FILE.texts("identifying"))
_TELLING = re.compile("|".join(FILE.texts("telling")))
# Numbers, ON and OFF reveal nothing.
_PLAIN = re.compile(r"[\d.,:-]*|on|off|yes|no|auto|default|always|enabled|disabled", re.IGNORECASE)
# The command stands for its program: a path of at most 4096 characters.
_COMMAND_FAILED = re.compile(
    r"\bThe (crash|start|failover) command (?:(could not be run)|.{0,4096}? (ended with status -?\d+)):.*", re.DOTALL
)
_COMMAND_LATE = re.compile(r"\bThe (crash|start|failover) command .{0,4096}? (?=did not end within)", re.DOTALL)
_MANAGER_SAID = re.compile(r"^failover manager: .*$", re.MULTILINE)  # lines of its output in the logs of a trial
_PATTERNS = tuple((re.compile(one.text("find"), re.IGNORECASE), one.text("instead")) for one in FILE.tables("patterns"))


def _fields_of(form: Any) -> Iterator[str]:
    """The names of all fields."""
    if is_dataclass(form):
        for name, inner in get_type_hints(form).items():
            yield from (name, *_fields_of(inner))
    for inner in get_args(form):
        yield from _fields_of(inner)


def _choices_of(form: Any) -> Iterator[str]:
    """The values of all fields that have a choice."""
    if get_origin(form) is Literal:
        yield from get_args(form)
        return
    for inner in (*(get_type_hints(form).values() if is_dataclass(form) else ()), *get_args(form)):
        yield from _choices_of(inner)


# A server may be called *count*, *host* or *append*. The form of what is stored stays, or nobody could read it.
_STORED = (StoredEvidence, StoredProbe, EnvironmentFacts)
_CHOICES = frozenset(choice for form in _STORED for choice in _choices_of(form))
_KEYS = _CHOICES | frozenset(name for form in _STORED for name in _fields_of(form))


class Redactor:
    """`text` and `data` return what may be shown; `replaced` maps known strings to their replacements."""

    def __init__(self, replaced: Mapping[str, str]) -> None:
        self._replaced = {name.casefold(): stand_in for name, stand_in in replaced.items()}
        longest_first = sorted((re.escape(name) for name in replaced if name.strip()), key=len, reverse=True)
        any_of = rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)"
        self._known = re.compile(any_of, re.IGNORECASE) if longest_first else None

    def text(self, text: str) -> str:
        text = _COMMAND_FAILED.sub(_without_output, text)
        text = _COMMAND_LATE.sub(rf"The \1 command {REMOVED} ", text)
        text = _MANAGER_SAID.sub(f"failover manager: {REMOVED}", text)
        if self._known:
            # IGNORECASE takes more letters for equal than casefold: a dotless i for an I.
            text = self._known.sub(lambda found: self._replaced.get(found[0].casefold(), REMOVED), text)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return text

    def data(self, value: Any) -> Any:
        """The same for everything in lists and dicts. A value under an identifying key is removed entirely."""
        if isinstance(value, str):
            return value if value in _CHOICES else self.text(value)
        if isinstance(value, Mapping):
            return {
                self._key(key): REMOVED if one and _identifies(key, one) else self.data(one)
                for key, one in value.items()
            }
        return [self.data(one) for one in value] if isinstance(value, (list, tuple)) else value

    def _key(self, key: object) -> str:
        return key if isinstance(key, str) and key in _KEYS else self.text(str(key))

    def variables(self, known: Mapping[str, object]) -> dict[str, object]:
        """A variable whose name suggests a place is removed. The values of the others are cleaned."""
        return {name: REMOVED if _tells(name, str(value)) else self.data(value) for name, value in known.items()}


def _without_output(failed: re.Match[str]) -> str:
    """The output of a command has any number of lines, so everything up to the end of the text is removed."""
    what, could_not, ended = failed.groups()
    says = could_not or f"{REMOVED} {ended}"
    advice = next((f" {one}" for one in (DOUBT, FIX) if failed[0].rstrip().endswith(one)), "")
    return f"The {what} command {says}: {REMOVED}{advice}"


def _tells(name: str, value: str) -> bool:
    name = name.lower()
    return bool(value) and (name in IDENTIFYING | PLACES or bool(_TELLING.search(name) and not _PLAIN.fullmatch(value)))


def _identifies(key: object, value: object) -> bool:
    return str(key).lower() in IDENTIFYING and not isinstance(value, (Mapping, list, tuple))


def redactor_of(*experiments: Experiment) -> Redactor:
    """Removes everything that the pages of these experiments could reveal."""
    plans = [one.as_plan() for one in experiments]
    names = neutral_names(*plans)
    replaced = {word: REMOVED for one in experiments for word in _of_environments(one)}
    replaced |= {one.worker.host: "[host]" for one in experiments if one.worker}
    if any(plan.load_workers > 1 for plan in plans):  # their messages contain names of workers
        replaced |= dict.fromkeys(Worker.objects.values_list("host", flat=True).distinct(), "[host]")
    for server in Server.objects.filter(pk__in=names):
        replaced |= {**dict(_of_server(server)), server.name: names[server.pk]}
    replaced |= {name: names[pk] for plan in plans for pk, name in server_names(plan).items()}
    return Redactor(replaced)


def _of_server(server: Server) -> Iterable[tuple[str, str]]:
    """Includes the hosts that it had before a move."""
    hosts = (server.host, *server.earlier_hosts)
    return (
        *((host, "[host]") for host in hosts),
        *((host.split(".")[0], "[host]") for host in hosts if not host[:1].isdigit()),
        (server.socket, "[path]"),
        (server.user, "[account]"),
        (server.tls_ca, "[path]"),
    )


def _of_environments(experiment: Experiment) -> set[str]:
    found: set[str] = set()
    for one in Environment.objects.filter(pk__in=_measured_in(experiment)):
        known = one.known
        found.add(known.host.hostname or "")
        found |= {
            str(known.variables.get(name) or "") for name in ("hostname", "report_host", "report_user", "datadir")
        }
    return found - {""}


def _measured_in(experiment: Experiment) -> set[int]:
    runs = Run.objects.filter(cell__experiment=experiment).values_list("environment_id", flat=True)
    trials = experiment.trials.exclude(environment=None).values_list("environment_id", flat=True)
    return {*runs.distinct(), *trials.order_by().distinct()}
