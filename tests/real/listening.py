"""SOCKET COMMAND...: runs the command with a unix socket as descriptor 3, as systemd does for a .socket unit."""

import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as listening:
    listening.bind(sys.argv[1])
    listening.listen(128)
    os.dup2(listening.fileno(), 3)
    os.set_inheritable(3, True)
    os.execv(sys.argv[2], sys.argv[2:])
