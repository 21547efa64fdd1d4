"""What a child process needs so that it ends with the worker's thread that started it."""

ENDS_WITH_US = ("setpriv", "--pdeathsig=KILL", "--")  # before its command
