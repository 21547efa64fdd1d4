"""Registered servers and their preflights."""

from dataclasses import replace
from functools import cached_property
from typing import cast

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from dashboard.installation import vault
from dashboard.installation.stored import read
from dashboard.records.fleet import site_names
from workers.servers.answered import AnsweredFacts
from workers.servers.durability import DurabilityStatement
from workers.servers.hosts import says_here
from workers.servers.keys import SeenKeys
from workers.servers.preflight import NOT_REACHED, PreflightCheck
from workers.servers.printable import MOST_OF_A_SENTENCE, storable
from workers.servers.target import Target, TlsMode


class Registered(models.Manager["Server"]):
    """All servers that can be measured. Servers of imported experiments are left out, so no form offers them. Foreign
    keys still find them."""

    def get_queryset(self) -> models.QuerySet["Server"]:
        return super().get_queryset().exclude(kind="imported")


class ServerKind(models.TextChoices):
    ATTACHED = "attached", "attached"
    SANDBOX = "sandbox", "sandbox"
    IMPORTED = "imported", "of an imported experiment"


class Server(models.Model):
    """A server that speaks the MySQL protocol: attached by a DBA, or a sandbox that a worker makes from a build. The
    server of an imported experiment is a placeholder without an address."""

    Kind = ServerKind

    class Label(models.TextChoices):
        PRODUCTION = "production", "production"
        STAGING = "staging", "staging"
        TEST = "test", "test"

    class Tls(models.TextChoices):
        OFF = "off", "off: nothing is encrypted"
        PREFERRED = "preferred", "preferred: Durascope's queries are encrypted if possible, the load is not"
        REQUIRED = "required", "required: always encrypted, whatever its certificate says"
        VERIFY = "verify", "verified: always encrypted, and its certificate must match"

    class Service(models.TextChoices):
        NONE = "none", "not managed: a host of your own"
        AURORA = "aurora", "Amazon Aurora"
        RDS = "rds", "Amazon RDS"
        CLOUD_SQL = "cloud-sql", "Google Cloud SQL"
        AZURE = "azure", "Azure Database"

    name = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=10, choices=Kind)
    host = models.CharField(max_length=255, blank=True)
    earlier_hosts = models.JSONField(default=list, blank=True)  # stored results still name them
    port = models.PositiveIntegerField(default=3306)
    socket = models.CharField(max_length=255, blank=True)
    user = models.CharField(max_length=80, blank=True)
    password_sealed = models.BinaryField(default=b"")  # see vault.py; never leaves the server side
    tls = models.CharField(max_length=10, choices=Tls, default=Tls.PREFERRED)
    tls_ca = models.CharField(max_length=500, blank=True)
    certificate_pin = models.CharField(max_length=95, blank=True, default="", db_default="")  # as in Target
    key_pin = models.TextField(blank=True, default="", db_default="")
    any_key = models.BooleanField(default=False, db_default=False)
    label = models.CharField(max_length=12, choices=Label, default=Label.TEST)
    service = models.CharField(max_length=10, choices=Service, blank=True)  # "": as a connection test recognises it
    note = models.TextField(blank=True, max_length=2000)
    build = models.CharField(max_length=80, blank=True)  # of a sandbox: a key of workers.sandbox.builds.BUILDS
    site = models.CharField(  # the workers of this site reach it
        max_length=site_names.LONGEST, blank=True, default=site_names.LOCAL, validators=[site_names.check]
    )
    expendable = models.BooleanField(default=False)  # attached only: its owner lets it be crashed
    crash_command = models.JSONField(default=list, blank=True)  # argv, run by a worker without a shell
    start_command = models.JSONField(default=list, blank=True)
    failover_command = models.JSONField(default=list, blank=True)  # argv, of a sandbox: drills the owner's manager
    commands_by = models.ForeignKey(  # their right is checked whenever a worker runs a command
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    binlog_index = models.CharField(max_length=500, blank=True)  # path on the worker's host, as the owner typed it
    created_at = models.DateTimeField(default=timezone.now)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="owned_servers"
    )

    objects = Registered()
    everything = models.Manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                name="attached_has_address_sandbox_has_build",
                condition=Q(kind="sandbox", host="", socket="") & ~Q(build="")
                | Q(kind="attached", build="") & (~Q(host="") | ~Q(socket=""))
                | Q(kind="imported", host="", socket="", build="", user=""),
            ),
            models.CheckConstraint(
                name="expendable_is_attached_and_never_production",
                condition=Q(expendable=False) | Q(kind="attached") & ~Q(label="production"),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_sandbox(self) -> bool:
        return self.kind == self.Kind.SANDBOX

    @property
    def where(self) -> str:
        return self.build if self.is_sandbox else self.socket or f"{self.host}:{self.port}"

    @property
    def means_its_worker(self) -> bool:
        """Whether its address means the host of each worker that uses it."""
        return bool(self.socket) or says_here(self.host)

    @property
    def may_be_crashed(self) -> bool:
        """A sandbox always; an attached server only if its owner allowed it and gave the commands."""
        return self.is_sandbox or (
            self.expendable
            and self.label != self.Label.PRODUCTION
            and bool(self.crash_command)
            and bool(self.start_command)
        )

    @property
    def last_answer(self) -> "Preflight | None":
        """The last preflight that reached the server. Facts about the server come from it."""
        return self.preflights.filter(state=PreflightState.DONE).exclude(facts={}).first()

    def keep_hosts(self, before: "Server") -> None:
        """Remember the host `before` this change."""
        known = before.earlier_hosts
        is_new = before.host not in ("", self.host, *known)
        self.earlier_hosts = [*known, before.host] if is_new else known

    def set_password(self, password: str) -> None:
        self.password_sealed = vault.seal(password)

    def target(self) -> Target:
        """Address and account with the decrypted password. Attached servers only: a sandbox has none until it runs."""
        return replace(self.way(), password=vault.open_sealed(self.password_sealed))

    def way(self) -> Target:
        """The target without its password."""
        return Target(
            name=self.name,
            kind="attached",
            user=self.user,
            password="",
            host=self.host,
            port=self.port,
            socket=self.socket,
            tls=cast(TlsMode, self.tls),
            tls_ca=self.tls_ca,
            certificate_pin=self.certificate_pin,
            key_pin=self.key_pin,
            any_key=self.any_key,
        )


class ServiceLevel(models.Model):
    """What the owner of a server wants of its commits (dashboard.records.servers.levels). A target that is None is not
    asked for."""

    server = models.OneToOneField(Server, on_delete=models.CASCADE, related_name="level")
    commits_per_s = models.FloatField(null=True)  # at least
    p99_ms = models.FloatField(null=True)  # of a transaction at that throughput, at most
    survives = models.JSONField(default=list)  # keys of levels.DISASTERS in which no more than `lost_s` may be lost
    lost_s = models.FloatField(default=0)  # the recovery point objective; 0: nothing
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    set_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"service level of {self.server}"


class PreflightState(models.TextChoices):
    QUEUED = "queued", "waiting for a worker"
    RUNNING = "running", "running"
    DONE = "done", "done"


class Preflight(models.Model):
    """One *Test connection*: a person asks for it, a worker answers."""

    State = PreflightState

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="preflights")
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    asked_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=120, blank=True)
    claimed = models.PositiveSmallIntegerField(default=0)  # number of workers that claimed it
    checks = models.JSONField(default=list)  # [PreflightCheck], read by `checked`
    durability = models.JSONField(default=list)  # [DurabilityStatement], read by `report`
    facts = models.JSONField(default=dict)  # AnsweredFacts, read by `known`; empty: the server was not reached
    keys = models.JSONField(null=True)  # SeenKeys, read by `seen`; None: they were not asked for, or not reached

    class Meta:
        ordering = ["-asked_at"]

    @property
    def report(self) -> tuple[DurabilityStatement, ...]:
        return read(tuple[DurabilityStatement, ...], storable(self.durability, MOST_OF_A_SENTENCE))

    @property
    def seen(self) -> SeenKeys | None:
        return None if self.keys is None else read(SeenKeys, self.keys)

    @cached_property
    def known(self) -> AnsweredFacts:
        return read(AnsweredFacts, storable(self.facts))

    @property
    def checked(self) -> tuple[PreflightCheck, ...]:
        return read(tuple[PreflightCheck, ...], storable(self.checks, MOST_OF_A_SENTENCE))

    @property
    def outcome(self) -> str:
        """The worst outcome of its checks; unknown without checks."""
        outcomes = {check.outcome for check in self.checked}
        return next((one for one in ("failed", "warned", "unknown", "passed") if one in outcomes), "unknown")

    @property
    def answered(self) -> list[PreflightCheck]:
        """The checks that were asked of the server, and the check that explains why it was not reached."""
        return [check for check in self.checked if check.says != NOT_REACHED]

    @property
    def unreached(self) -> list[str]:
        """Titles of the checks that had no server to ask."""
        return [check.title for check in self.checked if check.says == NOT_REACHED]
