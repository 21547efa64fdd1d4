"""The client address behind a proxy. Forwarding headers are trusted from a unix socket, protected by its file
mode, and from the addresses in DURASCOPE_PROXIES. They are not trusted from a local program that connects to a port."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

Message: TypeAlias = MutableMapping[str, Any]  # ASGI; the types of uvicorn and a2wsgi differ
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
SOCKET = "unix"  # placeholder for the missing address


class Forwarded:
    """Wraps the application. The own option of uvicorn is off, because it trusts 127.0.0.1 by default."""

    def __init__(self, application: Application, proxies: tuple[str, ...] = ()) -> None:
        self._application = ProxyHeadersMiddleware(self._named, [SOCKET, *proxies])  # type: ignore[arg-type]  # its own types
        self._inner = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not (scope.get("client") or ("",))[0]:
            scope = {**scope, "client": (SOCKET, 0)}
        await self._application(scope, receive, send)  # type: ignore[arg-type]  # as above

    async def _named(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Without a client address from the proxy, no client is known."""
        if scope["type"] == "http" and scope["client"][0] == SOCKET:
            scope = {**scope, "client": None}
        await self._inner(scope, receive, send)
