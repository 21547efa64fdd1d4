"""The version of this Durascope. Its only source is pyproject.toml."""

import tomllib

from django.http import HttpRequest

from dashboard.installation.home import PROJECT

VERSION: str = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"]


def version(request: HttpRequest) -> dict[str, str]:
    """For the footer. Guests do not see it."""
    user = getattr(request, "user", None)
    return {"version": VERSION} if user and user.is_authenticated else {}
