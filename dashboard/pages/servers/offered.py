"""Choices of servers in forms. Of many servers a form offers a few: a page with ten thousand ticks helps nobody."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django import forms

from dashboard.records.servers.models import Server
from dashboard.text.asked import asked_number

ALL, NEWEST = 200, 30  # so many servers are all offered; of more only the newest
FEW = 3  # so many boxes are seen at once


class ServerField(forms.ModelChoiceField):  # type: ignore[type-arg]  # subscripted in the stubs only
    def get_bound_field(self, form: forms.BaseForm, name: str) -> forms.BoundField:
        bound = super().get_bound_field(form, name)
        self.choices = [("", str(self.empty_label)), *_choices(self, [bound.value()])]
        return bound


class ServersField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # as above
    """Servers to tick. The load of a production server needs a confirmation."""

    widget = forms.CheckboxSelectMultiple
    default_error_messages = {"required": "Choose a server."}

    def get_bound_field(self, form: forms.BaseForm, name: str) -> forms.BoundField:
        bound = super().get_bound_field(form, name)
        self.choices = _choices(self, bound.value() or ())
        if (count := Server.objects.count()) > ALL:
            bound.help_text = (
                f"{self.help_text} Of {count:,} servers the newest {NEWEST} are offered. To measure another one, "
                "begin on its page."
            )
        return bound

    def label_from_instance(self, server: Server) -> str:
        if server.is_sandbox:
            return f"{server.name} (sandbox)"
        production = "production, " if server.label == Server.Label.PRODUCTION else ""
        return f"{server.name} ({production}attached)"


@dataclass(frozen=True)
class Boxes:
    """The boxes of a form's servers: those that are seen at once, and those in a fold."""

    shown: Sequence[forms.boundfield.BoundWidget]
    folded: Sequence[forms.boundfield.BoundWidget]


def boxes(bound: forms.BoundField) -> Boxes:
    """Ticked servers come first, then others up to a few: each box is a Tab stop, and room on the first screen."""
    every = sorted(bound.subwidgets, key=lambda box: not box.data["selected"])
    ticked = sum(box.data["selected"] for box in every)
    at_once = len(every) if len(every) <= FEW + 1 else max(FEW, ticked)
    return Boxes(every[:at_once], every[at_once:])


def offered(bound: forms.BoundField) -> list[int]:
    return [int(str(key)) for key, _ in bound.field.choices]  # type: ignore[attr-defined]  # a ServersField


def _choices(field: ServerField | ServersField, chosen: Iterable[object]) -> list[tuple[str, str]]:
    """All servers, or of many those that are chosen and the newest. The field accepts every server."""
    servers = list(Server.objects.all()[: ALL + 1])
    if len(servers) > ALL:
        ids = [pk for one in chosen if (pk := asked_number(str(one)))]
        found = Server.objects.filter(pk__in=ids), Server.objects.order_by("-pk")[:NEWEST]
        servers = list(dict.fromkeys(server for some in found for server in some))
    return [(str(server.pk), field.label_from_instance(server)) for server in servers]
