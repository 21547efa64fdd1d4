"""What the articles claim. docs/claims.md shows the same sentences; a test compares them."""

from dataclasses import dataclass

SYSBENCH = "Benchmarking MySQL ACID performance with SysBench; High insertion rates into a TokuDB table (2010)"
FIXING = "Fixing MySQL group commit, part 1 (K. Nielsen, 2010)"
REPLACE = "Making REPLACE INTO and INSERT IGNORE fast (2010)"
TESTING = "Testing TokuDB's group commit algorithm improvement (2014)"
FAST = "Group commit in MariaDB is fast (M. Callaghan, 2011)"


@dataclass(frozen=True)
class ArticleClaim:
    """`id`: recipes, tests and documents refer to it."""

    id: str
    says: str
    articles: tuple[str, ...]


ARTICLE_CLAIMS = (
    ArticleClaim(
        "A1",
        "8 threads, oltp complex, 1M rows, 120 s, local SATA 7.2k: flush_log=0 + sync_binlog=0 gives 1436.83 TPS, "
        "1/1 gives 26.58 TPS: 54 times",
        (SYSBENCH,),
    ),
    ArticleClaim(
        "A2",
        "the same server measured before and after a change of RAM, CPU, disk or cnf gives the DBA a number to show",
        (SYSBENCH,),
    ),
    ArticleClaim(
        "F1", "fsync time = N/R + K: N bytes of dirty log, R the write rate, K a constant of the device", (SYSBENCH,)
    ),
    ArticleClaim(
        "F2", "a 10k rpm disk does about 150 fsync/s, an X25-M about 1200, a battery-backed RAID about 10000", (FIXING,)
    ),
    ArticleClaim("F3", "fsync cost is latency, not bandwidth: 100 KB costs little more than one byte", (FIXING,)),
    ArticleClaim(
        "T1",
        "larger transactions amortise fsync: 1000 rows per transaction > 10K rows/s, 10000 rows > 15K, "
        "no sync > 17K (iibench)",
        (SYSBENCH,),
    ),
    ArticleClaim(
        "T2",
        "durability can be relaxed per session, and an application can sync once a second: at most one second at risk",
        (SYSBENCH,),
    ),
    ArticleClaim("T3", "logs on their own device raise throughput", (SYSBENCH, FIXING)),
    ArticleClaim(
        "G1",
        "binlog off: TPS rises with threads. Binlog on without group commit: flat; two orders of magnitude apart at "
        "64 threads on HDD",
        (FIXING,),
    ),
    ArticleClaim("G2", "at one thread, turning the binlog on costs up to three fsyncs instead of one", (FIXING,)),
    ArticleClaim(
        "G3",
        "with group commit and the binlog on, throughput rises by an order of magnitude or more; 17x in the TokuDB "
        "case",
        (FIXING, TESTING),
    ),
    ArticleClaim(
        "G4", "update_non_index, 1M rows in memory, 1 2 4 ... 256 threads, binlog off / on / on with fix", (TESTING,)
    ),
    ArticleClaim(
        "G5",
        "1 to 1024 connections, one row per transaction: slow fsync (> 4 ms) gains most; fast fsync (< 0.4 ms) still "
        "gains",
        (FAST,),
    ),
    ArticleClaim("G6", "without 1/1 group commit brings little, if anything", (FIXING,)),
    ArticleClaim(
        "X1",
        "a commit with the binlog on is: prepare in the engine, write to the binlog, commit in the engine; after a "
        "crash both agree",
        (FIXING,),
    ),
    ArticleClaim(
        "X2",
        "without 1/1 the engine may lose its last M transactions and the binlog its last N, and M differs from N",
        (FIXING,),
    ),
    ArticleClaim(
        "X3", "flush_log=2 or 0 is a way out only if the binlog is thrown away after a crash and replicas are rebuilt",
        (FIXING,),
    ),
    ArticleClaim(
        "R1",
        "REPLACE INTO and INSERT IGNORE without reading first can be far faster than on a B-tree once data exceeds "
        "memory",
        (REPLACE,),
    ),
)  # fmt: skip
