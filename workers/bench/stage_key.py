"""Which cells share a stage: those with the same server, build, storage and topology."""

from collections.abc import Iterator
from dataclasses import dataclass

from workers.bench.plan import Plan, Variant


@dataclass(frozen=True)
class StageKey:
    """`build` is empty for an attached server, `storage` for the disk of the worker's host,
    `topology` for one server alone."""

    server_id: int
    build: str = ""
    storage: str = ""
    topology: str = ""

    @classmethod
    def of(cls, server_id: int, own_build: str, variant: Variant) -> "StageKey":
        """The key of a variant on that server. `own_build` is used when the variant names none."""
        return cls(server_id, variant.build or own_build, variant.storage, variant.topology)

    def titled(self, server: str, own_build: str) -> str:
        """For messages: the server's name, and the variant's build, storage and topology."""
        build = self.build if self.build != own_build else ""
        return ", ".join(filter(None, (server, build, self.storage, self.topology)))


def stage_keys(plan: Plan) -> Iterator[StageKey]:
    """Every key of the plan once, in the plan's order."""
    every = (StageKey.of(target.server_id, "", variant) for target in plan.targets for variant in plan.variants)
    yield from dict.fromkeys(every)
