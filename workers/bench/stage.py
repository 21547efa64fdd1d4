"""A server that is prepared for one experiment, and restored afterwards.

`AttachedStage` uses a registered server: every change is stored with `before_change` first, and undone by `close`.
`SandboxStage` makes a sandbox and removes it.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from workers.bench.dataset import LOGS_BYTES, SHAPE, DataImage
from workers.bench.plan import Variant
from workers.errors import SandboxLost
from workers.metrics.source import Subject
from workers.sandbox import place
from workers.sandbox.builds import Build
from workers.sandbox.devices import Devices
from workers.sandbox.log_places import IN_DATADIR
from workers.sandbox.storage import Storage
from workers.sandbox.users import unprivileged_user
from workers.servers import free_disk, look, schema, variables
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.limited import Connection
from workers.servers.settings import check_all, find
from workers.servers.target import Target
from workers.servers.undo import undo
from workers.topology.companions import companions_of
from workers.topology.ground import Ground
from workers.topology.nodes import NodePlan
from workers.topology.topology import Topology

LOOK_S = 10.0  # longest wait of a source for an answer: meanwhile, nobody can cancel
BeforeChange = Callable[[str, str, str], None]  # kind ("variable" | "schema"), name, old value
Restored = Callable[[str, str], None]  # kind, name


class Stage(Protocol):
    """`apply` returns the variant's settings as the server reports them; `schema` a schema of ours, made on first use;
    `has_loaded`: whether the data of that shape are loaded already; `keep` is called after loading them; `data_folder`:
    on the device of the data, None: not on this host; `logs_folder`: on a second device for logs, None: there is none,
    or it is not known; `settle` comes before each measurement; `calibrate` corrects the cost of a simulated device."""

    target: Target
    facts: Facts

    def apply(self, variant: Variant) -> dict[str, str]: ...

    def schema(self, engine: str) -> str: ...

    def has_loaded(self, shape: str) -> bool:
        return False

    def keep(self, shape: str) -> None:
        """Data on an attached server are dropped with their schema."""
        return

    def subject(self) -> Subject: ...

    def data_folder(self) -> Path | None: ...

    def logs_folder(self) -> Path | None:
        """Not known: all devices of an attached server would have to be writable for us."""
        return None

    def settle(self) -> None:
        """The disk of an attached server is shared with other programs: their unwritten data are a part of its
        conditions."""
        return

    def calibrate(self) -> None:
        """A real device cannot be calibrated."""
        return

    def my_cnf(self) -> str:
        return ""

    def lost(self) -> SandboxLost | None:
        """Why a server of this experiment alone is gone; None: none is. Asked after a failure."""
        return None

    def close(self) -> None: ...


def at_start(settings: Mapping[str, str], facts: Facts) -> dict[str, str]:
    """The settings with which this server must be started. Raises PlanError for an unknown one."""
    flavour, version = facts.flavour, facts.version
    normal = check_all(settings, flavour).items()
    return {name: value for name, value in normal if find(name).wants_start(value, flavour, version)}


class _Dynamic:
    """Applies dynamic settings. Each variant begins with the server's own values."""

    def __init__(self, facts: Facts, before_change: Callable[[str, str], None]) -> None:
        self._facts = facts
        self._before_change = before_change
        self.own: dict[str, str] = {}  # the values before our first change

    def apply(self, connection: Connection, wanted: Mapping[str, str]) -> dict[str, str]:
        effective = variables.apply(connection, self._facts, {**self.own, **wanted}, self._note)
        return {name: effective[name] for name in wanted}

    def _note(self, name: str, old: str) -> None:
        """Before every change, not only the first: another client may have restored the value meanwhile."""
        own = self.own.get(name, old)
        self._before_change(name, own)
        self.own[name] = own


class AttachedStage(Stage):
    """A registered server: only dynamic settings and our own schemas are changed."""

    def __init__(
        self,
        target: Target,
        token: str,
        before_change: BeforeChange,
        restored: Restored,
        require_claim: Callable[[], None],
    ) -> None:
        self.target = target
        self._token = token
        self._before_change, self._restored, self._require_claim = before_change, restored, require_claim
        with connect(target) as connection:
            self.facts = look.read(connection)
        self._dynamic = _Dynamic(self.facts, partial(before_change, "variable"))
        self._schemas: dict[str, str] = {}

    def apply(self, variant: Variant) -> dict[str, str]:
        with connect(self.target) as connection:
            return self._dynamic.apply(connection, variant.settings)

    def schema(self, engine: str) -> str:
        if engine not in self._schemas:
            name = f"{schema.PREFIX}{self._token}_{len(self._schemas)}"
            with connect(self.target) as connection:
                schema.create(connection, name, self._note_schema, partial(self._restored, "schema"))
            self._schemas[engine] = name
        return self._schemas[engine]

    def subject(self) -> Subject:
        return Subject(connect(self.target, answer_s=LOOK_S), self.facts, folder=self._datadir())

    def data_folder(self) -> Path | None:
        """A writable folder on the file system of the datadir, if the server runs on this host."""
        datadir = self._datadir()
        return beside(datadir) if datadir else None

    def close(self) -> None:
        """Restore everything. A change that cannot be undone stays a pending restore; raises ServerError."""
        own = list(self._dynamic.own.items())
        undo(self.target, own, self._schemas.values(), self._restored, self._require_claim)

    def _datadir(self) -> Path | None:
        """None: not on this host."""
        here = free_disk.is_here(self.target, self.facts)
        return Path(self.facts.variable("datadir") or "/nonexistent") if here else None

    def _note_schema(self, name: str) -> None:
        self._before_change("schema", name, "")


class SandboxStage(Stage):
    """A sandbox for this experiment: restarted when a variant needs it, removed at the end. With a `storage` it lies on
    simulated devices of `device_bytes` each, whose flushes take time only during a measurement. With a `topology` it is
    the primary of replicas, or the first node of a cluster."""

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
        topology: Topology | None = None,
    ) -> None:
        if topology and topology.replica_build:
            data = None  # an image is of one build; replicas of another one receive the load by replication
        self._data = data
        self._restart: dict[str, str] = {}
        self._devices: Devices | None = None
        with ExitStack() as made, data.in_use() if data else nullcontext(False) as self._loaded:
            self._schemas: dict[str, str] = {data.engine: f"{schema.PREFIX}0"} if data and self._loaded else {}
            image_key = data.key if data and self._loaded else ""
            ground = Ground(root, build, topology, image=image_key, user=user) if topology else None
            self._companions = companions_of(ground) if ground else None
            first = self._companions.first if self._companions else NodePlan(name, build, {}, image=image_key)
            if self._companions:
                made.callback(self._companions.close)
            if storage:
                place.prepare(root, unprivileged_user(user))
                self._devices = made.enter_context(Devices.create(root, storage, device_bytes))
            self._sandbox = made.enter_context(
                replace(first, name=name).start(
                    root,
                    user,
                    trace=trace,
                    datadir_on=self._devices.data if self._devices else None,
                    logs=self._devices.logs if self._devices else IN_DATADIR,
                )
            )
            if self._companions:
                self._companions.attach(self._sandbox)
            if self._devices:
                made.callback(self._devices.give_way)
                self._devices.charge()
            self._look()
            self._made = made.pop_all()

    def apply(self, variant: Variant) -> dict[str, str]:
        restart = at_start(variant.settings, self.facts)
        if restart != self._restart:
            self._restart_with(restart)
            self._restart = restart
        for other, dynamic in self._others:
            inherited = {name: value for name, value in variant.settings.items() if name not in other.own}
            with other.at_rest(), connect(other.target) as connection:
                dynamic.apply(connection, inherited)
        with connect(self.target) as connection:
            return self._dynamic.apply(connection, variant.settings)

    def schema(self, engine: str) -> str:
        engine = engine.lower()  # every spelling is one engine and one image
        if engine not in self._schemas:
            name = f"{schema.PREFIX}{len(self._schemas)}"
            with connect(self.target) as connection:
                schema.create(connection, name, lambda made: None)
            self._schemas[engine] = name
        return self._schemas[engine]

    def has_loaded(self, shape: str) -> bool:
        return self._loaded and shape == SHAPE

    def keep(self, shape: str) -> None:
        if self._companions and self._companions.data_of_no_use:
            return
        if self._data and shape == SHAPE and not self._data.exists():
            self._restart_with(self._restart, partial(self._data.keep, self._sandbox))

    def subject(self) -> Subject:
        link = connect(self.target, answer_s=LOOK_S)
        made = self._sandbox
        return Subject(link, self.facts, made.trace_file, made.trace_missing, self.data_folder())

    def data_folder(self) -> Path | None:
        return self._sandbox.datadir.parent

    def logs_folder(self) -> Path | None:
        return self._devices.second if self._devices else None

    def settle(self) -> None:
        """Write out all earlier data, so that they are not written during the next measurement. `charge` does so for
        simulated devices. Replicas apply what is left of the load before."""
        if self._companions:
            self._companions.catch_up()
        if not self._devices:
            self._sandbox.write_back()

    def calibrate(self) -> None:
        if self._devices:
            self._devices.calibrate()
            self._devices.charge()

    def my_cnf(self) -> str:
        return self._sandbox.my_cnf

    def lost(self) -> SandboxLost | None:
        others = self._companions.sandboxes if self._companions else ()
        return next(filter(None, (one.lost() for one in (self._sandbox, *others))), None)

    def close(self) -> None:
        self._made.close()

    def _restart_with(self, restart: Mapping[str, str], while_down: Callable[[], None] = lambda: None) -> None:
        """Nothing else stops a server of this stage: companions ask the primary for its last commits before."""
        with self._at_no_cost():
            if self._companions:
                self._companions.restart(restart, while_down)
            else:
                self._sandbox.restart(restart, while_down)
        self._look()

    def _at_no_cost(self) -> AbstractContextManager[None]:
        return self._devices.at_no_cost() if self._devices else nullcontext()

    def _look(self) -> None:
        self.target = self._sandbox.target
        with connect(self.target) as connection:
            self.facts = look.read(connection)
        self._dynamic = _Dynamic(self.facts, lambda name, old: None)
        others = self._companions.others if self._companions else ()
        self._others = [(other, _beginning_with(other.target)) for other in others]


def _beginning_with(target: Target) -> _Dynamic:
    with connect(target) as connection:
        return _Dynamic(look.read(connection), lambda name, old: None)


def beside(datadir: Path) -> Path | None:
    """A writable folder on the same device as `datadir`; None: there is none."""
    try:
        device = datadir.stat().st_dev
    except OSError:
        return None
    folders = (Path("/var/tmp"), Path("/tmp"), Path.home())  # noqa: S108 - only its device is asked
    fitting = (folder for folder in folders if folder.is_dir() and folder.stat().st_dev == device)
    return next((folder for folder in fitting if os.access(folder, os.W_OK)), None)
