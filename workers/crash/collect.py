"""Collects the evidence of one server after a crash, whether it answers again or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workers.crash.evidence import Evidence
from workers.crash.inspect import BinlogPlace, Inspector, SentBinlog, telling
from workers.crash.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class Case:
    """A server after a crash, and what is known from before. `before`: its binlog at the crash."""

    look: Inspector
    ledger: Ledger
    has_binlog: bool
    has_gtids: bool
    before: BinlogPlace | None
    gtid_before: str
    replica_expected: bool = False
    others_write: bool = False

    @property
    def has_files(self) -> bool:
        """Whether the binlog's files are on this host."""
        return not isinstance(self.look.log, SentBinlog)

    def expected(self) -> Evidence:
        """The evidence that this case can have, still empty."""
        return Evidence(
            engine=None,
            binlog=None,
            binlog_expected=self.has_binlog,
            replica_expected=self.replica_expected,
            gtids_expected=self.has_gtids,
            others_write=self.others_write,
            files_expected=self.has_files,
            secret=self.look.secret,
        )


def of_refusing(case: Case, refused: str, log_lines: Sequence[str]) -> Evidence:
    """A server that does not come back has only its files as evidence."""
    case.look.problems.append("the server does not come back")
    return replace(
        case.expected(),
        binlog=case.look.binlog() if case.has_binlog else None,
        stays_down=refused,
        gtids_known=False,
        recovery_lines=telling(log_lines),
        problems=tuple(case.look.problems),
    )


def of_answering(case: Case, log_lines: Sequence[str]) -> Evidence:
    """Without GTIDs that were used again: `with_reissued` writes to the server."""
    look = case.look
    return replace(
        case.expected(),
        engine=look.engine(),
        binlog=(log := look.binlog() if case.has_binlog else None),
        rewritten=look.rewritten(case.before, log) if log else None,
        gtid_before=case.gtid_before,
        gtid_after=(look.gtid_position() or "") if case.has_binlog else "",
        prepared_left=look.prepared_left(),
        tables_ok=look.tables_ok(),
        stays_down="",
        recovery_lines=telling(log_lines),
    )


def with_reissued(case: Case, found: Evidence, named: Mapping[str, int] | None, has_written_on: bool) -> Evidence:
    """Also GTIDs of acknowledged transactions that now name others. Transactions in doubt do not count, because a
    server may lose them. `named`: GTID -> key before the crash; None: not known."""
    if not case.has_files:  # only a GTID that the log itself holds twice can be told
        found = replace(found, gtids_expected=bool(found.binlog and found.binlog.reused))
    elif case.has_binlog and case.has_gtids:
        reissued = _reissued(case, named, has_written_on)
        found = replace(found, reissued=reissued or (), gtids_known=reissued is not None)
    return replace(found, problems=tuple(case.look.problems))


def _reissued(case: Case, named: Mapping[str, int] | None, has_written_on: bool) -> tuple[str, ...] | None:
    if named is None or not (has_written_on or case.look.write_on()):
        return None
    acknowledged = set(case.ledger.acknowledged().tolist())
    return case.look.reissued({gtid: key for gtid, key in named.items() if key in acknowledged})
