"""The control socket's commands: one line per connection, one line back.

    set K_us R_MBps                    what a flush costs from now on; R = 0: no limit
    lie on | lie off                   acknowledge flushes and ignore them; off: the next flush is a true one
    hold                               no flush ends any more, until the cut or `release`
    release                            flushes go on
    record MOST_BYTES                  from now on, into the empty file whose descriptor comes with the line
    stop                               the recording ends
    become                             a replay disk becomes the state that comes with the line, and forgets all else
    cut [PERMILLE SEED GRANULARITY]    -> ok lost=BYTES kept=BYTES
    reset                              power on again: memory is forgotten
    stat                               -> ok name=value ...

A descriptor that comes with a line stays the caller's. An answer begins with `ok`, or with `error` and the reason; then
nothing was changed.
"""

import os
from collections.abc import Callable, Sequence

from workers.sandbox.disk.cache import SECTOR_BYTES
from workers.sandbox.disk.device import VolatileDevice
from workers.sandbox.disk.image import unpacked

GRANULARITIES = tuple(SECTOR_BYTES << shift for shift in range(4))  # 512 to 4096


def obey(device: VolatileDevice, line: str, fds: Sequence[int] = ()) -> str:
    """Do what the line says; the line to send back."""
    name, *words = line.split() or [""]
    command = COMMANDS.get(name)
    if command is None:
        return f"error: commands are {', '.join(COMMANDS)}"
    try:
        return f"ok {command(device, *words, *fds) or ''}".strip()
    except (ValueError, TypeError, OSError) as error:
        return f"error: {name}: {error}"


def _set(device: VolatileDevice, k_us: str, r_mbps: str) -> None:
    k, r = float(k_us), float(r_mbps)
    if not (0 <= k < 1e9 and 0 <= r < 1e9):
        raise ValueError("K and R are finite and not negative")
    device.k_us, device.r_mbps = k, r


def _lie(device: VolatileDevice, switch: str) -> None:
    if switch not in ("on", "off"):
        raise ValueError("on or off")
    device.lying = switch == "on"


def _cut(device: VolatileDevice, permille: str = "0", seed: str = "0", granularity: str = str(SECTOR_BYTES)) -> str:
    if not 0 <= int(permille) <= 1000:
        raise ValueError("0 to 1000 permille can get through")
    if int(granularity) not in GRANULARITIES:
        raise ValueError(f"pieces have {', '.join(map(str, GRANULARITIES))} bytes")
    cut = device.cut(int(permille), int(seed), int(granularity))
    return f"lost={cut.lost_bytes} kept={cut.kept_bytes}"


def _record(device: VolatileDevice, most_bytes: str, fd: int) -> None:
    if int(most_bytes) <= 0:
        raise ValueError("a recording needs space")
    kept = os.dup(fd)
    try:
        device.record(kept, int(most_bytes))
    except BaseException:
        os.close(kept)
        raise


def _stat(device: VolatileDevice) -> str:
    return " ".join(f"{name}={value + 0}" for name, value in vars(device.stats()).items())  # + 0: True is told as 1


COMMANDS: dict[str, Callable[..., str | None]] = {
    "set": _set,
    "lie": _lie,
    "hold": VolatileDevice.hold_flushes,
    "release": VolatileDevice.release_flushes,
    "record": _record,
    "stop": lambda device: device.stop_recording(),
    "become": lambda device, fd: device.become(unpacked(fd, device.cache.size_bytes)),
    "cut": _cut,
    "reset": VolatileDevice.power_on,
    "stat": _stat,
}
