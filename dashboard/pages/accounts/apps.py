from allauth.socialaccount.apps import SocialAccountConfig


class SignOnConfig(SocialAccountConfig):  # type: ignore[misc]  # allauth has no types
    """Loads no provider, which brings a client of HTTP: workers and commands need neither. `urls.py` loads them."""

    def ready(self) -> None:
        from allauth.socialaccount import checks  # noqa: F401 (registers the check of the settings)
