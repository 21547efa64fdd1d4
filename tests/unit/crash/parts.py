"""Parts of a trial that only write down what is asked of them."""

from pathlib import Path
from types import SimpleNamespace

from workers.crash.chain import Loaded, Prepared, TrialPorts
from workers.crash.inspect import Inspector
from workers.crash.kinds import CRASH_KINDS
from workers.crash.ledger import Ledger
from workers.crash.made import Made
from workers.crash.setup_and_result import Timeline, TrialSetup
from workers.sandbox.disk.cache import Cut
from workers.sandbox.server import Recovery


class Part:
    """Notes each call as "part.call"; `answers` says what a call returns, or raises; `given`: the last arguments, and
    `named` those with names."""

    def __init__(self, name, notes, **answers):
        self._name, self._notes, self._answers, self.given, self.named = name, notes, answers, {}, {}

    def __getattr__(self, call):
        def called(*args, **named):
            self.given[call], self.named[call] = args, named
            self._notes.append(f"{self._name}.{call}")
            answer = self._answers.get(call)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return called


class Removed(Part):
    """It is removed at the end."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._notes.append(f"{self._name}.remove")


class Server(Part):
    my_cnf, log_text = "[mysqld]", "ready for connections"


class Witness(Part):
    began, alive, trouble, drained_at_s, acknowledged = 0.0, True, "", 0.0, 99
    connections = staticmethod(tuple)


class Clock:
    """Time passes while somebody sleeps."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.slept.append(seconds)


def prepared(notes, kind="power-loss", clock=None, cancelled=lambda: False, log=None, **server):
    clock, data = clock or Clock(), server.pop("datadir", Path("/"))
    box = Server("server", notes, **{"recover": Recovery(1.5, ()), **server})
    box.datadir = data
    disk = Part("disk", notes, cut=Cut(7, 3), power_on="", stats=SimpleNamespace(k_us=700, r_mbps=80))
    setup = TrialSetup(
        root=Path("/nowhere"), build=object(), name="box", settings={"sync_binlog": "1"}, kind=kind, seed=1, load_s=2.0
    )
    return Prepared(
        setup=setup,
        kind=CRASH_KINDS[kind],
        settings={},
        ports=TrialPorts(clock=clock, sleep=clock.sleep),
        made=Made(),
        timeline=Timeline(lambda step: notes.append(f"[{step}]"), cancelled, clock),
        server=box,
        disk=disk if CRASH_KINDS[kind].needs_disk else None,
        variables={"log_bin": "OFF", "sync_binlog": "1"},
        witness=Witness("witness", notes, ledger=Ledger(())),
        replica=None,
        look=Inspector(box, "s", b"", log),
    )


def loaded(notes, kind="power-loss", **how):
    return Loaded(**vars(prepared(notes, kind, **how)), gtid_before="")
