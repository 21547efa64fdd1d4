"""The demo's output in a terminal: messages, and below them one line of progress that is redrawn. In a log or pipe the
line is printed only when it changes."""

import os
from typing import TextIO

from dashboard.records.experiments.queries import LiveState

BAR_CELLS = 20
CLEAR_LINE = "\r\x1b[2K"


class Screen:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = out.isatty()
        self._shown = ""

    def say(self, text: str) -> None:
        self._write(f"{self._cleared()}{text}\n")
        self._shown = ""

    def progress(self, now: LiveState) -> None:
        if self._live:
            line = f"{bar(now)}  {where(now)}{speed(now)}  {left(now)}".rstrip()
            self._shown = line[: os.get_terminal_size(self._out.fileno()).columns - 1]
            self._write(f"{CLEAR_LINE}{self._shown}")
        elif (line := f"{over(now)}/{now['total']}  {where(now)}".rstrip()) != self._shown:
            self._shown = line
            self._write(f"{line}  {left(now)}".rstrip() + "\n")

    def _cleared(self) -> str:
        return CLEAR_LINE if self._live and self._shown else ""

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def over(now: LiveState) -> int:
    return now["done"] + now["failed"]


def bar(now: LiveState) -> str:
    full = BAR_CELLS * over(now) // max(now["total"], 1)
    return f"[{'#' * full}{'.' * (BAR_CELLS - full)}] {over(now)}/{now['total']}"


def where(now: LiveState) -> str:
    cell = now["cell"]
    if cell is None:
        return now["phase"]
    if "threads" not in cell:  # a crash trial
        return f"{cell['variant']}, {cell['workload']}, trial {cell['repeat']}"
    threads = "1 thread" if cell["threads"] == 1 else f"{cell['threads']} threads"
    return f"{cell['variant']}, {threads}"


def speed(now: LiveState) -> str:
    seconds = now["seconds"] if now["cell"] else []
    return f", {seconds[-1]['tps']:.0f} commits/s" if seconds else ""


def left(now: LiveState) -> str:
    if now["left_s"] is None:
        return ""
    minutes, seconds = divmod(round(now["left_s"]), 60)
    return f"about {minutes}:{seconds:02d} min left"
