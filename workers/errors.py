"""Everything that can go wrong while measuring, as one tree.

    DurascopeError            what happened, what was left untouched, what to do
    ├── ServerError           a target server refused, vanished or cannot do it
    │   ├── Unreachable       no connection: address, TLS, too many connections, gone away
    │   ├── AccessDenied      wrong account or password
    │   └── MissingPrivilege  the account may not do this; `fix` holds the GRANT
    ├── LoadError             sysbench failed or printed a bogus result
    │   └── LoadBrokeOff      it ended itself by a signal
    ├── TogetherError         several workers could not put the load on a server together
    ├── SandboxError          a sandbox could not be made, started or removed
    │   └── ServerEnded       the server itself refused to go on with what it found, and ended
    ├── PlanError             the plan cannot be run as it stands
    ├── Cancelled             somebody asked to stop
    │   └── Taken             the experiment was taken from this worker, which seemed to be dead
    ├── KeyMissing            a stored password cannot be opened (dashboard.records.servers.vault)
    ├── CannotJoin            a worker was not started on this host (workers.upkeep.start_check)
    └── LocalError            something on this machine keeps `up` or `demo` from running (dashboard.local.errors)

A message has two sentences: what happened, and (in `fix`) what to do. Neither ever holds a password.
"""


class DurascopeError(Exception):
    """Base: `message` says what happened, `fix` what the reader can do (may be SQL, ready to copy)."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".strip()


def reason(failure: BaseException) -> str:
    """What to say of any failure, never nothing: some exceptions have no text of their own."""
    if isinstance(failure, DurascopeError) and str(failure):
        return str(failure)
    if isinstance(failure, OSError) and failure.strerror:  # without the number that Python puts before it
        return f"{failure.strerror} ({failure.filename})" if failure.filename else failure.strerror
    kind = type(failure).__name__
    return f"{kind}: {failure}" if str(failure) else f"{kind}, without any further word"


class ServerError(DurascopeError):
    """A target server refused, vanished or cannot do what was asked."""


class Unreachable(ServerError):
    """No connection could be made, or it was lost."""


class AccessDenied(ServerError):
    """The server does not accept this account or password."""


class MissingPrivilege(ServerError):
    """The account may not do this; `fix` holds the GRANT that lets it."""


class LoadError(DurascopeError):
    """sysbench failed, or what it printed cannot be a measurement."""


class LoadBrokeOff(LoadError):
    """sysbench ended itself by a signal, as version 1.0.20 seldom does: neither the server's nor anybody's doing."""


class TogetherError(DurascopeError):
    """Several workers could not put the load on a server together: one did not come, ended, or Redis is gone."""


class SandboxError(DurascopeError):
    """A sandbox could not be made, started or removed."""


class ServerEnded(SandboxError):
    """The server itself refused to go on with what it found, and ended: nobody killed it, and it lacked nothing."""


class PlanError(DurascopeError):
    """The plan cannot be run as it stands."""


class Cancelled(DurascopeError):
    """Somebody asked to stop; what was measured so far is kept."""


class Taken(Cancelled):
    """The experiment was taken from this worker, which seemed to be dead: it may change nothing more."""
