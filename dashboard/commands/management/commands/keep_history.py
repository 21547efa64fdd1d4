from django.core.management.base import BaseCommand
from django.utils import timezone

from dashboard.history import update
from dashboard.records.experiments import actions
from dashboard.records.fleet import task_queue
from dashboard.records.history.models import Entry


class Command(BaseCommand):
    help = "Note every experiment that ended and look for changes. Workers do so by themselves, a little each minute."

    def handle(self, *args: object, **options: object) -> None:
        while not update.keep(timezone.now(), self._notify):
            self.stdout.write(f"{Entry.objects.count():,} entries so far")
        self.stdout.write(f"{Entry.objects.count():,} entries: the history is up to date.")

    def _notify(self, experiment_id: int) -> None:
        try:
            actions.notify_workers(experiment_id)
        except task_queue.QueueDown as silent:
            self.stderr.write(str(silent))
