"""Logins that send the password in clear text are refused unless the server has proved who it is.

The server chooses the way to log in, and PyMySQL obeys. It would send a stored password to an impostor at the server's
address. A socket file or a verified certificate proves who answers.
"""

from collections.abc import Callable
from functools import partial
from typing import NoReturn

from pymysql import Connection

from workers.errors import AccessDenied
from workers.servers.target import Target

PLUGINS = ("mysql_clear_password", "dialog")  # dialog is PAM's


def refusals(target: Target) -> dict[str, Callable[[Connection], "RefusedPlugin"]]:
    """For PyMySQL's `auth_plugin_map`: called instead of these plugins."""
    refused = () if proves_its_identity(target) else PLUGINS
    return {plugin: partial(RefusedPlugin, plugin, target.where) for plugin in refused}


def proves_its_identity(target: Target) -> bool:
    return bool(target.socket) or target.tls == "verify"


class RefusedPlugin:
    def __init__(self, plugin: str, where: str, _connection: Connection) -> None:
        self._plugin, self._where = plugin, where

    def authenticate(self, _packet: object) -> NoReturn:
        raise AccessDenied(
            f"{self._where} asks for the password in clear text ({self._plugin}), and nothing proves that it is the "
            "right server. The password was not sent.",
            "Choose the TLS mode 'verify' or a socket, or give the account an authentication plugin that hides the "
            "password. If it has one already, something else answers at this address.",
        )
