"""`manage.py restored`: hold a database that was restored from a backup, and list its pending work. `manage.py restored
--release`: a person checked it, and the pending work may run.

While it is held, no experiment starts, no setting is restored, no schedule starts, and no message is sent.
"""

from argparse import ArgumentParser

from dashboard.commands.command import DurascopeCommand
from dashboard.records.audit.models import record
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.states import UNDER_WAY
from dashboard.records.fleet import installation
from dashboard.records.holds.models import PendingRestore
from dashboard.records.schedules.models import Schedule


class Command(DurascopeCommand):
    help = "Hold a restored database, or release it. See docs/deployment.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--release", action="store_true", help="from now on this database is the installation")

    def handle(self, *, release: bool, **_: object) -> None:
        if release:
            installation.release()
            record(None, "released from hold", installation.RESTORED_COPY, command="manage.py restored --release")
            self.stdout.write("Released. Workers continue with this work:")
        else:
            installation.hold("manage.py restored")
            self.stdout.write("Held. Nothing is done to any server until: manage.py restored --release")
        self.stdout.write("\n".join(pending()))


def pending() -> list[str]:
    restores = PendingRestore.objects.filter(restored_at=None).select_related("server").order_by("server__name", "pk")
    schedules = Schedule.objects.filter(paused_at=None).order_by("pk")
    waits = Experiment.objects.filter(state__in=UNDER_WAY).order_by("pk")
    return [
        *(
            f"pending restore on {one.server}: {one.get_kind_display()} {one.name} {one.old}".rstrip()
            for one in restores
        ),
        *(f"schedule: {one}" for one in schedules),
        *(f"experiment {one.pk}, {one.state}: {one}" for one in waits),
    ] or ["Nothing is pending."]
