from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "dashboard.accounts"

    def ready(self) -> None:
        from dashboard.accounts import signals  # noqa: F401 (connects the receivers)
