"""The reader of a page: a person who logged in, or a guest behind a share link."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.findings.names import neutral_names, server_names
from dashboard.findings.redact import Redactor, redactor_of
from dashboard.pages.results.addresses import Addresses
from dashboard.records.experiments.models import Experiment


@dataclass(frozen=True)
class Reader:
    """`names`: server id -> its name for this reader. `redactor`: None for a person who logged in."""

    addresses: Addresses
    names: Mapping[int, str]
    redactor: Redactor | None = None

    @property
    def is_guest(self) -> bool:
        return self.redactor is not None

    def text(self, text: str) -> str:
        return self.redactor.text(text) if self.redactor else text

    def data(self, value: Any) -> Any:
        return self.redactor.data(value) if self.redactor else value

    def variables(self, known: Mapping[str, object]) -> Mapping[str, object]:
        return self.redactor.variables(known) if self.redactor else known

    def server_text(self, text: str, *, is_sandbox: bool) -> str:
        """A log or an option file. An attached server's may name hosts and accounts: guests do not see it."""
        return self.text(text) if is_sandbox or not self.is_guest else ""


def reader_of(experiment: Experiment, token: str = "") -> Reader:
    """`token`: of the share link that was opened, "" for a person who logged in."""
    addresses, plan = Addresses(experiment.pk, token), experiment.as_plan()
    if token:
        return Reader(addresses, neutral_names(plan), redactor_of(experiment))
    return Reader(addresses, server_names(plan))
