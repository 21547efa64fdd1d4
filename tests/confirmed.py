"""A browser whose person confirmed a moment ago who they are, as the product asks before some acts."""

import time

from allauth.account.internal.flows.login import record_authentication
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.test import Client


def confirm(client: Client, user: User) -> Client:
    """The session of a logged-in client says so for five minutes."""
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "password", reauthenticated=True)
    request.session.save()
    return used(client)


def used(client: Client) -> Client:
    """The session was used a moment ago: that is noted once a minute, which asks the database a few questions more."""
    session = client.session
    session["seen"] = time.time()
    session.save()
    return client
