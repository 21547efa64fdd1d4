"""The web server's entry: ASGI, for the live pages' event streams."""

import gc
import os
from importlib import import_module

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")


class Handler(ASGIHandler):
    """Django lets each middleware cross from the event loop to the request's thread and back, which costs more than a
    small page does (10 ms of 13). Nothing in them waits for anything but the database: here all of them, and the view,
    run in that thread, and the way there is made once. What a view streams is still sent by the event loop."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)
        self._middleware_chain = sync_to_async(self._middleware_chain, thread_sensitive=True)


django.setup(set_prefix=False)
application = Handler()
# What was loaded stays for ever. The garbage collector would look through all of it (70 ms) every few large pages.
import_module(settings.ROOT_URLCONF)
import_module("scipy.stats")  # loaded at first need elsewhere (a second): no page shall wait for it
gc.collect()
gc.freeze()
