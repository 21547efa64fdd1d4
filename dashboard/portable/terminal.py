"""Export and import from the command line: `manage.py experiment export ID FILE` and `manage.py experiment import
FILE`. Both return the message and raise DurascopeError."""

from pathlib import Path

from dashboard.portable.actions import import_file
from dashboard.portable.refused import NoFile, NotImported
from dashboard.portable.write import file_of
from dashboard.records.experiments.models import Experiment


def export(number: int, to: Path) -> str:
    """An existing file is not overwritten."""
    experiment = Experiment.objects.filter(pk=number).first()
    if experiment is None:
        raise NoFile(f"There is no experiment {number}. Nothing was written.", "The address of its page ends in it.")
    content = file_of(experiment)
    try:
        with to.open("xb") as file:
            file.write(content)
    except OSError as refused:
        raise NoFile(
            f"{to} cannot be written: {refused.strerror}. Nothing was written.", "Name another file."
        ) from None
    return f"{experiment} is written to {to}, {len(content):,} bytes."


def import_(path: Path) -> str:
    try:
        with path.open("rb") as file:
            imported = import_file(None, file)
    except OSError as refused:
        raise NotImported(f"{path} cannot be read: {refused.strerror}", "Name a file that can be read.") from None
    return f"{imported.says} It is experiment {imported.experiment.pk}."
