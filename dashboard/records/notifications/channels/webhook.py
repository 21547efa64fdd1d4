"""Webhooks: HTTP POST, signed as in Standard Webhooks 1 (standardwebhooks.com), so that receivers can check it with a
library. HMAC-SHA256 over "id.timestamp.body", base64; the secret is written as whsec_BASE64."""

import base64
import hashlib
import hmac
import json
import secrets
import time

from dashboard.records.notifications.channels import https
from dashboard.records.notifications.models import Delivery

HINT = "https://... Messages arrive as POST with JSON. The address is stored encrypted; pages show only its host."
PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(secret: str, key: str, at: int, body: bytes) -> str:
    raw = base64.b64decode(secret.removeprefix(PREFIX))
    digest = hmac.new(raw, f"{key}.{at}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def body_of(message: Delivery) -> bytes:
    data = {"title": message.title, "text": message.text, "link": message.link, "path": message.path}
    told = {
        "type": message.event,
        "timestamp": message.created_at.isoformat(),
        "data": {**data, "facts": message.facts},
    }
    return json.dumps(told).encode()


def send(address: str, secret: str, message: Delivery) -> None:
    body, at = body_of(message), int(time.time())
    signed = {
        "webhook-id": str(message.key),
        "webhook-timestamp": str(at),
        "webhook-signature": sign(secret, str(message.key), at, body),
    }
    https.post(address, body, signed)
