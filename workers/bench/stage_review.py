"""What is wrong with the builds and the storage that variants name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workers.bench.plan import Plan, Variant
from workers.errors import SandboxError
from workers.sandbox.storage import Storage, parse
from workers.servers.facts import FlavourKey


@dataclass(frozen=True)
class StageGround:
    """What is known of where a server stands. `builds`: every known build with its flavour; `installed`: those that
    the workers can run, None: not known yet, checked at the start; `disk_missing`: why they cannot simulate a device,
    "" when they can."""

    name: str
    is_sandbox: bool
    builds: Mapping[str, FlavourKey] = field(default_factory=dict)
    installed: frozenset[str] | None = None
    disk_missing: str = ""


def problems(plan: Plan, grounds: Mapping[int, StageGround]) -> Iterator[str]:
    """One sentence each; nothing for variants that name neither."""
    for target in plan.targets:
        for variant in plan.variants:
            yield from _variant(variant, grounds[target.server_id], crashed=plan.crash.trials > 0)


def _variant(variant: Variant, ground: StageGround, crashed: bool) -> Iterator[str]:
    if not ground.is_sandbox and (variant.build or variant.storage):
        yield (
            f"Variant {variant.name} names its {' and '.join(_named(variant))}, and {ground.name} is attached: it has "
            "its own. Use a sandbox, or leave that out."
        )
        return
    if variant.build:
        yield from (f"Variant {variant.name}: {reason}" for reason in _build(variant.build, ground))
    if variant.storage:
        yield from (f"Variant {variant.name}: {reason}" for reason in _storage(variant, ground, crashed))


def _named(variant: Variant) -> list[str]:
    return [name for name in ("build", "storage") if getattr(variant, name)]


def _build(build: str, ground: StageGround) -> Iterator[str]:
    if build not in ground.builds and build not in (ground.installed or ()):
        yield f"there is no build called {build!r}. Known: {', '.join(ground.builds)}."
    elif ground.installed is not None and build not in ground.installed:
        yield f"{build} is not installed. On the worker's host: manage.py build install {build}"


def _storage(variant: Variant, ground: StageGround, crashed: bool) -> Iterator[str]:
    try:
        storage = parse(variant.storage)
    except SandboxError as wrong:
        yield str(wrong)
        return
    if ground.disk_missing:
        yield f"the workers cannot simulate {storage.text}. {ground.disk_missing}"
    yield from _apart(variant, storage, crashed)


def _apart(variant: Variant, storage: Storage, crashed: bool) -> Iterator[str]:
    if "redo" in storage.apart and variant.engine.lower() != "innodb":
        yield f"only InnoDB's redo log can lie on a device of its own, not that of {variant.engine}. Write +binlog."
    if storage.apart and crashed:
        yield (
            f"crash trials lie on one device, and {storage.text} is two. Take the crashes out, or measure "
            f"{storage.text.partition('+')[0]}."
        )
