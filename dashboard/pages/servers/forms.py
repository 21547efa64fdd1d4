import ipaddress
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.html import format_html

from dashboard.records.accounts.role import RANKS
from dashboard.records.accounts.roles import OPERATIONS
from dashboard.records.fleet import site_names, sites
from dashboard.records.servers.models import Server
from dashboard.text.names import check_name, check_text
from workers.sandbox import builds

HOST_NAME = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?")
Data = Mapping[str, object] | None
Initial = dict[str, object] | None
SOCKET_BYTES = 107  # sun_path of Linux
OWNERS = RANKS[RANKS.index(OPERATIONS["register_server"].least) :]


class HandOverForm(forms.Form):
    to = forms.ModelChoiceField(
        User.objects.filter(is_active=True, person__role__in=OWNERS).order_by("username"),
        label="New owner",
        error_messages={"invalid_choice": "Choose an operator or an administrator."},
        help_text="The person who may change and crash this server from now on.",
    )


def clean_host(host: str) -> str:
    """A host name or an IP address, without brackets. Raises ValidationError."""
    bare = host.strip().removeprefix("[").removesuffix("]")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        if not HOST_NAME.fullmatch(bare):
            raise ValidationError(
                "This is not a host name or an address. Write db1.example.org or 192.0.2.7; the port has its own field."
            ) from None
    return bare


def clean_path(path: str, what: str) -> str:
    if path and not PurePosixPath(path).is_absolute():
        raise ValidationError(f"Write the whole path of the {what} on the worker's machine, beginning with a slash.")
    return path


class NameForm(forms.ModelForm):  # type: ignore[type-arg]  # subscripted in the stubs only
    def clean_name(self) -> str:
        """Names of hidden servers are taken too; the check of Django sees only visible servers."""
        name: str = self.cleaned_data["name"]
        check_name(name)
        if Server.everything.filter(name=name).exclude(pk=self.instance.pk).exists():
            raise ValidationError("Another server has this name. Choose a different name.")
        return name

    def clean_note(self) -> str:
        note: str = self.cleaned_data["note"]
        check_text(note)
        return note


class SiteField(forms.CharField):
    def has_changed(self, initial: object, data: object) -> bool:
        """An empty field keeps the site."""
        return bool(data) and super().has_changed(initial, data)


class SiteForm(NameForm):
    """The workers of the site reach the server, or make it if it is a sandbox."""

    kind: str
    site = SiteField(required=False, max_length=site_names.LONGEST, validators=[site_names.check])

    def __init__(self, data: Data = None, *, instance: Server | None = None, initial: Initial = None) -> None:
        super().__init__(data, instance=instance, initial=initial)
        self.instance.kind = self.kind
        known = ", ".join(sites.known(Server.objects.values_list("site", flat=True)))
        self.fields["site"].help_text = format_html(
            "A site is a part of your network. Its workers measure the server. Known sites: {}.", known
        )

    def clean_site(self) -> str:
        return str(self.cleaned_data["site"] or self.instance.site)


class AttachedForm(SiteForm):
    """A server that already runs. On an edit an empty password keeps the stored password, if it may be kept."""

    kind = Server.Kind.ATTACHED
    password = forms.CharField(
        required=False,
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Stored encrypted and never shown again.",
    )
    port = forms.IntegerField(
        min_value=1, max_value=65535, initial=3306, help_text="Only with a host. A socket has no port."
    )
    tls = forms.ChoiceField(
        choices=Server.Tls.choices,
        initial=Server.Tls.PREFERRED,
        label="TLS",
        help_text="With “preferred” Durascope's own queries are encrypted if the server can. The load (sysbench) is "
        "encrypted only with “required” or “verified”, which makes it slower.",
    )

    service = forms.ChoiceField(
        choices=[("", "let the connection test find out"), *Server.Service.choices],
        required=False,
        label="Managed service",
        help_text="Whether the server is a cloud database, such as Amazon RDS. Some checks are not possible there.",
    )

    class Meta:
        model = Server
        fields = (
            *("name", "host", "port", "socket", "site", "user", "password", "tls", "tls_ca"),
            *("label", "service", "note"),
        )  # fmt: skip
        labels = {"user": "Account", "tls_ca": "Certificate authority", "socket": "Socket"}
        help_texts = {
            "host": "Name or address at which the worker, the program that measures, reaches it. Or use a socket.",
            "socket": "Path on the worker's machine, instead of a host.",
            "user": "A database account only for Durascope, with the privileges shown on this page.",
            "tls_ca": "Path of a PEM file on the worker's machine: the authority that signed the server's certificate. "
            "Leave it empty for a self-signed certificate, unless TLS is “verified”.",
            "label": "What the server is used for. If “production”, each experiment asks you to confirm its load.",
            "name": "The name of the server in lists and results.",
            "note": "For example its purpose and a person to ask.",
        }
        widgets = {"note": forms.Textarea(attrs={"rows": 3})}

    def __init__(self, data: Data = None, *, instance: Server | None = None, initial: Initial = None) -> None:
        super().__init__(data, instance=instance, initial=initial)
        self.fields["user"].required = True
        if self.instance.password_sealed:
            self.fields["password"].help_text = (
                "Leave empty to keep the stored password. Enter it again with a new host, port, socket, site, account, "
                "TLS or authority."
            )

    def clean_host(self) -> str:
        host = self.cleaned_data["host"]
        return clean_host(host) if host else ""

    def clean_socket(self) -> str:
        socket = clean_path(self.cleaned_data["socket"], "socket")
        if len(socket.encode()) > SOCKET_BYTES:
            raise ValidationError(f"A socket's path has at most {SOCKET_BYTES} bytes.")
        return socket

    def clean_label(self) -> str:
        label: str = self.cleaned_data["label"]
        if label == Server.Label.PRODUCTION and self.instance.expendable:
            raise ValidationError("This server is expendable. Withdraw that mark on its page first. Nothing changed.")
        return label

    def clean_tls_ca(self) -> str:
        return clean_path(self.cleaned_data["tls_ca"], "certificate file")

    def clean(self) -> dict[str, object]:
        data = super().clean() or self.cleaned_data
        given = [name for name in ("host", "socket") if data.get(name)]
        if not given and not {"host", "socket"} & self.errors.keys():
            self.add_error("host", "Enter a host or a socket.")
        if len(given) == 2:
            self.add_error("socket", "Enter a host or a socket, not both.")
        return data


class SandboxForm(SiteForm):
    """A server that a worker makes from a build for each experiment."""

    kind = Server.Kind.SANDBOX
    build = forms.ChoiceField(
        choices=lambda: [(key, build.title) for key, build in builds.every().items()],
        help_text="The server binaries to run. The page Workers, Builds lists the installed ones.",
    )

    class Meta:
        model = Server
        fields = ("name", "build", "site", "note")
        help_texts = {"name": "The name of the server in lists and results.", "note": "For example its purpose."}
        widgets = {"note": forms.Textarea(attrs={"rows": 3})}


class ConfirmKeyForm(forms.Form):
    shown = forms.CharField(
        max_length=200, help_text="The fingerprints that the page shows. Exactly these are confirmed."
    )


FORMS: dict[str, type[AttachedForm] | type[SandboxForm]] = {
    Server.Kind.ATTACHED: AttachedForm,
    Server.Kind.SANDBOX: SandboxForm,
}
