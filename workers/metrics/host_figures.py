"""The host during a run, from /proc: processor time, run queue, and the disk of the data (proc_stat(5), kernel document
iostats.rst). They are figures of the whole host: sysbench and other programs are in them."""

from collections.abc import Mapping
from pathlib import Path

from workers.host import environment
from workers.metrics.source import Counts, Figure, Reading, SourceSession, Subject, Window

STAT, DISKS = Path("/proc/stat"), Path("/proc/diskstats")
UNUSED = (3, 4, 7)  # places in the line "cpu": idle, iowait, steal (another guest of the machine had the processor)
OF_ALL = 8  # places after these (guest) are counted in the first ones already
TICKS_PER_S = 100  # USER_HZ, the same on every Linux of today
SECTOR_BYTES = 512
WRITES, SECTORS, BUSY_MS, FLUSHES = 4, 6, 9, 15  # places in a line of diskstats after the name; flushes since 5.5


class HostFigures:
    """Counters of the worker's host. They say nothing of a server elsewhere."""

    key = "host"
    title = "CPU, run queue and disk of the server's host"
    cost = "two small files of /proc per second"

    def missing(self, subject: Subject) -> str:
        if subject.folder is None:
            return "The server is not on this host, or in a container with another host name: its host cannot be read."
        return "" if STAT.exists() else "This host has no /proc/stat."

    def open(self, subject: Subject) -> SourceSession:
        disk = environment.disk_name(subject.folder) if subject.folder else None
        return HostWindow(disk or "")


class HostWindow(Window):
    """Counters, and the run queue, which is read as it is in each second. `disk`: "": the data is on none."""

    def __init__(self, disk: str) -> None:
        super().__init__(lambda: read(STAT.read_text(), DISKS.read_text() if disk else "", disk), self._figures_of)
        self._disk = disk
        self._queue: list[float] = []

    def tick(self) -> None:
        super().tick()
        self._queue.append(runnable(STAT.read_text()))

    def end(self) -> Reading:
        reading = super().end()
        if not self._queue:
            return reading
        mean = Figure("run_queue", sum(self._queue) / len(self._queue), "host:/proc/stat", "mean of the seconds")
        return Reading((*reading.figures, mean), (), {**reading.per_second, "run_queue": tuple(self._queue)})

    def _figures_of(self, before: Counts, after: Counts) -> tuple[Figure, ...]:
        def figure(name: str, counter: str, per: float, source: str) -> Figure:
            return Figure(name, (after[counter] - before[counter]) / per, source)

        disk = f"host:/proc/diskstats {self._disk}"
        found = [figure("cpu_s", "busy_ticks", TICKS_PER_S, "host:/proc/stat")]
        if "writes" in after:
            found.append(figure("disk_writes", "writes", 1, disk))
            found.append(figure("disk_written_bytes", "sectors", 1 / SECTOR_BYTES, disk))
            found.append(figure("disk_busy_ms", "busy_ms", 1, disk))
        if "flushes" in after:
            found.append(figure("disk_flushes", "flushes", 1, disk))
        return tuple(found)


def read(stat: str, disks: str, disk: str) -> Mapping[str, int]:
    """The counters of these two files; without those of the disk where it is not listed."""
    ticks = [int(word) for word in _line(stat, "cpu")[:OF_ALL]]
    counts = {"busy_ticks": sum(ticks) - sum(ticks[place] for place in UNUSED)}
    rows = (line.split() for line in disks.splitlines())
    of_disk = next((row[3:] for row in rows if len(row) > 3 and row[2] == disk), [])
    places = {"writes": WRITES, "sectors": SECTORS, "busy_ms": BUSY_MS, "flushes": FLUSHES}
    if environment.is_stacked(disk):
        del places["flushes"]  # it would be 0
    return counts | {name: int(of_disk[place]) for name, place in places.items() if place < len(of_disk)}


def runnable(stat: str) -> int:
    """Threads that run or wait for a processor, without the one that asks."""
    return max(0, int(_line(stat, "procs_running")[0]) - 1)


def _line(stat: str, name: str) -> list[str]:
    return next(line.split()[1:] for line in stat.splitlines() if line.startswith(f"{name} "))
