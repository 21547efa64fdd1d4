"""manage.py makeadmin NAME: create the first administrator, or reset one who lost the login.

Exit status: 0 done, 1 refused (the name is taken, the password is too weak), 2 wrong arguments.
"""

import getpass
import sys

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from dashboard.commands.command import DurascopeCommand
from dashboard.records.accounts import actions

RESET = "reset an existing account: new password, active, administrator, no second factor"


class Command(DurascopeCommand):
    help = "Make an administrator. Without --ask or --stdin a password is generated and printed once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--reset", action="store_true", help=RESET)
        source = parser.add_mutually_exclusive_group()
        source.add_argument("--ask", action="store_true", help="ask for the password at the terminal")
        source.add_argument("--stdin", action="store_true", help="read the password from the first line of stdin")

    def handle(self, *_: object, name: str, reset: bool, ask: bool, stdin: bool, **__: object) -> None:
        given = self._given(ask, stdin)
        try:
            password = (actions.reset_administrator if reset else actions.make_admin)(name, given)
        except actions.NameTaken as taken:
            raise CommandError(f"{taken} Use --reset to give it a new password.") from taken
        except User.DoesNotExist as nobody:
            raise CommandError(f"There is no account named {name}. Nothing was changed.") from nobody
        except ValidationError as wrong:
            raise CommandError("Nothing was changed. " + " ".join(wrong.messages)) from wrong
        self.stdout.write(f"{name}: {'is an administrator again' if reset else 'is an administrator'}.")
        if not given:
            self.stdout.write(f"Password (shown this once): {password}")

    def _given(self, ask: bool, stdin: bool) -> str:
        if not (ask or stdin):
            return ""
        password = getpass.getpass() if ask else sys.stdin.readline().rstrip("\r\n")
        if not password:
            raise CommandError("The password is empty. Nothing was changed.")
        return password
