"""How the binary log of a registered server is reached, and which checks a crash trial of it leaves out."""

from dataclasses import dataclass

from dashboard.records.servers.models import Server
from workers.crash.checks import CHECKS
from workers.crash.left_out import WITHOUT_FILES
from workers.servers.answered import AnsweredFacts, FoundService
from workers.servers.ask import quoted_account
from workers.servers.look import UNREADABLE, version_of
from workers.servers.services import SERVICES

NOT_ON_MANAGED = (
    ("Power loss and process kill", "Nobody but the vendor reaches the host. Only the owner's command can crash it."),
    ("Settings that need SUPER", "They are changed in the vendor's parameter group, not by an experiment."),
    ("Error log, and free disk space", "They lie on the vendor's host."),
)


@dataclass(frozen=True)
class ServerProfile:
    """`because`: how the service was recognised. `left_out`: check or other evidence, and why it is missing."""

    title: str
    because: str
    log: str
    left_out: tuple[tuple[str, str], ...]
    never_tried: str = ""
    to_do: str = ""
    grant: str = ""  # SQL


def profile_of(server: Server) -> ServerProfile:
    key, because = service_of(server)
    if server.binlog_index and not key:
        index = f"From its files on the worker's host ({server.binlog_index})."
        return ServerProfile("Local files", "", index, ())
    by_protocol = "The server sends it to the worker as to a replica. The account needs the right to replicate:"
    account = quoted_account(server.user, "localhost" if server.socket else "%")
    grant = f"GRANT {', '.join(_rights(server))} ON *.* TO {account};"
    without_files = tuple((CHECKS[name].title, why) for name, why in WITHOUT_FILES.items())
    if not key:
        return ServerProfile("Remote", "", by_protocol, without_files, grant=grant)
    title = SERVICES[key].title
    never = f"Durascope was never tried on {title}. It was tried on sandboxes with a restricted account."
    return ServerProfile(
        f"Managed: {title}", because, by_protocol, (*without_files, *NOT_ON_MANAGED), never, SERVICES[key].log, grant
    )


def not_judged(service: str) -> str:
    """Why settings do not tell what a power loss takes; "" for a server of one's own. `service`: a key of SERVICES."""
    if not service:
        return ""
    of = SERVICES[service].title
    return f"Not judged: storage and failover of {of} are the vendor's, and settings do not describe them."


def _rights(server: Server) -> tuple[str, ...]:
    """To read the log and to list prepared transactions; of a server that never answered, those of old versions."""
    known = answered.known if (answered := server.last_answer) else AnsweredFacts()
    version = version_of(known.version_text)
    if version == UNREADABLE:
        return ("REPLICATION SLAVE", "REPLICATION CLIENT")
    if known.flavour == "mariadb":
        return ("REPLICATION SLAVE", "BINLOG MONITOR" if version >= (10, 5, 2) else "REPLICATION CLIENT")
    return ("REPLICATION SLAVE", "REPLICATION CLIENT", *(("XA_RECOVER_ADMIN",) if version >= (8, 0, 0) else ()))


def service_of(server: Server) -> tuple[str, str]:
    """A key of SERVICES, and how it is known; two empty texts without one. The owner's word counts more than what the
    last connection test found."""
    if server.service == Server.Service.NONE:
        return "", ""
    if server.service:
        return server.service, "named by its owner"
    found = answered.known.service if (answered := server.last_answer) else FoundService()
    return (found.key, f"recognised by {found.sign}") if found.key in SERVICES else ("", "")
