"""Faults of the attached server: its answers, its account, its certificate."""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing

from tests.bench.chaos.scene import Scene
from tests.bench.chaos.target import TargetServer
from tests.real.hostile.liar import Liar
from tests.real.hostile.scenarios import ANSWERS, EMPTY_ROWS, LARGE_ROWS, SLOW_ROWS, drip
from workers.errors import AccessDenied, DurascopeError
from workers.servers.connection import connect
from workers.servers.pins import NOT_SENT

# Of rows that are read by the product. What sysbench asks for is forwarded, or hung up.
ASKED = r"^\s*(SHOW|SELECT)\b"
ENDLESS = {
    "large rows": LARGE_ROWS,
    "empty rows": EMPTY_ROWS,
    "slow rows": SLOW_ROWS,
    "answers": ANSWERS,
    "letters": drip(),
}


def answers_without_end(scene: Scene) -> str:
    here, seconds = scene.installation, scene.a_while()
    kind = scene.chance.choice(list(ENDLESS))
    with closing(Liar(here.target.address, {ASKED: ENDLESS[kind]})) as liar, here.relay.towards(liar.target.port):
        here.pause(seconds)
    return f"{kind} for {seconds:.0f} s"


def password_changed(scene: Scene) -> str:
    return _locked_out(scene, TargetServer.another_password)


def account_renamed(scene: Scene) -> str:
    return _locked_out(scene, TargetServer.another_name)


def _locked_out(scene: Scene, changed: Callable[[TargetServer], AbstractContextManager[None]]) -> str:
    target, seconds, ends = scene.installation.target, scene.a_while(), scene.chance.random() < 0.5
    with changed(target):
        if ends:
            target.end_sessions()
        scene.installation.pause(seconds)
    return f"for {seconds:.0f} s, its sessions {'were ended' if ends else 'went on'}"


def certificate_changed(scene: Scene) -> str:
    """Its password is another one meanwhile: so the server counts whoever sends it the one that is stored."""
    target, seconds = scene.installation.target, scene.a_while()
    with target.another_certificate(), target.another_password():
        before = target.logins_refused()
        scene.installation.pause(seconds)
        if said := _let_in(scene):
            scene.unkept.append(said)
        if sent := target.logins_refused() - before:
            scene.unkept.append(f"{sent} passwords were sent to a server with another certificate")
    return f"for {seconds:.0f} s"


def _let_in(scene: Scene) -> str:
    """What is wrong with how the product meets the server."""
    try:
        connect(scene.installation.pinned.target()).close()
    except AccessDenied as refused:
        return "" if NOT_SENT in str(refused) else f"another certificate, and it says: {refused}"
    except DurascopeError as other:
        return f"another certificate, and it says: {other}"
    return "a server with another certificate was let in"
