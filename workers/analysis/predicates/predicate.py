"""What every predicate answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.measured import MeasuredResult


class Predicate(ABC):
    @property
    def in_percent(self) -> bool:
        """Whether its figure is shown in percent."""
        return False

    @abstractmethod
    def measure(self, measured: MeasuredResult) -> Effect: ...

    @property
    @abstractmethod
    def in_words(self) -> str: ...

    @property
    def threads(self) -> tuple[int, ...]:
        """The numbers of threads that it fixes, ascending; none where it speaks of crashes or of a device."""
        return ()

    @abstractmethod
    def as_dict(self) -> Mapping[str, object]:
        """As a recipe writes it, in full."""
