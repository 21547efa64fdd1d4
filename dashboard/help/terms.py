"""Every word of a page that a DBA may want explained: one line each, and the manual's page where there is one.

Settings have theirs in `workers.servers.settings`. A heading that names a figure is written `{% term "..." %}` in a
template; a test walks headings, figures and settings, and fails where a line is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workers.servers.settings import SETTINGS, Setting

_MARIADB = "https://mariadb.com/kb/en/"
_MYSQL = "https://dev.mysql.com/doc/refman/8.4/en/"
_SYSBENCH = "https://github.com/akopytov/sysbench"
MANUALS = {"mariadb": "MariaDB", "mysql": "MySQL", "sysbench": "sysbench"}


@dataclass(frozen=True)
class Term:
    """`says`: one line; `manuals`: whose manual -> address of the page."""

    says: str
    manuals: Mapping[str, str] = field(default_factory=dict)


def _in(mariadb: str = "", mysql: str = "", sysbench: str = "") -> dict[str, str]:
    """Pages within the manuals."""
    pages = {"mariadb": _MARIADB + mariadb if mariadb else "", "mysql": _MYSQL + mysql if mysql else ""}
    pages["sysbench"] = _SYSBENCH + sysbench if sysbench else ""
    return {MANUALS[whose]: page for whose, page in pages.items() if page}


_BINLOG = _in("binary-log/", "binary-log.html")
_REDO = _in("innodb-redo-log/", "innodb-redo-log.html")
_GROUP = _in("group-commit-for-the-binary-log/", "glossary.html#glos_group_commit")
_GTID = _in("gtid/", "replication-gtids.html")
_RECOVERY = _in("innodb-crash-recovery/", "innodb-recovery.html")
_REPLICAS = _in("standard-replication/", "replication.html")
_OPTIONS = _in(sysbench="#general-command-line-options")
_FROM = "The lower end of the 95 % interval of the figure before it."
_TO = "The upper end of the 95 % interval of the figure before it."
_OWNERS = Term("The server is crashed by the command that its owner gave for it: what is lost depends on that command.")

TERMS: dict[str, Term] = {
    # What is compared, and how.
    "variant": Term("One named set of settings: what a line of a chart and a row of a table stand for."),
    "setting": Term("The variant: one named set of settings, often flush_log / sync_binlog, as in 1/1."),
    "workload": Term("What one transaction does: a Lua script for sysbench, with its parameters.",
                     _in(sysbench="#usage")),
    "threads": Term("Connections that commit at the same time; each waits for its own commit.", _OPTIONS),
    "at threads": Term("The number of connections at which the figure beside it was measured."),
    "repeat": Term("The same point measured again, so that chance can be told from effect."),
    "repeats": Term("How often the same point was measured; all of them together give the figure."),
    "seconds": Term("Measured seconds of all repeats together, without the warm-up."),
    "second": Term("Seconds since the measured load began; the warm-up is not part of it."),
    "rounds": Term("How often each size was tried, in turn."),
    "engine": Term("The storage engine that keeps the table: InnoDB, MyRocks, TokuDB.",
                   _in("storage-engines/", "storage-engines.html")),
    "build and device": Term("The server binaries that were run, and the disk, real or simulated, that its files lay "
                             "on."),
    "settings": Term("What the variant changes; everything else stays as the server has it."),
    "source": Term("Where the figure was read: sysbench, a status counter, performance_schema, or a trace of the "
                   "calls."),
    "remark": Term("What disturbed the figure, or why there is none."),
    # Load.
    "throughput": Term("What was completed per second: the mean of all measured seconds of all repeats.", _OPTIONS),
    "throughput/s": Term("What was completed per second: the mean of all measured seconds of all repeats.", _OPTIONS),
    "throughput per second": Term("The mean of all measured seconds of all repeats; behind it the 95 % interval."),
    "commits per second": Term("Transactions whose commit was acknowledged, per second; the mean of all measured "
                               "seconds."),
    "updates per second": Term("Changed rows per second, where many of them share one commit."),
    "inserts tried per second": Term("INSERT IGNOREs per second, also of rows that were there: those commit nothing."),
    "transactions": Term("Transactions that sysbench completed in the measured seconds.", _OPTIONS),
    "per second of a worker": Term("What this worker's part of the load completed per second."),
    "began after the barrier": Term("How long after the common start this worker's part of the load began."),
    "measured for": Term("How long the load ran, without the warm-up."),
    "errors": Term("Statements that failed, as sysbench counts them.", _OPTIONS),
    "load average before": Term("Processes that ran or waited on the worker's host in the minute before: of a quiet "
                                "host "
                                "it is near 0."),
    "avg": Term("The mean time of a transaction, from its first statement to the acknowledged commit."),
    "p50": Term("Half took no longer than this.", _in(sysbench="#general-command-line-options")),
    "p95": Term("95 of 100 took no longer than this.", _in(sysbench="#general-command-line-options")),
    "p99": Term("99 of 100 took no longer than this.", _in(sysbench="#general-command-line-options")),
    "p99.9": Term("999 of 1,000 took no longer than this."),
    "p50, at most": Term("Half took no longer than this: the upper edge of the bucket that they were counted in."),
    "p99, at most": Term("99 of 100 took no longer than this: the upper edge of the bucket that they were counted in."),
    "mean": Term("The sum of all, divided by their number."),
    "median": Term("Half are below, half above."),
    "max": Term("The longest of all."),
    "lowest": Term("The lowest of these nights."),
    "highest": Term("The highest of these nights."),
    "stalls": Term("Times at which the throughput fell below a tenth of its median."),
    "stalled": Term("Seconds in which the throughput was below a tenth of its median."),
    "stalled seconds": Term("Seconds in which the throughput was below a tenth of its median."),
    "longest, seconds": Term("The longest time without a break for which the throughput stood nearly still."),
    # Comparison.
    "ratio": Term("Throughput divided by that of the variant compared with: 2 is twice as fast."),
    "against 1": Term("Throughput divided by that of the first column: 2 is twice as fast."),
    "95 % from": Term(_FROM),
    "95 % to": Term(_TO),
    "p (adjusted)": Term("How often chance alone would make a difference as large, adjusted for the number of "
                         "comparisons (Benjamini and Hochberg)."),
    "decision": Term("Differs: the 95 % interval leaves 1 out; adjusted p is below 0.05. No difference "
                     "shown: 1 is in it. Not decidable: the interval leaves 1 out, but not after the adjustment for "
                     "the number of comparisons. Fewer than 3 repeats decide nothing."),
    # Commits and their flushes.
    "fsyncs per commit": Term("How often the server made the disk keep what was written, per committed transaction. "
                              "Below 1, commits share their flushes.", _GROUP),
    "fsyncs per commit, fewest threads": Term("The same at the lowest concurrency measured, where commits cannot "
                                              "share."),
    "fsyncs per commit, most threads": Term("The same at the highest concurrency measured, where commits can share."),
    "redo fsyncs per commit": Term("Flushes of InnoDB's redo log per commit.", _REDO),
    "binlog fsyncs per commit": Term("Flushes of the binary log per commit.", _BINLOG),
    "data fsyncs per commit": Term("Flushes of table files per commit: they happen in the background."),
    "redo and data fsyncs per commit": Term("Flushes of redo log and table files together, where the server cannot "
                                            "tell "
                                            "them apart."),
    "all files fsyncs per commit": Term("Flushes of all files together, where nothing finer is known."),
    "commits per group": Term("Transactions that share one flush of the binary log: group commit works above 1.",
                              _GROUP),
    "commits per binlog group": Term("Transactions that share one flush of the binary log: group commit works above 1.",
                                     _GROUP),
    "group commit": Term("Whether commits share flushes: fewer fsyncs per commit with more threads.", _GROUP),
    "left": Term("Fsyncs per commit at the most threads as a share of those at the fewest: small is good."),
    "works from": Term("The fewest threads at which commits are seen to share flushes."),
    "log": Term("Which log is flushed: the engine's redo log or the binary log."),
    "files": Term("Which files were flushed: redo log, binary log, tables, or others."),
    "calls": Term("How many fsync calls there were in the measured seconds."),
    "commit": Term("The time of one commit: threads divided by commits per second."),
    "redo flush": Term("The flushes of the redo log that a commit waits for, each as long as they took here.", _REDO),
    "binlog flush": Term("The flushes of the binary log that a commit waits for, each as long as they took here.",
                         _BINLOG),
    "group leader": Term("Waiting for the leader of the commit group beyond its flushes.", _GROUP),
    "rest": Term("What of a commit is neither a flush nor waiting for a group's leader: locks, processor, network."),
    "commits": Term("Committed transactions as the server counts them.",
                    _in("server-status-variables/#handler_commit",
                        "server-status-variables.html#statvar_Handler_commit")),
    "binlog commits": Term("Transactions written to the binary log.",
                           _in("replication-and-binary-log-status-variables/#binlog_commits", "binary-log.html")),
    "binlog groups": Term("Groups of transactions that were written to the binary log and flushed together.",
                          _in("replication-and-binary-log-status-variables/#binlog_group_commits",
                              "glossary.html#glos_group_commit")),
    "redo fsyncs": Term("Flushes of InnoDB's redo log in the measured seconds.",
                        _in("innodb-status-variables/#innodb_os_log_fsyncs",
                            "server-status-variables.html#statvar_Innodb_os_log_fsyncs")),
    "binlog fsyncs": Term("Flushes of the binary log in the measured seconds.", _BINLOG),
    "data fsyncs": Term("Flushes of table files in the measured seconds.",
                        _in("innodb-status-variables/#innodb_data_fsyncs",
                            "server-status-variables.html#statvar_Innodb_data_fsyncs")),
    "redo and data fsyncs": Term("Flushes of redo log and table files together: this server cannot tell them apart.",
                                 _in("innodb-status-variables/#innodb_data_fsyncs",
                                     "server-status-variables.html#statvar_Innodb_data_fsyncs")),
    "all fsyncs": Term("Flushes of all files of the server in the measured seconds."),
    "redo bytes": Term("Bytes written to InnoDB's redo log in the measured seconds.",
                       _in("innodb-status-variables/#innodb_os_log_written",
                           "server-status-variables.html#statvar_Innodb_os_log_written")),
    "binlog bytes": Term("Bytes written to the binary log in the measured seconds.", _BINLOG),
    "data bytes": Term("Bytes written to table files in the measured seconds.",
                       _in("innodb-status-variables/#innodb_data_written",
                           "server-status-variables.html#statvar_Innodb_data_written")),
    "group wait ms": Term("Time that sessions waited for the leader of their commit group, all together.",
                          _in("performance-schema-events_waits_summary_global_by_event_name-table/",
                              "performance-schema-wait-summary-tables.html")),
    # Models.
    "measured": Term("The measured throughput, beside what the model allows at most."),
    "ceiling with group commit": Term("Throughput at most, if each commit waits for its flushes and any number share "
                                      "them."),
    "ceiling without": Term("Throughput at most, if each commit has flushes of its own, one after the other."),
    "share of it": Term("Measured throughput as a share of the ceiling with group commit."),
    "fsyncs in series": Term("Flushes that one commit waits for, one after the other."),
    "they take": Term("How long these flushes take together, as they were measured here."),
    "one thread": Term("The throughput of one thread in the law: where its line begins."),
    "contention": Term("The share of a transaction that only one thread at a time can do (Universal Scalability Law)."),
    "contention from": Term(_FROM),
    "contention to": Term(_TO),
    "coherency": Term("What each thread costs each other one (Universal Scalability Law): above 0 the throughput falls "
                      "again."),
    "coherency from": Term(_FROM),
    "coherency to": Term(_TO),
    "bends at threads": Term("Where one thread's line reaches the highest throughput of the law: more threads bring "
                             "little."),
    "peak at threads": Term("The number of threads with the highest throughput by the law."),
    "peak from": Term(_FROM),
    "peak to": Term(_TO),
    "at the peak": Term("The highest throughput of the law."),
    "off by at most": Term("How far a measured point lies from the law's line at most."),
    # Devices.
    "device": Term("The disk, real or simulated, that was measured."),
    "way": Term("Append: the file grows. Overwrite: blocks that exist are written again, as a redo log does."),
    "size": Term("How many bytes were written before each fsync."),
    "bytes": Term("How many bytes were written before each fsync."),
    "writes": Term("How many writes with an fsync were timed."),
    "k": Term("What an fsync costs that has nothing to write: K of K + N/R."),
    "k from": Term(_FROM),
    "k to": Term(_TO),
    "r": Term("The rate at which an fsync writes: R of K + N/R."),
    "r, mb/s": Term("The rate at which an fsync writes: R of K + N/R."),
    "r from": Term(_FROM),
    "r to": Term(_TO),
    "half is transfer at": Term("The size at which writing takes as long as the fsync itself: K times R."),
    "100 kb against nothing": Term("How many times as long an fsync of 100 KB takes as one of nothing."),
    "is it a line": Term("Whether the time grows evenly with the size: only then do K and R describe the device."),
    "line": Term("What K + N/R says for this size."),
    "off the line": Term("How far the median lies from K + N/R."),
    "promised fsync/s": Term("Fsyncs of a page per second that the simulated device promises."),
    "the probe read": Term("Fsyncs of a page per second that a probe measured on the mounted device."),
    "as promised": Term("Whether both agree within 10 %."),
    "fsync of 4 kib": Term("How long an fsync takes after 4 KiB were written: K + N/R."),
    "of 1 mib": Term("How long an fsync takes after 1 MiB was written: K + N/R."),
    # Crashes.
    "crash": Term("What was done to the server in the middle of its load: a crash class decides what can be lost."),
    "process kill": Term("The server is killed (kill -9); the operating system keeps what was written to it.",
                         _RECOVERY),
    "power loss": Term("Everything that was not flushed to the disk is gone, at once.", _RECOVERY),
    "torn power loss": Term("As a power loss, but a random part of the unflushed sectors got through."),
    "lying disk": Term("A control of the checks: a disk that ignores flushes. It must be found invalid."),
    "graceful restart": Term("A control of the checks: an orderly stop and start. It must be found valid."),
    "owner's command": _OWNERS,
    "attached expendable": _OWNERS,
    "trials": Term("How often it was crashed and checked."),
    "crash trials": Term("The newest experiment that crashed this server: per setting, in how many trials something "
                         "that "
                         "was acknowledged was lost, or engine, binlog and replicas disagreed."),
    "newest crash trials": Term("The newest experiment that crashed this server: per setting, in how many trials "
                                "something "
                                "that was acknowledged was lost, or engine, binlog and replicas disagreed."),
    "cost of flushing at each commit": Term("How many times as fast the most relaxed setting is as 1/1, which flushes "
                                            "redo log and binlog at each commit; with the 95 % interval."),
    "verdict": Term("Valid: nothing acknowledged was lost and all places agree. Invalid: something was. Unknown: the "
                    "trial could not tell."),
    "failed": Term("Trials with the verdict invalid."),
    "at least": Term("The lower 95 % bound of the share of crashes that lose something (exact binomial)."),
    "at most": Term("The upper 95 % bound of the share of crashes that lose something (exact binomial): 0 of 30 still "
                    "allows 12 %."),
    "not known": Term("Trials that ended without telling: for the upper bound they count as failures."),
    "not finished": Term("Trials that wait, run, or were cancelled or interrupted."),
    "acknowledged": Term("Transactions whose commit the server confirmed to the client before the crash: all of them "
                         "must "
                         "be there afterwards."),
    "in doubt": Term("Transactions that were sent and never answered: they may be there or not."),
    "engine lost": Term("Acknowledged transactions that the storage engine no longer has after recovery.", _RECOVERY),
    "binlog lost": Term("Acknowledged transactions that the binary log no longer has after recovery.", _BINLOG),
    "lost from the engine": Term("Acknowledged transactions that the storage engine no longer has after recovery.",
                                 _RECOVERY),
    "lost from the binlog": Term("Acknowledged transactions that the binary log no longer has after recovery.",
                                 _BINLOG),
    "lost from the replica": Term("Acknowledged transactions that the replica does not have afterwards.", _REPLICAS),
    "mean lost": Term("Acknowledged transactions lost per crash, mean of all crashes."),
    "median lost": Term("Acknowledged transactions lost, of the crashes that lost any: half of those lost no more."),
    "most lost": Term("Acknowledged transactions lost in the worst crash."),
    "median lost, time": Term("How long committing the median loss had taken: that much work is gone."),
    "most lost, time": Term("How long committing the largest loss had taken: that much work is gone."),
    "median lost from the binlog": Term("Acknowledged transactions missing in the binary log, of the crashes that "
                                        "lost any: half of those lost no more.", _BINLOG),
    "engine: mean lost": Term("Acknowledged transactions lost from the storage engine per crash, mean of all crashes."),
    "engine: median lost": Term("The same, median of the crashes that lost any."),
    "engine: most lost": Term("Acknowledged transactions lost from the storage engine in the worst crash."),
    "engine: median": Term("How long committing the engine's median loss had taken."),
    "engine: most": Term("How long committing the engine's largest loss had taken."),
    "binlog: mean lost": Term("Acknowledged transactions lost from the binary log per crash, mean of all crashes."),
    "binlog: median lost": Term("The same, median of the crashes that lost any."),
    "binlog: most lost": Term("Acknowledged transactions lost from the binary log in the worst crash."),
    "binlog: median": Term("How long committing the binary log's median loss had taken."),
    "binlog: most": Term("How long committing the binary log's largest loss had taken."),
    "replicas": Term("Whether a replica of the crashed server still holds the same rows afterwards.", _REPLICAS),
    "replicas: diverge": Term("Trials after which a replica holds other rows, and no error says so.", _REPLICAS),
    "replicas: stopped": Term("Trials after which replication stopped with an error.", _REPLICAS),
    "replicas: unknown": Term("Trials that could not tell whether the replica agrees."),
    "replicas: agree": Term("Trials after which the replica holds the same rows.", _REPLICAS),
    "replicas: not tried": Term("Trials without a replica."),
    "rows that differ": Term("Rows that primary and replica do not have alike, compared row by row.", _REPLICAS),
    "recovery": Term("From the start after the crash until the server answered its first query.", _RECOVERY),
    "began at": Term("Seconds since the trial began."),
    "took": Term("How long it took."),
    "gtid before": Term("The newest global transaction id before the crash.", _GTID),
    "gtid after": Term("The newest global transaction id after recovery.", _GTID),
    "gtids given out again": Term("Transaction ids that name two different transactions since: replicas may take one "
                                  "for "
                                  "the other.", _GTID),
    "end of the binlog": Term("How the binary log ends after the crash: whole, torn, or in zeros.", _BINLOG),
    "prepared transactions left": Term("Transactions that recovery neither committed nor rolled back.",
                                       _in("xa-transactions/", "xa.html")),
    "outcome of a crash": Term("What these settings promise: kept, lost or unknown. Derived from them, not measured."),
    "variable": Term("A variable of the server, by the name that SHOW GLOBAL VARIABLES gives it.",
                     _in("server-system-variables/", "server-system-variables.html")),
    "source of a profile": Term("Where K and R were taken from: an article, or an order of magnitude."),
    # Nights.
    "p99 latency": Term("99 of 100 transactions took no longer than this."),
    "latency p99": Term("99 of 100 transactions took no longer than this."),
    "nights": Term("How many measurements the level rests on."),
    "begins with": Term("The change that this level begins with."),
    "change": Term("A lasting change of level, found by a statistical test and confirmed by measuring again."),
    # Claims.
    "the article": Term("What the article says, in its own figures."),
    "measured (95 %)": Term("What was measured here, with its 95 % interval."),
    "outcome": Term("Held, not held, or not decidable from what was measured."),
}  # fmt: skip


def explained(word: str) -> Term | None:
    """What a word means; None where nobody wrote it down. A setting by its name as servers spell it."""
    if word in SETTINGS:
        return of_setting(SETTINGS[word])
    return TERMS.get(word.lower())


def of_setting(setting: Setting) -> Term:
    return Term(setting.explains, {MANUALS[flavour]: rule.manual for flavour, rule in setting.rules.items()})
