"""The binary log of a server by the replication protocol, as a replica asks for it: copied into files that hold what
the server's own files hold. So one parser reads both."""

from workers.servers.dump.apart import copy, copy_after, newest
from workers.servers.dump.copy import LIMITS, CopiedLog, CopyLimits

__all__ = ["LIMITS", "CopiedLog", "CopyLimits", "copy", "copy_after", "newest"]
