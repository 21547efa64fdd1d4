"""All sources of figures, best first."""

from workers.metrics.commit_waits import CommitWaits
from workers.metrics.file_waits import FileWaits
from workers.metrics.fsync_trace import FsyncTrace
from workers.metrics.source import Source
from workers.metrics.status_counters import StatusCounters

ALL: tuple[Source, ...] = (FsyncTrace(), FileWaits(), StatusCounters(), CommitWaits())
SOURCES: dict[str, Source] = {source.key: source for source in ALL}
