"""The demo's administrator. The password is stored hashed like every other. A copy in the home (mode 0600) lets the
demo show the login again; the keys in the same folder are worth more."""

import json
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User

from dashboard.installation.home import private_file
from dashboard.records.accounts import actions
from dashboard.records.accounts.role import Role

NAME = "admin"


@dataclass(frozen=True)
class Login:
    user: User
    password: str  # empty: not known here

    def __str__(self) -> str:
        if self.password:
            return f"{self.user.username}, password {self.password}"
        return f"{self.user.username} (forgotten: .venv/bin/python manage.py makeadmin {self.user.username} --reset)"


def administrator(home: Path) -> Login:
    """The first administrator; created if there is none."""
    user = User.objects.filter(person__role=Role.ADMINISTRATOR, is_active=True).order_by("pk").first()
    if user is None:
        password = actions.make_admin(NAME)
        private_file(home / "demo_login.json").write_text(json.dumps({"name": NAME, "password": password}))
        return Login(User.objects.get(username=NAME), password)
    kept = _kept(home)
    password = kept.get("password", "") if kept.get("name") == user.username else ""
    return Login(user, password if password and user.check_password(password) else "")


def _kept(home: Path) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads((home / "demo_login.json").read_text())
        return found
    except (OSError, ValueError):
        return {}
