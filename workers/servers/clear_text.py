"""Ways to log in that send the password as it is, refused wherever somebody else could be at the other end.

Not the account but whoever answers says how to log in, and PyMySQL does what it is asked: it would hand a stored
password to a machine that stands in the server's place. A socket file or a verified certificate tells who answers.
"""

from collections.abc import Callable
from functools import partial
from typing import NoReturn

from pymysql import Connection

from workers.errors import AccessDenied
from workers.servers.target import Target

PLUGINS = ("mysql_clear_password", "dialog")  # dialog is PAM's


def refusals(target: Target) -> dict[str, Callable[[Connection], "Refusal"]]:
    """For PyMySQL's `auth_plugin_map`, which it asks before it does what a plugin wants."""
    if is_told_who_answers(target):
        return {}
    return {plugin: partial(Refusal, plugin, target.where) for plugin in PLUGINS}


def is_told_who_answers(target: Target) -> bool:
    return bool(target.socket) or target.tls == "verify"


class Refusal:
    def __init__(self, plugin: str, where: str, _connection: Connection) -> None:
        self._plugin, self._where = plugin, where

    def authenticate(self, _packet: object) -> NoReturn:
        raise AccessDenied(
            f"{self._where} asks for the password in clear text ({self._plugin}), and nothing shows that it is the "
            "server it should be. The password was not sent.",
            "Choose the TLS mode 'verify' or a socket, or give the account a way to log in that hides the password; "
            "if it has one already, something else answers at this address.",
        )
