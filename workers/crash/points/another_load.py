"""Another load of a trial, recorded like its own one, with something changed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from workers.crash.chain import Begun
from workers.crash.made import Made
from workers.crash.points.recorded import Recorded
from workers.crash.setup_and_result import Timeline, TrialSetup


@contextmanager
def another_load(
    load: Recorded,
    setup: TrialSetup,
    title: str,
    settings: Mapping[str, str] | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Iterator[Begun]:
    """What is made for it is removed. `settings`: beside those of the load. `is_over`: then it ends as if it were
    cancelled."""

    def tell(step: str) -> None:
        load.timeline.tell(f"{title}: {step}")

    def cancelled() -> bool:
        return load.timeline.is_cancelled() or is_over()

    with Made() as made, made.killed_when(cancelled):
        yield Begun(
            setup=setup,
            kind=load.kind,
            settings={**load.settings, **(settings or {})},
            ports=load.ports,
            made=made,
            timeline=Timeline(tell, cancelled, load.ports.clock),
        )
