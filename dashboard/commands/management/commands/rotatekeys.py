"""manage.py rotatekeys: encrypt all stored passwords with a new key.

Safe to repeat and to interrupt. Exit status: 0 done, 1 some passwords cannot be decrypted by any key.
"""

import socket

from django.core.management.base import CommandError

from dashboard.commands.command import DurascopeCommand
from dashboard.installation import vault
from dashboard.records.audit.models import record
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import rotation


class Command(DurascopeCommand):
    help = "Encrypt all stored passwords with a new key and delete the old keys."

    def handle(self, *_: object, **__: object) -> None:
        try:
            if vault.in_environment():
                self._advise(rotation.rotate_environment())
            else:
                self._report(rotation.rotate_file())
        except vault.KeyMissing as missing:
            raise CommandError(str(missing)) from missing

    def _report(self, done: rotation.Resealed) -> None:
        record(None, "rotated keys", "password keys", resealed=done.passwords, lost=list(done.lost))
        self.stdout.write(f"Passwords encrypted with the new key: {done.passwords}.")
        if others := sorted(set(Worker.objects.alive().values_list("host", flat=True)) - {socket.gethostname()}):
            self.stdout.write(f"Workers on {', '.join(others)} need the new key too: see docs/deployment.md, Keys.")
        if done.lost:
            raise CommandError(
                f"No key decrypts the secrets of: {', '.join(done.lost)}. They and the old keys did not change. "
                "Enter the passwords of these servers and the addresses of these channels again, remove these second "
                "factors, and run this command again."
            )

    def _advise(self, step: rotation.EnvironmentStep) -> None:
        if step.resealed:
            self._report(step.resealed)
            self.stdout.write("Everything is encrypted with the first key. Remove the old keys and restart everything:")
        else:
            self.stdout.write("The keys come from the environment. Set this, restart everything, run this again:")
        self.stdout.write(f"{vault.ENVIRONMENT}='{' '.join(step.keys)}'")
