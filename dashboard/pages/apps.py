from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "dashboard.pages"

    def ready(self) -> None:
        from dashboard.pages.accounts import signals  # noqa: F401 (connects the receivers)
