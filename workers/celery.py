"""The Celery application. A task carries one id and the database is the truth: a lost message costs only the time until
housekeeping sends it again."""

import os

from celery import Celery
from celery.signals import beat_init

from dashboard.installation import usable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they load every page; a worker and beat have none

app = Celery("durascope")
app.config_from_object("workers.celery_config")
app.autodiscover_tasks(["workers"])


@beat_init.connect
def _on_beat(**_: object) -> None:
    """Before its schedule file is written."""
    usable.check_or_exit()
