"""Who asks, when a proxy is in between. Its headers are believed of whoever asks through a unix socket, whose file mode
says who may, and of the addresses in DURASCOPE_PROXIES. A program on this host that asks a port is believed nothing."""

import ipaddress
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeAlias

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

Message: TypeAlias = MutableMapping[str, Any]  # ASGI; uvicorn and a2wsgi each have types of their own
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
SOCKET = "unix"  # stands for an address where there is none


class BadProxy(ValueError):
    """DURASCOPE_PROXIES holds something that is no address."""


class Forwarded:
    """Around the application. uvicorn's own such option, which believes 127.0.0.1 unless told otherwise, is turned off
    where uvicorn is started."""

    def __init__(self, application: Application, proxies: tuple[str, ...] = ()) -> None:
        self._application = ProxyHeadersMiddleware(self._named, [SOCKET, *proxies])  # type: ignore[arg-type]  # its own types
        self._inner = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not (scope.get("client") or ("",))[0]:
            scope = {**scope, "client": (SOCKET, 0)}
        await self._application(scope, receive, send)  # type: ignore[arg-type]  # as above

    async def _named(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A proxy that does not say who asks leaves nobody."""
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
