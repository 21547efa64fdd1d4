"""Sources of figures.

A *source* reads one place (status counters, performance_schema, a trace on the host) and yields figures. No figure
mixes sources silently; a figure without a source is shown as *not available here*. Counts explain the cost of a commit.
They never decide a verdict: O_DSYNC is durable without fsyncs.
"""

from workers.metrics.binlog_size import BinlogSize
from workers.metrics.commit_waits import CommitWaits
from workers.metrics.file_waits import FileWaits
from workers.metrics.fsync_trace import FsyncTrace
from workers.metrics.host_figures import HostFigures
from workers.metrics.source import Source
from workers.metrics.status_counters import StatusCounters

ALL: tuple[Source, ...] = (
    FsyncTrace(), FileWaits(), StatusCounters(), BinlogSize(), CommitWaits(), HostFigures(),
)  # fmt: skip
SOURCES: dict[str, Source] = {source.key: source for source in ALL}
