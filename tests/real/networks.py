"""For tests of networks between nodes: skip where the host has none."""

import pytest

from workers.topology.network import ability

needs_network = pytest.mark.skipif(bool(ability.missing()), reason=ability.missing() or "-")
