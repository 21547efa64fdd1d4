"""E-mail, sent by the server in Django's mail settings (docs/settings.md)."""

import smtplib

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email

from dashboard.records.notifications.channels.address import BadAddress, refuse_markup
from dashboard.records.notifications.models import Delivery
from dashboard.records.notifications.undelivered import Undeliverable, Undelivered

HINT = "One address. For several people, use a mailing list."


def check(address: str) -> str:
    try:
        validate_email(address)
    except ValidationError as wrong:
        raise BadAddress("This is not an e-mail address. Write it like dba@example.org.") from wrong
    refuse_markup(address)
    return address


def shown(address: str) -> str:
    return address


def send(address: str, _secret: str, message: Delivery) -> None:
    if not settings.EMAIL_HOST:
        raise Undeliverable("No mail server is set.", "Set DURASCOPE_SMTP_HOST (docs/settings.md) and send a test.")
    body = f"{message.text}\n\n{message.where}\n"
    mail = EmailMessage(f"[Durascope] {message.title}", body, settings.DEFAULT_FROM_EMAIL, [address])
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">") or "localhost"
    mail.extra_headers["Message-ID"] = f"<{message.key}@{domain}>"  # always the same: a receiver recognizes duplicates
    try:
        mail.send()
    except smtplib.SMTPRecipientsRefused as refused:
        raise Undeliverable("The mail server refuses this address.") from refused
    except smtplib.SMTPAuthenticationError as refused:
        fix = "Check DURASCOPE_SMTP_USER and its password."
        raise Undelivered("The mail server refuses the account.", fix) from refused
    except (smtplib.SMTPException, OSError) as failed:
        says = f"The mail server {settings.EMAIL_HOST} did not accept the message: {type(failed).__name__}."
        raise Undelivered(says, "The message is sent again later.") from failed
