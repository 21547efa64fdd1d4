from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete


class PortableConfig(AppConfig):
    name = "dashboard.portable"

    def ready(self) -> None:
        from dashboard.experiments.models import Experiment

        post_delete.connect(forget_servers, sender=Experiment)


def forget_servers(instance: Any, **_: Any) -> None:
    """Those that stood for the servers of an imported experiment go with it: nobody can see them."""
    from dashboard.servers.models import Server

    if instance.is_imported:
        ids = [target["server_id"] for target in instance.plan["targets"]]
        Server.everything.filter(pk__in=ids, kind=Server.Kind.IMPORTED).delete()
