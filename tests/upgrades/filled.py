"""An installation with everything that an upgrade must keep, and its content as a person sees it. The code of a tagged
version fills its own installation; the present code reads the same after the upgrade. Programs call this file:

    fill()            prints the tokens of the share links
    content(tokens)   prints the content, after a migration
"""

import json
import sys
from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from dashboard.findings import conclusion
from dashboard.installation import vault
from dashboard.records.experiments.models import Cell, Experiment, Run, Trial
from dashboard.records.holds.models import PendingRestore
from dashboard.records.notifications.models import Channel
from dashboard.records.schedules.models import Schedule
from dashboard.records.servers.models import Server
from dashboard.records.sharing import actions as sharing
from tests.own_transactions import EXAMPLE
from tests.unit.results import factory, trials
from tests.unit.schedules import made

PASSWORD = "p@ss: wörd"


def fill() -> list[str]:
    call_command("migrate", verbosity=0)
    dba = made.somebody("maria", password=None)  # to hash one costs half a second
    server = factory.server()
    server.set_password(PASSWORD)
    server.owner = dba
    server.save()
    measured = trials.experiment(name="Crashed and measured")
    own = factory.experiment({"1/1": 900.0, "0/0": 4000.0}, threads=(1,), name="With an own transaction")
    own.plan["workloads"][0] |= {"key": "own-transaction", "params": {"file": EXAMPLE}}
    own.save(update_fields=["plan"])
    unfinished = factory.experiment(measured=4, state="running", name="Under way")
    for one in (measured, own):
        conclusion.remember(one)
    PendingRestore.objects.create(server=server, experiment=unfinished, kind="variable", name="sync_binlog", old="1")
    made.schedule(server, dba, name="every night")
    Channel.objects.create(name="mail", kind="email", address_sealed=vault.seal("dba@example.org"))
    tokens = [sharing.share(None, one, note="for the team")[1] for one in (measured, own)]
    json.dump(tokens, sys.stdout)
    return tokens


def content(tokens: Sequence[str]) -> None:
    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS = ["testserver"]
    json.dump(
        {
            "people": sorted(User.objects.values_list("username", "person__role")),
            "passwords": [
                (one.name, vault.open_sealed(one.password_sealed)) for one in Server.objects.order_by("name")
            ],
            "channels": [vault.open_sealed(one.address_sealed) for one in Channel.objects.order_by("pk")],
            "experiments": list(Experiment.everything.order_by("pk").values_list("name", "state", "finding")),
            "own transactions": [one.plan["workloads"] for one in Experiment.everything.order_by("pk")],
            "cells": list(Cell.objects.order_by("pk").values_list("variant", "threads", "repeat", "state")),
            "runs": list(Run.objects.order_by("pk").values_list("cell_id", "tps", "latency_ms")),
            "trials": list(Trial.objects.order_by("pk").values_list("variant", "kind", "verdict", "lost_engine")),
            "pending restores": list(PendingRestore.objects.values_list("name", "old", "restored_at")),
            "schedules": list(Schedule.objects.values_list("name", "cron", "runs_as__username")),
            "links": [_opened(token) for token in tokens],
        },
        sys.stdout,
    )


def _opened(token: str) -> list[object]:
    """Whether the link opens, and whether its page shows the stored finding."""
    link = sharing.find(token)
    page = Client().get(f"/share/{token}/")
    return [page.status_code, bool(link and link.experiment.finding and link.experiment.name in page.content.decode())]
