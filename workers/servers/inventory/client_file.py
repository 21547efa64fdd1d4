"""WrittenOption files of clients (~/.my.cnf), and login paths as `mysql_config_editor print --all` prints them."""

import re

from workers.servers.inventory.found import TLS, FoundServer
from workers.servers.pasted.lines import SectionLine, WrittenOption, as_text, lines

HIDDEN = re.compile(r"\*+")  # what mysql_config_editor prints instead of a password
SIGN = re.compile(r"^[ \t]*\[client[\w.-]*\]", re.MULTILINE | re.IGNORECASE)
HIDES = re.compile(r"""^password[ \t]*=[ \t]*["']?\*+["']?[ \t]*$""", re.MULTILINE)
LOGIN_PATHS = re.compile(r"^(user|host|socket|password)[ \t]*=", re.MULTILINE)
OF_ADDRESS = ("host", "port", "socket", "user", "password")
SSL = re.compile(r"(skip_|disable_|enable_)?ssl")
OF_TLS = {"ssl_mode", "ssl_ca", "ssl", "ssl_verify_server_cert"}
MOST_UNREAD = 200  # characters
OFF = ("off", "0", "false")


def read(text: str, *, every_section: bool = False) -> list[FoundServer]:
    """A section inherits from [client]. `every_section`: they are login paths, which may have any name."""
    sections = _sections(text)
    general = sections.get("client", {})
    named = [name for name in sections if every_section or name.startswith("client")]
    wanted = {
        name: {**general, **sections[name]}
        for name in named
        if name != "client" or len(named) == 1 or "host" in general
    }
    return [_server(name, values) for name, values in wanted.items() if values.keys() & {*OF_ADDRESS}]


def _sections(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    values: dict[str, str] = {}
    for _, line in lines(text):
        if isinstance(line, SectionLine):
            values = found.setdefault(as_text(line.name).strip(), {})
        elif isinstance(line, WrittenOption):  # nobody asks for what an !include seems to set
            name, value = _option(line)
            values[name] = value
    return found


def _option(line: WrittenOption) -> tuple[str, str]:
    """Some options of TLS have no value."""
    name = line.name.lstrip("-").replace("-", "_").lower().removeprefix("loose_")
    switched = SSL.match(name)
    if line.value is not None or not switched:
        return name, as_text(line.value or "")
    prefix = switched[1] or ""
    return name.removeprefix(prefix), "OFF" if prefix in ("skip_", "disable_") else "ON"


def _server(section: str, values: dict[str, str]) -> FoundServer:
    host, socket = values.get("host", ""), values.get("socket", "")
    local = host in ("", "localhost")  # clients then use the socket
    password = values.get("password", "")
    return FoundServer(
        name=section.removeprefix("client").strip("-_") or host or "localhost",
        host="" if local and socket else host or "localhost",
        port=values.get("port", ""),
        socket=socket if local else "",
        user=values.get("user", ""),
        password="" if HIDDEN.fullmatch(password) else password,
        tls=_tls(values),
        tls_ca=values.get("ssl_ca", ""),
        unread=_unread(values),
    )


def _tls(values: dict[str, str]) -> str:
    """`ssl-mode` is of MySQL; the others are of MariaDB. Clients of both check the authority as soon as there is an
    `ssl-ca`, those of MariaDB also without `ssl-verify-server-cert`. *Verified* checks the host name, too."""
    if mode := values.get("ssl_mode"):
        return TLS.get(mode.lower(), "")
    encrypts = _is_on(values, "ssl")
    if _is_on(values, "ssl_verify_server_cert") or (values.get("ssl_ca") and encrypts is not False):
        return "verify"
    return {True: "required", False: "off", None: ""}[encrypts]


def _is_on(values: dict[str, str], name: str) -> bool | None:
    """None: not said."""
    return values[name].lower() not in OFF if name in values else None


def _unread(values: dict[str, str]) -> str:
    named = sorted(name for name in values if name.startswith("ssl") and name not in OF_TLS)
    if values.get("ssl_mode", "preferred").lower() not in ("preferred", *TLS):
        named.append("this value of ssl_mode")
    return ", ".join(named)[:MOST_UNREAD]
