"""Names that the frame links to, without the product's views: everybody who is logged in may open each."""

from django.http import HttpResponse
from django.urls import include, path


def nothing(request: object) -> HttpResponse:
    return HttpResponse()


nothing.operation = "see"  # type: ignore[attr-defined]
NAMES = {  # below an address, the names in one space; the rest have none
    "servers": ("list", "audit", "register", "import"),
    "experiments": ("list", "new"),
    "reproduction": ("claims",),
    "portable": ("import",),
    "results": ("compare",),
    "schedules": ("list", "new"),
    "notifications": ("list",),
    "fleet": ("list", "builds", "storage"),
    "people": ("list",),
    "audit": ("list",),
    "tokens": ("list",),
    "sharing": ("all",),
    "help": ("words", "limits"),
}
ALONE = ("account_login", "account_change_password", "mfa_index", "own_sessions", "api-reference", "find")


def _space(name: str, pages: tuple[str, ...]) -> object:
    return path(
        f"{name}/", include(([path("" if one == "list" else f"{one}/", nothing, name=one) for one in pages], name))
    )


urlpatterns = [
    path("", nothing, name="home"),
    path("logout/", nothing, name="account_logout"),
    *(path(f"{name}/", nothing, name=name) for name in ALONE),
    *(_space(name, pages) for name, pages in NAMES.items()),
]
