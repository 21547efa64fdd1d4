"""The system's MariaDB as a build to which more files belong: a server opens files of its build, and its own."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

from workers.sandbox import builds
from workers.sandbox.builds.build import Build


@dataclass(frozen=True)
class Wider(Build):
    more: tuple[Path, ...] = ()

    @classmethod
    def of_the_system(cls, *more: Path) -> Self:
        known = builds.find("system-mariadb")
        return cls(**{field.name: getattr(known, field.name) for field in fields(Build)}, more=more)

    @property
    def parts(self) -> tuple[Path, ...]:
        return (*super().parts, *self.more)
