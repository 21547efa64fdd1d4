"""What this program gives a server beside the settings of a plan."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Additions:
    """`lines`: of the option file. `read`: libraries and folders that the server may open. `programs`: a folder of
    programs that the server finds before those of the machine. `files`: name -> text, in its datadir before its first
    start."""

    lines: tuple[str, ...] = ()
    read: tuple[Path, ...] = ()
    programs: Path | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def option_lines(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def readable(self) -> tuple[Path, ...]:
        return (*self.read, self.programs) if self.programs else self.read

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.programs}{os.pathsep}{os.defpath}"} if self.programs else {}


NOTHING = Additions()
