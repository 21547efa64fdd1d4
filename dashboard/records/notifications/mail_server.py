"""Django's mail settings from environment variables (docs/settings.md). Without a host no mail is sent, and pages say
so."""

from collections.abc import Mapping

PORTS = {"starttls": 587, "tls": 465, "off": 25}
TIMEOUT_S = 15


def settings_from(environ: Mapping[str, str]) -> dict[str, object]:
    """Raises ValueError for an unknown kind of TLS or a wrong port."""
    tls = environ.get("DURASCOPE_SMTP_TLS", "starttls")
    if tls not in PORTS:
        raise ValueError(f"DURASCOPE_SMTP_TLS is {tls!r}. Known: {', '.join(PORTS)}.")
    port = environ.get("DURASCOPE_SMTP_PORT") or str(PORTS[tls])
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"DURASCOPE_SMTP_PORT is {port!r}. Write a port number, or leave it out.")
    return {
        "EMAIL_HOST": environ.get("DURASCOPE_SMTP_HOST", ""),
        "EMAIL_PORT": int(port),
        "EMAIL_HOST_USER": environ.get("DURASCOPE_SMTP_USER", ""),
        "EMAIL_HOST_PASSWORD": environ.get("DURASCOPE_SMTP_PASSWORD", ""),
        "EMAIL_USE_TLS": tls == "starttls",
        "EMAIL_USE_SSL": tls == "tls",
        "EMAIL_TIMEOUT": TIMEOUT_S,
        "DEFAULT_FROM_EMAIL": environ.get("DURASCOPE_MAIL_FROM", "Durascope <durascope@localhost>"),
    }
