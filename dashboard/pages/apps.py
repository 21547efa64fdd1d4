from django.apps import AppConfig
from django.db.models.signals import post_delete


class PagesConfig(AppConfig):
    name = "dashboard.pages"

    def ready(self) -> None:
        from dashboard.pages.accounts import signals  # noqa: F401 (connects the receivers)
        from dashboard.portable.store import forget_servers
        from dashboard.records.experiments.models import Experiment

        post_delete.connect(forget_servers, sender=Experiment)
