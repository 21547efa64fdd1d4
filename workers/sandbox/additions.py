"""What this program gives a server beside the settings of a plan."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Additions:
    """`lines`: of the option file. `read`: libraries and folders that the server may open. `programs`: a folder of
    programs that the server finds before those of the machine."""

    lines: tuple[str, ...] = ()
    read: tuple[Path, ...] = ()
    programs: Path | None = None

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
