"""A command whose output nobody reads any more ends as other programs do: quietly, by SIGPIPE."""

import os
import signal
import subprocess
import sys

from dashboard.installation.home import PROJECT


def test_a_list_whose_reader_has_gone_ends_without_a_word():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        argv = [sys.executable, "manage.py", "experiment", "schema"]
        ended = subprocess.run(argv, cwd=PROJECT, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (-signal.SIGPIPE, b"")
