"""One stack per home."""

import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT
from dashboard.local.claim import claimed
from dashboard.local.errors import LocalError

HOLD = "import sys, pathlib\nfrom dashboard.local.claim import claimed\n" + (
    "with claimed(pathlib.Path(sys.argv[1])) as note:\n note('http://elsewhere'); print('held', flush=True); input()"
)


def test_a_second_stack_on_one_home_is_refused_with_the_address_of_the_first(tmp_path):
    with claimed(tmp_path) as note:
        note("http://127.0.0.1:8001")
        with pytest.raises(LocalError, match=r"already runs .*http://127\.0\.0\.1:8001"), claimed(tmp_path):
            pass


def test_a_home_is_free_after_its_stack_ended(tmp_path):
    with claimed(tmp_path):
        pass
    with claimed(tmp_path):
        pass


def test_a_home_is_free_after_its_stack_was_killed(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LocalError, match="http://elsewhere"), claimed(tmp_path):
            pass
        holder.kill()
    with claimed(tmp_path):
        pass
