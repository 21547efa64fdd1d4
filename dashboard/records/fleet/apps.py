from django.apps import AppConfig
from django.apps.registry import Apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate

NEWER = "newer database"


class FleetConfig(AppConfig):
    name = "dashboard.records.fleet"

    def ready(self) -> None:
        connection_created.connect(_refuse_newer, dispatch_uid=NEWER)
        post_migrate.connect(_store_version, sender=self, dispatch_uid="version")


def accept_newer() -> None:
    """For the command that replaces the database by a backup."""
    connection_created.disconnect(dispatch_uid=NEWER)


def _refuse_newer(connection: BaseDatabaseWrapper, **_: object) -> None:
    """At the first connection of the process. A refused process may ask again: it gets the same answer."""
    from dashboard.installation import newer_database

    connection_created.disconnect(dispatch_uid=NEWER)
    try:
        newer_database.check()
    except newer_database.NewerDatabase:
        connection.close()
        connection_created.connect(_refuse_newer, dispatch_uid=NEWER)
        raise


def _store_version(apps: Apps | None = None, **_: object) -> None:
    """`apps`: the tables as they are after the migrations that ran. None: all tables were emptied."""
    from dashboard.installation.version import VERSION

    if apps is None or "upgrade" not in apps.all_models["fleet"]:
        return
    upgrades = apps.get_model("fleet", "Upgrade").objects
    if upgrades.order_by("-pk").values_list("version", flat=True).first() != VERSION:
        upgrades.create(version=VERSION)
