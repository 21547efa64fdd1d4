"""Where the parts of a result page are, for somebody who logged in and for the reader of a share link."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse


@dataclass(frozen=True)
class Addresses:
    """`token` is set behind a share link, where pages of single cells and exports do not exist."""

    experiment_id: int
    token: str = ""

    def page(self) -> str:
        if self.token:
            return reverse("sharing:show", args=[self.token])
        return reverse("results:page", args=[self.experiment_id])

    def chart(self, key: str, form: str, query: str) -> str:
        name, of = ("sharing:chart", self.token) if self.token else ("results:chart", self.experiment_id)
        return f"{reverse(name, args=[of, key, form])}?{query}"

    def cell(self, cell_id: int) -> str:
        return "" if self.token else reverse("results:cell", args=[cell_id])

    def trials(self, variant: int | None = None, server: int | None = None, kind: str = "") -> str:
        """The list of trials; `variant` and `server` are places in the plan."""
        if self.token:
            return ""
        chosen = {"variant": variant, "server": server, "crash": kind or None}
        query = urlencode({name: value for name, value in chosen.items() if value is not None})
        return reverse("results:trials", args=[self.experiment_id]) + (f"?{query}" if query else "")

    def export(self) -> str:
        return "" if self.token else reverse("results:export", args=[self.experiment_id])
