"""deploy/durascope.env is read alike by systemd and by the command `durascope`."""

import os
import shutil
import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT
from deploy.install.environment import variables

READER = PROJECT / "deploy/install/environment.py"
URL = "postgresql://db/x?sslmode=verify-full&sslrootcert=/etc/ca.pem"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("X=", ""),
        ("X=AAAA=", "AAAA="),
        (f"X={URL}", URL),
        ("X=Durascope <durascope@example.org>  ", "Durascope <durascope@example.org>"),
        ('X=["/usr/local/bin/manager", "-v"]', '["/usr/local/bin/manager", "-v"]'),
        ("X=a$b`c;d#e'f", "a$b`c;d#e'f"),
        ("X='a $b \\n'", "a $b \\n"),
        (r'X="a \"q\" \$x \n"', r'a "q" $x \n'),
        (r"X=back\slash\\", "backslash\\"),
        ("X='one'\"two\"three", "onetwothree"),
        ("X=joined \\\nline", "joined line"),
        ("X='two\nlines'", "two\nlines"),
        ("# X=1 \\\nX=2\nX=3", "3"),
    ],
)
def test_a_value_is_read_as_systemd_reads_it(tmp_path, line, value):
    """tests/real/test_install.py asks systemd itself. Neither reads a comment or a line without a name."""
    text = f"# a comment\n;X=0\nnothing\n{line}\n"
    assert list(variables(text)) == [("X", value)]
    (tmp_path / "file").write_text(text)
    shell = 'eval "$("$1" -I "$2" "$3")" && printf %s "$X"'
    argv = ["sh", "-c", shell, "sh", sys.executable, READER, tmp_path / "file"]
    done = subprocess.run(argv, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (value, "")


@pytest.mark.parametrize("text", [b"X='1", b"X=1\xff"])
def test_a_file_that_cannot_be_read_starts_nothing(tmp_path, text):
    (tmp_path / "file").write_bytes(text)
    done = subprocess.run([sys.executable, READER, tmp_path / "file"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == "" and "file cannot be read: " in done.stderr


def test_the_command_has_the_values_of_the_services(tmp_path):
    """deploy/durascope, of a release in that folder."""
    home = tmp_path / "release"
    programs = {
        "bin/id": "echo 0",
        "bin/setpriv": 'echo "$DATABASE_URL $HOME $DURASCOPE_MAIL_FROM"',
        "release/.venv/bin/python": f'exec {sys.executable} "$@"',
    }
    for name, text in programs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (home / "deploy/install").mkdir(parents=True)
    shutil.copy(READER, home / "deploy/install")
    text = (PROJECT / "deploy/durascope").read_text().replace("/etc/durascope/", f"{tmp_path}/")
    (home / "deploy/durascope").write_text(text)
    (tmp_path / "durascope.env").write_text(
        f"DATABASE_URL={URL}\nDURASCOPE_HOME=/h\nDURASCOPE_MAIL_FROM=D <d@localhost>\n"
    )
    env = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    argv = ["sh", home / "deploy/durascope", "migrate"]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{URL} /h D <d@localhost>\n", "")
