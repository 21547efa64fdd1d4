"""The client address behind a proxy. Forwarding headers are trusted from a unix socket, protected by its file
mode, and from the addresses in DURASCOPE_PROXIES. They are not trusted from a local program that connects to a port."""

import ipaddress
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeAlias

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

Message: TypeAlias = MutableMapping[str, Any]  # ASGI; the types of uvicorn and a2wsgi differ
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
SOCKET = "unix"  # placeholder for the missing address


class BadProxy(ValueError):
    """DURASCOPE_PROXIES holds an invalid address."""


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


def proxies(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Addresses and networks. Raises BadProxy."""
    found = tuple(one.strip() for one in environment.get("DURASCOPE_PROXIES", "").split(",") if one.strip())
    for one in found:
        try:
            ipaddress.ip_network(one)
        except ValueError as wrong:
            raise BadProxy(
                f"DURASCOPE_PROXIES holds {one!r}, which is no address. Write addresses, separated by commas."
            ) from wrong
    return found
