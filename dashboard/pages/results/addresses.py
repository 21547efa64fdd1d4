"""Addresses of the parts of a result or a comparison, for people who logged in and for guests behind a share link."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse


@dataclass(frozen=True)
class Addresses:
    """`token`: of the share link, "" for a person who logged in. `experiment_id`: None for a comparison, which has one
    page and one chart."""

    experiment_id: int | None
    token: str = ""

    def page(self) -> str:
        if self.token:
            return reverse("sharing:show", args=[self.token])
        return reverse("results:page", args=[self.experiment_id]) if self.experiment_id else reverse("results:compare")

    def preview(self) -> str:
        """The picture for messengers, with the installation's address, which they need; "" where that is not set."""
        site: str = settings.ADDRESS
        return site + reverse("sharing:picture", args=[self.token]) if site and self.token else ""

    def chart(self, key: str, form: str, query: str) -> str:
        of_page = self.token or self.experiment_id
        path = self._of_page("chart", key, form) if of_page else reverse("results:compare_chart", args=[key, form])
        return f"{path}?{query}"

    def part(self, key: str, query: str) -> str:
        """Of a folded part of the result page."""
        return f"{self._of_page('part', key)}?{query}"

    def cell(self, cell_id: int) -> str:
        return f"{self._cells}{cell_id}/"

    def trial(self, trial_id: int) -> str:
        return f"{self._trials}{trial_id}/"

    @cached_property
    def _cells(self) -> str:
        """Reversed once: a page links to hundreds of cells, and to thousands of trials."""
        return self._of_one("cell", 0).removesuffix("0/")

    @cached_property
    def _trials(self) -> str:
        return self._of_one("trial", 0).removesuffix("0/")

    def cell_chart(self, cell_id: int, key: str, form: str) -> str:
        return self._of_one("cell_chart", cell_id, key, form)

    def _of_one(self, name: str, *of: int | str) -> str:
        return reverse(f"sharing:{name}", args=[self.token, *of]) if self.token else reverse(f"results:{name}", args=of)

    def trials(self, variant: int | None = None, server: int | None = None, kind: str = "") -> str:
        """The list of trials; `variant` and `server` are places in the plan."""
        chosen = {"variant": variant, "server": server, "crash": kind or None}
        query = urlencode({name: value for name, value in chosen.items() if value is not None})
        return self._of_page("trials") + (f"?{query}" if query else "")

    def _of_page(self, name: str, *of: str) -> str:
        whose, of_whom = ("sharing", self.token) if self.token else ("results", self.experiment_id)
        return reverse(f"{whose}:{name}", args=[of_whom, *of])
