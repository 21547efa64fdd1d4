"""A server made ready for one experiment, and put back as it was.

Two kinds behave alike to the runner: `AttachedStage` borrows a server (every change is written down with
`before_change` before it is made, and undone by `close`), `SandboxStage` owns one and throws it away.
"""

import os
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Protocol

from workers.bench.dataset import LOGS_BYTES, SHAPE, DataImage
from workers.bench.plan import Variant
from workers.metrics.source import Subject
from workers.sandbox import place
from workers.sandbox.builds import Build
from workers.sandbox.devices import Devices
from workers.sandbox.log_places import IN_DATADIR
from workers.sandbox.server import Sandbox
from workers.sandbox.storage import Storage
from workers.sandbox.users import unprivileged_user
from workers.servers import hosts, look, schema, variables
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.limited import Connection
from workers.servers.settings import find
from workers.servers.target import Target
from workers.servers.undo import undo

LOOK_S = 10.0  # a source that waits longer for an answer is given up: nobody could cancel meanwhile
BeforeChange = Callable[[str, str, str], None]  # kind ("variable" | "schema"), name, old value
Restored = Callable[[str, str], None]  # kind, name


class Stage(Protocol):
    """`apply` returns the variant's settings as the server reports them; `schema` a schema of ours, made if
    need be; `holds` says whether the data of that shape came with it, `keep` that they were loaded now;
    `data_folder` is a folder on the device that holds the data, None when that is not on this host, `logs_folder` one
    on a second device that holds logs alone, None when there is none or nothing is known of it; `settle` comes before
    each measurement; `calibrate` is for a simulated device that does not cost what it should."""

    target: Target
    facts: Facts

    def apply(self, variant: Variant) -> dict[str, str]: ...

    def schema(self, engine: str) -> str: ...

    def holds(self, shape: str) -> bool: ...

    def keep(self, shape: str) -> None: ...

    def subject(self) -> Subject: ...

    def data_folder(self) -> Path | None: ...

    def logs_folder(self) -> Path | None: ...

    def settle(self) -> None: ...

    def calibrate(self) -> None: ...

    def my_cnf(self) -> str: ...

    def close(self) -> None: ...


def restart_only(settings: Mapping[str, str], facts: Facts) -> dict[str, str]:
    """The settings that this server takes from its option file only. Raises PlanError for an unknown one."""
    return {name: value for name, value in settings.items() if not find(name).dynamic_on(facts.flavour, facts.version)}


class _Dynamic:
    """Applies dynamic settings so that each variant starts from the server's own values, not its predecessor's."""

    def __init__(self, facts: Facts, before_change: Callable[[str, str], None]) -> None:
        self._facts = facts
        self._before_change = before_change
        self.own: dict[str, str] = {}  # what was there before our first change

    def apply(self, connection: Connection, wanted: Mapping[str, str]) -> dict[str, str]:
        effective = variables.apply(connection, self._facts, {**self.own, **wanted}, self._note)
        return {name: effective[name] for name in wanted}

    def _note(self, name: str, old: str) -> None:
        """Before every change, not only the first: somebody else may have restored the value in between."""
        own = self.own.get(name, old)
        self._before_change(name, own)
        self.own[name] = own


class AttachedStage:
    """A registered server, borrowed: only dynamic settings, only schemas of our own."""

    def __init__(
        self, target: Target, token: str, before_change: BeforeChange, restored: Restored, must_hold: Callable[[], None]
    ) -> None:
        self.target = target
        self._token = token
        self._before_change, self._restored, self._must_hold = before_change, restored, must_hold
        with connect(target) as connection:
            self.facts = look.read(connection)
        self._dynamic = _Dynamic(self.facts, lambda name, old: self._before_change("variable", name, old))
        self._schemas: dict[str, str] = {}

    def apply(self, variant: Variant) -> dict[str, str]:
        with connect(self.target) as connection:
            return self._dynamic.apply(connection, variant.settings)

    def schema(self, engine: str) -> str:
        if engine not in self._schemas:
            name = f"{schema.PREFIX}{self._token}_{len(self._schemas)}"
            with connect(self.target) as connection:
                schema.create(connection, name, self._note_schema, lambda made: self._restored("schema", made))
            self._schemas[engine] = name
        return self._schemas[engine]

    def holds(self, shape: str) -> bool:
        return False

    def keep(self, shape: str) -> None:
        """Data on somebody's server are dropped with their schema."""

    def subject(self) -> Subject:
        return Subject(connect(self.target, answer_s=LOOK_S), self.facts)

    def data_folder(self) -> Path | None:
        """A writable folder on the file system of the datadir, when the server runs on this host. An address of ours
        may be a tunnel or a container's: only a server that gives this host's name is here."""
        here = bool(self.target.socket) or hosts.is_local(self.target.host)
        if not here or self.facts.variable("hostname") != socket.gethostname():
            return None
        return beside(Path(self.facts.variable("datadir") or "/nonexistent"))

    def logs_folder(self) -> Path | None:
        """Where an attached server's logs lie is its own affair: all its devices would have to be writable for us."""
        return None

    def settle(self) -> None:
        """Its disk is shared with others: what they have not written yet is part of its life."""

    def calibrate(self) -> None:
        """It lies on a device of its own, which costs what it costs."""

    def my_cnf(self) -> str:
        return ""

    def close(self) -> None:
        """Put everything back. What cannot be put back now stays written down as owed, and is raised."""
        own = list(self._dynamic.own.items())
        undo(self.target, own, self._schemas.values(), self._restored, self._must_hold)

    def _note_schema(self, name: str) -> None:
        self._before_change("schema", name, "")


class SandboxStage:
    """A sandbox of this experiment's own: restarted when a variant needs it, removed at the end. With a `storage`
    it lies on simulated devices of `device_bytes` each, which cost something only while somebody measures."""

    def __init__(
        self,
        root: Path,
        build: Build,
        name: str,
        user: str,
        trace: bool = True,
        data: DataImage | None = None,
        storage: Storage | None = None,
        device_bytes: int = LOGS_BYTES,
    ) -> None:
        self._data = data
        self._loaded = data is not None and data.exists()
        self._restart: dict[str, str] = {}
        self._schemas: dict[str, str] = {data.engine: f"{schema.PREFIX}0"} if data and self._loaded else {}
        self._devices: Devices | None = None
        with ExitStack() as made:
            if storage:
                place.prepare(root, unprivileged_user(user))
                self._devices = made.enter_context(Devices.create(root, storage, device_bytes))
            self._sandbox = made.enter_context(
                Sandbox.create(
                    root,
                    build,
                    {},
                    name=name,
                    user=user,
                    trace=trace,
                    image_key=data.key if data and self._loaded else "",
                    datadir_on=self._devices.data if self._devices else None,
                    logs=self._devices.logs if self._devices else IN_DATADIR,
                )
            )
            if data and self._loaded:
                data.touch()
            if self._devices:
                made.callback(self._devices.give_way)
                self._devices.charge()
            self._look()
            self._made = made.pop_all()

    def apply(self, variant: Variant) -> dict[str, str]:
        restart = restart_only(variant.settings, self.facts)
        if restart != self._restart:
            with self._at_no_cost():
                self._sandbox.restart(restart)
            self._restart = restart
            self._look()
        with connect(self.target) as connection:
            return self._dynamic.apply(connection, variant.settings)

    def schema(self, engine: str) -> str:
        engine = engine.lower()  # however it is typed, it is one engine and one image
        if engine not in self._schemas:
            name = f"{schema.PREFIX}{len(self._schemas)}"
            with connect(self.target) as connection:
                schema.create(connection, name, lambda made: None)
            self._schemas[engine] = name
        return self._schemas[engine]

    def holds(self, shape: str) -> bool:
        return self._loaded and shape == SHAPE

    def keep(self, shape: str) -> None:
        if self._data and shape == SHAPE and not self._data.exists():
            with self._at_no_cost():
                self._sandbox.stop()
                self._data.keep(self._sandbox)
                self._sandbox.restart(self._restart)
            self._look()

    def subject(self) -> Subject:
        return Subject(connect(self.target, answer_s=LOOK_S), self.facts, self._sandbox.trace_file)

    def data_folder(self) -> Path | None:
        return self._sandbox.datadir.parent

    def logs_folder(self) -> Path | None:
        return self._devices.second if self._devices else None

    def settle(self) -> None:
        """What was copied, loaded and measured before is on the disk, and not written back while the next is measured.
        Simulated devices are written at each charge."""
        if not self._devices:
            self._sandbox.write_back()

    def calibrate(self) -> None:
        if self._devices:
            self._devices.calibrate()
            self._devices.charge()

    def my_cnf(self) -> str:
        return self._sandbox.my_cnf

    def close(self) -> None:
        self._made.close()

    def _at_no_cost(self) -> AbstractContextManager[None]:
        return self._devices.at_no_cost() if self._devices else nullcontext()

    def _look(self) -> None:
        self.target = self._sandbox.target
        with connect(self.target) as connection:
            self.facts = look.read(connection)
        self._dynamic = _Dynamic(self.facts, lambda name, old: None)


def beside(datadir: Path) -> Path | None:
    """A folder that we may write to on the same device as `datadir`; None when there is none."""
    try:
        device = datadir.stat().st_dev
    except OSError:
        return None
    folders = (Path("/var/tmp"), Path("/tmp"), Path.home())  # noqa: S108 - only its device is asked
    fitting = (folder for folder in folders if folder.is_dir() and folder.stat().st_dev == device)
    return next((folder for folder in fitting if os.access(folder, os.W_OK)), None)
