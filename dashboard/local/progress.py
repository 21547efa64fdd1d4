"""Progress of an experiment in a terminal or a log: one line for each cell, trial or step."""

from collections.abc import Callable

from dashboard.records.experiments.queries import LiveState


class ProgressLines:
    def __init__(self, say: Callable[[str], object]) -> None:
        self._say, self._said = say, ""

    def tell(self, now: LiveState) -> None:
        """Say what is measured, unless the last line said so. The time left changes every second and is no news."""
        line = f"{now['done'] + now['failed']}/{now['total']}  {where(now)}".rstrip()
        if line != self._said:
            self._said = line
            self._say(f"{line}  {left(now)}".rstrip())


def where(now: LiveState) -> str:
    cell = now["cell"]
    if cell is None:
        return now["activity"]
    if "threads" not in cell:  # a crash trial
        return f"{cell['variant']}, {cell['workload']}, trial {cell['repeat']}"
    threads = "1 thread" if cell["threads"] == 1 else f"{cell['threads']} threads"
    return f"{cell['variant']}, {threads}"


def left(now: LiveState) -> str:
    if now["left_s"] is None:
        return ""
    minutes, seconds = divmod(round(now["left_s"]), 60)
    return f"{'at least' if now['left_is_least'] else 'about'} {minutes}:{seconds:02d} min left"
