"""Not a test: the worker that test_network.py kills. Prints the pids of the network's process and of a program in a
namespace, and the namespaces' inodes."""

import subprocess
import time
from pathlib import Path

from workers.sandbox import process
from workers.sandbox.process import Fence
from workers.sandbox.users import unprivileged_user
from workers.topology.network.network import Network

with Network(2) as network:
    inodes = [node.path.stat().st_ino for node in network.nodes]
    fence = Fence(network=network.nodes[0].path)
    argv = ["/bin/sleep", "600"]
    program = process.start(argv, unprivileged_user(), fence, env={}, cwd=Path("/"), output=subprocess.DEVNULL)
    while Path(f"/proc/{program.pid}/ns/net").stat().st_ino != inodes[0]:
        time.sleep(0.01)
    print(network.pid, program.pid, *inodes, flush=True)
    time.sleep(600)
