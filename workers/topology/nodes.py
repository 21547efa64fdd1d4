"""The nodes of a topology: sandboxes that are started side by side from copies of one image."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from workers.crash.image import witness_image
from workers.crash.made import Made
from workers.sandbox.additions import NOTHING, Additions
from workers.sandbox.builds import Build
from workers.sandbox.disk import prepared
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.log_places import IN_DATADIR, LogPlaces
from workers.sandbox.namespace import Namespace
from workers.sandbox.server import Recovery, Sandbox
from workers.sandbox.storage import Storage
from workers.sandbox.users import unprivileged_user
from workers.servers.target import Target
from workers.topology.setup_and_result import FailoverSetup

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True)
class NodePlan:
    """How one node is started. `on_disk`: its datadir is on a disk that can lose power. `image`: the key of its image;
    "": that of the witness. `at_first`: settings of its first start only. `namespace`: None: on 127.0.0.1."""

    name: str
    build: Build
    settings: Mapping[str, str]
    on_disk: bool = False
    additions: Additions = NOTHING
    image: str = ""
    at_first: Mapping[str, str] = field(default_factory=dict)
    namespace: Namespace | None = None

    def start(
        self,
        root: Path,
        user: str,
        *,
        trace: bool = False,
        datadir_on: Path | None = None,
        logs: LogPlaces = IN_DATADIR,
    ) -> Sandbox:
        """See `Sandbox.create`."""
        return Sandbox.create(
            root,
            self.build,
            {**self.settings, **self.at_first},
            name=self.name,
            image_key=self.image,
            trace=trace,
            user=user,
            datadir_on=datadir_on,
            logs=logs,
            additions=self.additions,
            namespace=self.namespace,
        )


@dataclass(frozen=True)
class Node:
    """A node that runs, or ran. `disk`: None: its datadir is on the host's disk."""

    name: str
    sandbox: Sandbox
    disk: VolatileDisk | None
    settings: Mapping[str, str]

    def restart(self, more: Mapping[str, str]) -> Recovery:
        """Start it again after a crash, with these settings beside its own. ServerEnded: it does not come back."""
        if self.disk:
            self.disk.storage(0)
        return self.sandbox.recover({**self.settings, **more})

    def slow_down(self, storage: Storage | None) -> None:
        """From now on a flush takes as long as on this device."""
        if self.disk and storage:
            self.disk.storage(1000 * storage.k_ms, storage.r_mb_per_s)

    def make_durable(self) -> None:
        """The preparation of a trial must outlive a crash, also the file that names the source."""
        if self.disk:
            self.sandbox.settle()
        else:
            self.sandbox.flush_logs()


@dataclass(frozen=True)
class Companion:
    """A server beside the one of the clients, with the settings of the variant except those in `own`. `at_rest`: while
    it holds, the server takes over values that its threads read only when they start."""

    target: Target
    own: frozenset[str] = frozenset()
    at_rest: Callable[[], AbstractContextManager[None]] = nullcontext


def on_each(nodes: Sequence[S], act: Callable[[S], T]) -> tuple[T, ...]:
    """The same act on all nodes at once. All end before the first error is raised."""
    with ThreadPoolExecutor(max(1, len(nodes)), thread_name_prefix="node") as pool:
        return tuple(pool.map(act, nodes))


def start_all(setup: FailoverSetup, plans: tuple[NodePlan, ...], made: Made) -> tuple[Node, ...]:
    """All nodes, in order. What was made goes into `made`, also when a node does not start, and is removed side by
    side. Raises SandboxError."""
    images = {  # before the threads: a first use takes long
        plan.build.key: plan.image or witness_image(setup.root, plan.build, setup.engine, setup.user) for plan in plans
    }
    own = [ExitStack() for _ in plans]
    made.callback(on_each, own, ExitStack.close)
    with_images = [replace(plan, image=images[plan.build.key]) for plan in plans]
    return on_each(
        tuple(zip(with_images, own, strict=True)), lambda plan_and_stack: _start(setup, made, *plan_and_stack)
    )


def _start(setup: FailoverSetup, made: Made, plan: NodePlan, mine: ExitStack) -> Node:
    disk = None
    if plan.on_disk:
        disk = prepared.new_disk(setup.root, plan.build, unprivileged_user(setup.user), image_key=plan.image)
        mine.enter_context(disk)
        made.killed_by(disk.give_way)
    sandbox = plan.start(setup.root, setup.user, datadir_on=disk.mnt if disk else None)
    mine.enter_context(sandbox)
    made.killed_by(sandbox.kill)
    if disk:
        mine.callback(disk.give_way)  # before the server is killed
    return Node(plan.name, sandbox, disk, plan.settings)


StartAll = Callable[[FailoverSetup, tuple[NodePlan, ...], Made], tuple[Node, ...]]
