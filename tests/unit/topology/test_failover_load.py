"""The fault comes at its moment, and not before a commit was acknowledged and read."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.crash.made import Made
from workers.errors import SandboxError
from workers.topology import run
from workers.topology.chain import FailoverPorts, Formed
from workers.topology.faults import FAULTS
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology


class Time:
    """A clock that only `sleep` moves on."""

    def __init__(self):
        self.now = 100.0

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def fault_after_s():
    """`fault_after_s(first, read)`: seconds from the load until the fault; the first commit is acknowledged and read at
    these seconds, None: never."""

    def told(first, read, alive=True):
        time, server = Time(), SimpleNamespace(target="primary")
        setup = FailoverSetup(
            root=Path("/"), build=None, name="", topology=Topology("async"), settings={}, fault="primary-kill", seed=3
        )

        class Clients:
            began, trouble, alive = 100.0, "gone", True

            def begin(self):
                self.alive = alive

            @property
            def acknowledged(self):
                return int(first is not None and time.now >= self.began + first)

            def close(self):
                pass

        class Reader(Clients):
            @property
            def saw_any(self):
                return read is not None and time.now >= self.began + read

        ports = FailoverPorts(
            witness=lambda *given, **more: Clients(), reader=lambda target: Reader(), clock=lambda: time.now,
            sleep=time.sleep,
        )  # fmt: skip
        timeline = SimpleNamespace(step=lambda name: None, must_go_on=lambda: None)
        formed = Formed(
            setup=setup, fault=FAULTS["primary-kill"], ports=ports, made=Made(), timeline=timeline,
            primary=SimpleNamespace(sandbox=server), replicas=(), wires=(), links=(),
        )  # fmt: skip
        run.load(formed)
        return time.now - 100, setup.crash_after_s

    return told


def test_the_fault_comes_at_the_moment_that_the_seed_draws(fault_after_s):
    after_s, drawn_s = fault_after_s(first=0.01, read=0.02)
    assert after_s == pytest.approx(drawn_s)


@pytest.mark.parametrize(("first", "read"), [(3.0, 2.0), (0.1, 3.0)])
def test_on_a_slow_machine_it_waits_for_the_first_commit_and_its_reader(fault_after_s, first, read):
    after_s, _ = fault_after_s(first, read)
    assert after_s == pytest.approx(3.0, abs=2 * run.POLL_S)


def test_the_fault_does_not_wait_for_ever(fault_after_s):
    after_s, drawn_s = fault_after_s(first=None, read=None)
    assert after_s == pytest.approx(drawn_s + run.FIRST_S, abs=2 * run.POLL_S)


def test_clients_that_stop_before_it_end_the_trial(fault_after_s):
    with pytest.raises(SandboxError, match="stopped before the fault: gone"):
        fault_after_s(first=0.1, read=0.1, alive=False)
