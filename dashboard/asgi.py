"""The web server's entry: ASGI, for the live pages' event streams."""

import asyncio
import gc
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import IO, Any

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.db import close_old_connections
from django.http import HttpResponseBase
from django.urls import set_script_prefix

from dashboard import usable
from dashboard.forwarded import Forwarded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

Receive, Send = Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]
THREADS = 32  # requests that are worked on at once; one that asks a far server may take seconds


class Handler(ASGIHandler):
    """Django starts a thread for each request, and goes from the event loop to it and back for the signals, the page
    and its end: more work than a small page is. Nothing in a page waits for anything but the database: here one of a
    few threads, which stay, makes it from beginning to end, as under WSGI, and the event loop sends it. What a view
    streams is made and sent by the event loop, and ends when its reader leaves."""

    def __init__(self) -> None:
        super().__init__()
        self._threads = ThreadPoolExecutor(THREADS, "request")

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def handle(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        response = await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, scope, body)
        if response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, send)

    def _answer(self, scope: dict[str, Any], body: IO[bytes]) -> HttpResponseBase:
        """The response. The thread's connection to the database is given back: a stream has its own and may be long."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        with body:
            request, response = self.create_request(scope, body)
            if request is not None:
                response = self.get_response(request)
        response._handler_class = self.__class__
        if response.streaming:
            close_old_connections()
        else:
            response.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Until its end, or until its reader has gone. Raises what broke it: a reader is not told that this was all."""
        tasks = [
            asyncio.create_task(self.send_response(response, send)),
            asyncio.create_task(self.listen_for_disconnect(receive)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            sent, _ = await asyncio.gather(*tasks, return_exceptions=True)
            await sync_to_async(response.close)()
        if isinstance(sent, Exception):
            raise sent


usable.or_exit()
django.setup(set_prefix=False)
application = Forwarded(Handler(), settings.PROXIES)
# What was loaded stays for ever. The garbage collector would look through all of it (70 ms) every few large pages.
import_module(settings.ROOT_URLCONF)
import_module("scipy.stats")  # loaded at first need elsewhere (a second): no page shall wait for it
gc.collect()
gc.freeze()
