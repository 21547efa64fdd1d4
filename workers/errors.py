"""Everything that can go wrong while measuring, as one tree.

    DurascopeError            what happened, what was left untouched, what to do
    ├── ServerError           a target server refused, vanished or cannot do it
    │   ├── Unreachable       no connection: address, TLS, too many connections, gone away
    │   ├── AccessDenied      wrong account or password
    │   └── MissingPrivilege  the account may not do this; `fix` holds the GRANT
    ├── LoadError             sysbench failed or printed a bogus result
    │   └── LoadBrokeOff      sysbench aborted
    ├── TogetherError         several workers could not generate a load together
    ├── SandboxError          a sandbox could not be made, started or removed
    │   ├── ServerEnded       the server ended because of what it found in its files
    │   └── SandboxLost       the server of a sandbox is gone, although a measurement needs it
    ├── PlanError             the plan cannot be run as it is
    │   └── NewerPlan         a newer version stored it
    ├── Cancelled             a user asked to stop
    │   └── Taken             the experiment was taken from this worker, which seemed to be dead
    ├── BackupRefused         a backup was not made or not restored (dashboard.backup.refused)
    ├── NoHome                the home folder cannot be made (dashboard.installation.home)
    ├── NewerDatabase         a newer version migrated the database (dashboard.installation.newer_database)
    ├── KeyMissing            a stored password cannot be opened (dashboard.installation.vault)
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
    """The failure in words, never empty: some exceptions have no text of their own."""
    if isinstance(failure, DurascopeError) and str(failure):
        return str(failure)
    if isinstance(failure, OSError) and failure.strerror:  # without the number that Python puts before it
        return f"{failure.strerror} ({failure.filename})" if failure.filename else failure.strerror
    kind = type(failure).__name__
    return f"{kind}: {failure}" if str(failure) else f"{kind}, without a message"


class ServerError(DurascopeError):
    """A target server refused, vanished or cannot do what was asked."""


class Unreachable(ServerError):
    """No connection could be made, or it was lost."""


class AccessDenied(ServerError):
    """The server does not accept this account or password."""


class MissingPrivilege(ServerError):
    """The account may not do this; `fix` holds the GRANT that lets it."""


class LoadError(DurascopeError):
    """sysbench failed, or its output is no measurement."""


class LoadBrokeOff(LoadError):
    """sysbench 1.0.20 sometimes ends itself by a signal. Neither the server nor a person caused it."""


class TogetherError(DurascopeError):
    """Several workers could not generate the load together: one did not come or ended, or Redis is gone."""


class SandboxError(DurascopeError):
    """A sandbox could not be made, started or removed."""


class ServerEnded(SandboxError):
    """The server ended because of what it found in its files. Nobody killed it, and the host lacked nothing."""


class SandboxLost(SandboxError):
    """The server of a sandbox is gone, although a measurement needs it. The message holds the end of its log."""


class PlanError(DurascopeError):
    """The plan cannot be run as it is."""


class NewerPlan(PlanError):
    """A newer version of Durascope stored the plan. A worker of that version can run it."""


class Cancelled(DurascopeError):
    """A user asked to stop. Finished measurements are kept."""


class Taken(Cancelled):
    """The experiment was taken from this worker, which seemed to be dead: the worker may change nothing more."""
