"""A server that a file names."""

from dataclasses import dataclass, field

from workers.errors import PlanError

MOST_BYTES = 2 << 20
MOST_SERVERS = 2000
LONGEST = 1000
TLS = {  # of `ssl-mode`; what only asks for encryption stays *preferred*
    "disabled": "off", "required": "required", "verify_ca": "verify", "verify_identity": "verify",
}  # fmt: skip


@dataclass(frozen=True)
class FoundServer:
    """`port`: as it was written; "" for 3306. `password`: "" if the file has none. `why`: why it cannot be
    registered. `unread`: what the file says about TLS and is not read."""

    name: str
    host: str = ""
    port: str = ""
    socket: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    tls: str = ""
    tls_ca: str = ""
    label: str = ""
    why: str = ""
    unread: str = ""


def limited(found: list[FoundServer]) -> list[FoundServer]:
    """Raises PlanError for none and for too many."""
    if not found:
        raise PlanError("The file names no server.", "See docs/import.md for the files that can be read.")
    if len(found) > MOST_SERVERS:
        raise PlanError(f"The file names more than {MOST_SERVERS:,} servers.", "Split it.")
    if any(len(text) > LONGEST for one in found for text in vars(one).values()):
        raise PlanError(f"A value of the file has more than {LONGEST:,} characters.", "Correct the file.")
    return found


def split_address(address: str) -> tuple[str, str]:
    """Host and port of `db1:3306` and `[2001:db8::1]:3306`."""
    host, colon, port = address.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):
        return address.strip("[]"), ""
    return host.strip("[]"), port
