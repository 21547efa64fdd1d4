"""Imports a file: stores its experiment, or raises NotImported with the reason."""

import hashlib
import logging
from dataclasses import dataclass
from typing import IO

from django.db import DatabaseError, transaction

from dashboard.findings import conclusion
from dashboard.findings.analysis import analysis_of
from dashboard.portable.read import Content
from dashboard.portable.refused import NotImported
from dashboard.portable.store import store
from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.experiments.models import Experiment

log = logging.getLogger(__name__)
# Errors from wrong figures. Too little memory or a lost database is no fault of the file.
WRONG_FIGURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
TRY_AGAIN = "Try again; if it happens again, the log of the web server says why."


@dataclass(frozen=True)
class FileImport:
    """`is_new`: False if the same experiment was imported before. Then nothing was stored."""

    experiment: Experiment
    is_new: bool

    @property
    def says(self) -> str:
        if self.is_new:
            return f"{self.experiment} is imported."
        at = f"{self.experiment.imported_at:%Y-%m-%d %H:%M} UTC"
        return f"This experiment is here already: it was imported on {at}. Nothing was stored."


def import_file(user: Actor, file: IO[bytes]) -> FileImport:
    """Store the experiment of a file. Raises NotImported (nothing was stored) and NotAllowed."""
    require(user, "import")
    content = Content(file)
    if known := _known(content):
        return FileImport(known, is_new=False)
    content.check()
    file.seek(0)
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # its stub asks for readinto
    try:
        return FileImport(_kept(content, user, sha256), is_new=True)
    except DatabaseError as refused:
        if known := _known(content):  # another process imported the same file meanwhile
            return FileImport(known, is_new=False)
        log.exception("an experiment that the database did not take")
        raise NotImported(f"The database did not take it ({type(refused).__name__})", TRY_AGAIN) from refused


def _known(content: Content) -> Experiment | None:
    digests = (content.digest, content.digest_as_written)
    found = Experiment.everything.filter(imported_digest__in=digests).first()
    if found and found.deleted_at:
        raise NotImported(
            f"This experiment was imported before, as number {found.pk}, and deleted",
            "Restore it: it is in the list of experiments under Deleted.",
        )
    return found


@transaction.atomic
def _kept(content: Content, user: Actor, sha256: str) -> Experiment:
    experiment = store(content, user, sha256)
    _work_out(experiment)
    record(user, "imported", experiment, experiment=experiment.pk, **experiment.imported_from)
    return experiment


def _work_out(experiment: Experiment) -> None:
    """Compute statistics, claims and sentences, as for an experiment that ran here. If this fails, the import is
    refused, because its pages would fail too."""
    try:
        analysis_of(experiment)
        conclusion.remember(experiment)
    except WRONG_FIGURES as broken:
        log.exception("figures of an imported experiment cannot be computed")
        raise NotImported(f"Its figures cannot be computed ({type(broken).__name__})") from broken
