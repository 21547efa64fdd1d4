"""The Celery application. A task carries one id and the database is the truth: a lost message costs only the time until
housekeeping sends it again."""

import os

from celery import Celery, Task
from celery.signals import beat_init, before_task_publish, task_prerun

from dashboard.installation import log_lines, usable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they load every page; a worker and beat have none

CLICK = "durascope_request"  # a header of messages
app = Celery("durascope")
app.config_from_object("workers.celery_config")
app.autodiscover_tasks(["workers"])


@beat_init.connect
def _on_beat(**_: object) -> None:
    """Before its schedule file is written."""
    usable.check_or_exit()


@before_task_publish.connect
def _on_send(headers: dict[str, object], **_: object) -> None:
    """A task carries the id of the request that sent it."""
    if request := log_lines.now().get("request"):
        headers[CLICK] = request


@task_prerun.connect
def _on_task(task: Task, **_: object) -> None:
    """A thread takes one task after the other."""
    click = getattr(task.request, CLICK, "")
    log_lines.start_anew(**({"request": click} if click else {}), task=task.name.rpartition(".")[2])
