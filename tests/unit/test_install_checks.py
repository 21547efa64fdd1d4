"""Checks of deploy/install.sh that need no Debian of their own."""

import os
import re
import subprocess

import pytest
from cryptography.fernet import Fernet

from dashboard.installation.home import PROJECT

CHECK = """
refuse() { printf '%s\\n' "$@"; exit 2; }
source deploy/install/checks.sh
SOURCE=$1 PROGRAM=$2
check_age
"""


def tree(folder, *migrations):
    for name in migrations:
        file = folder / "dashboard/records/servers/migrations" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return folder


@pytest.mark.parametrize(
    ("source", "installed", "status"),
    [
        (("0001_tables.py", "0002_more.py"), ("0001_tables.py",), 0),
        (("0001_tables.py",), ("0001_tables.py",), 0),
        (("0001_tables.py",), ("0001_tables.py", "0002_more.py"), 2),
        (("0001_tables.py",), (), 0),  # the first installation
    ],
)
def test_an_older_program_is_refused_before_a_service_stops(tmp_path, source, installed, status):
    source, installed = tree(tmp_path / "source", *source), tree(tmp_path / "installed", *installed)
    argv = ["bash", "-euo", "pipefail", "-c", CHECK, "bash", source, installed]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")
    assert ("migrations/0002_more.py" in done.stdout) == (status == 2)


PARTS = """
set -Eeuo pipefail
nginx() { return 127; }  # as where it is missing
act() { echo "$1"; "${@:2}"; }
place() { cat >/dev/null; }
SOURCE=$PWD RELEASES=/r UPGRADE= CONFIG=/etc/durascope NAME=a.example.org CERTIFICATE=/c KEY=/k
source deploy/install/services.sh
source deploy/install/releases.sh
PROGRAM=$1
"""


def part(command, folder):
    argv = ["bash", "-c", PARTS + command, "bash", folder]
    return subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)


def test_a_dry_run_writes_the_site_before_nginx_is_installed(tmp_path):
    done = part("site", tmp_path)
    assert done.returncode == 0 and "server_name a.example.org;" in done.stdout, done.stderr


def test_a_dry_run_needs_no_python(tmp_path):
    """A minimal Debian has none."""
    command = "source deploy/install/steps.sh; python() { echo /no/python3; }; name_release; echo $RELEASE"
    done = part(f"{command}; random; echo; random base64", tmp_path)
    release, digits, key = done.stdout.split()
    assert re.fullmatch(r"/r/[0-9a-z.]+-[0-9a-f]{12}", release) and re.fullmatch("[0-9a-f]{64}", digits)
    assert Fernet(key) and done.returncode == 0 and done.stderr == ""


GIVEN_AGAIN = """
refuse() { printf '%s\\n' "$@"; exit 2; }
CONFIG=$1 ENVIRONMENT=$1/given ONLY_WORKER=
source deploy/install/steps.sh
source deploy/install/checks.sh
check_environment
"""


@pytest.mark.parametrize(("again", "status"), [("A" * 43 + "=", 0), ("B" * 43 + "=", 2), ("A" * 43, 2)])
def test_the_same_key_may_be_given_again(tmp_path, again, status):
    for name, key in (("durascope.env", "A" * 43 + "="), ("given", again)):
        (tmp_path / name).write_text(f"DURASCOPE_PASSWORD_KEYS={key}\n")
        (tmp_path / name).chmod(0o600)
    argv = ["bash", "-euo", "pipefail", "-c", GIVEN_AGAIN, "bash", tmp_path]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "") and ("another DURASCOPE_PASSWORD" in done.stdout) == bool(
        status
    )


def test_a_program_that_services_cannot_read_is_healed_by_the_next_run(tmp_path):
    """An earlier run had the umask 077."""
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").touch(0o700)
    for path in (tmp_path / ".venv", tmp_path / ".venv/bin"):
        path.chmod(0o700)
    program = f"name_release() {{ RELEASE={tmp_path}; }}; program"
    assert part(program, tmp_path).stdout == f"let the services read {tmp_path}\n"
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / ".venv/bin", tmp_path / ".venv/bin/python")} == {0o755}
    assert part(program, tmp_path).stdout == ""


def test_what_the_installer_makes_is_for_everybody_whatever_the_umask():
    text = (PROJECT / "deploy/install.sh").read_text()
    assert "\numask 022" in text.partition("source ")[0]


CHOICES = """
source deploy/install/chosen.sh
CONFIG=$1 SITE=$1/site UNITS=$1 ENVIRONMENT=$1/given WORKER='' SITE_OF_WORKER=''
own_database && echo own database
own_redis && echo own redis
echo "$(worker_kind) $(worker_unit "$(worker_kind)") $(proxy_before)"
"""
OWN = f"postgresql://durascope:{'a' * 64}@127.0.0.1:5432/durascope"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "own database\nown redis\nordinary durascope-worker@local.service nginx\n"),
        ({"given": "DATABASE_URL=postgresql://db/x\n"}, "own redis\nordinary durascope-worker@local.service nginx\n"),
        ({"given": "DURASCOPE_REDIS=rediss://r/0\n"}, "own database\nordinary durascope-worker@local.service nginx\n"),
        ({"durascope.env": f"DATABASE_URL={OWN}\n", "site": ""}, "own database\nown redis\nnone  nginx\n"),
        ({"durascope.env": "DATABASE_URL=\n"}, "own redis\nnone  none\n"),  # SQLite
        ({"durascope.env": "", "proxy": "none", "worker": "root"},
         "own database\nown redis\nroot durascope-worker-root@local.service none\n"),
        ({"multi-user.target.wants/durascope-worker-root@west.service": "", "worker": "none"},
         "own database\nown redis\nroot durascope-worker-root@west.service nginx\n"),
    ],
)  # fmt: skip
def test_what_was_chosen_before_stays_chosen(tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    argv = ["bash", "-uo", "pipefail", "-c", CHOICES, "bash", tmp_path]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (said, "")


PREPARE = """
refuse() { printf '%s\\n' "$@"; exit 2; }
PROGRAM=$1/program RELEASES=$1/releases SOURCE=$1 PARTS=(source)
source deploy/install/releases.sh
RELEASE=$RELEASES/next
for step in copy_parts python_packages static_files; do
    eval "$step() { mkdir -p \\$RELEASE/$step && [ $step != $2 ]; }"
done
prepare
echo ready
"""


@pytest.mark.parametrize(
    ("failing", "why"),
    [
        ("copy_parts", "Make room there"),  # a full disk
        ("python_packages", "Check the network"),
        ("static_files", "The program does not start"),
        ("nothing", "ready"),
    ],
)
def test_a_release_is_ready_when_it_is_whole_and_else_leaves_nothing(tmp_path, failing, why):
    (tmp_path / "program").mkdir()
    (tmp_path / "source").write_text("text")
    argv = ["bash", "-euo", "pipefail", "-c", PREPARE, "bash", tmp_path, failing]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if why == "ready" else 2) and why in done.stdout, done
    assert ("The installed version runs on" in done.stdout) == (why != "ready")
    assert (tmp_path / "releases/next/.ready").exists() == (tmp_path / "releases/next").exists() == (why == "ready")


CUT_OFF = """
set -Eeuo pipefail
say() { printf '%s\\n' "$@"; }
source deploy/install/things.sh
CONFIG=$1 RECORD=$1/made RELEASES=$1/releases PROGRAM=$1/program UNITS=$1/units DRY_RUN= PURGE= SOURCE=$1
source deploy/install/upgrade.sh
source deploy/install/uninstall.sh
systemctl() { say "systemctl $1"; }
stop_units() { :; }; units_of() { :; }; end_units() { :; }; setting() { echo /home; }
of_release() { say "put back by $(basename $1)"; [ -d "$1" ]; }
mkdir -p $RELEASES/a $RELEASES/b
ln -s $RELEASES/b $PROGRAM
printf '%s\\n' "folder $RELEASES" "link $PROGRAM" "file $UNDER_WAY" >$RECORD
printf '%s\\n' "old $RELEASES/a" "new $RELEASES/b" "ran durascope-web.service" migrating >$UNDER_WAY
"""


@pytest.mark.parametrize(
    ("removal", "said"),
    [
        ("uninstall", "put back by b\n"),
        ("rm -r $RELEASES $PROGRAM", "/home/before-upgrade"),  # by an earlier version
    ],
)
def test_an_upgrade_that_was_cut_off_hinders_no_installation_after_a_removal(tmp_path, removal, said):
    argv = ["bash", "-c", f"{CUT_OFF}{removal}\ntake_back", "bash", tmp_path]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and said in done.stdout + done.stderr, done
    assert {path.name for path in tmp_path.iterdir()} == {"made"}


@pytest.mark.parametrize(("made", "said"), [("database durascope", "database and role durascope, "), ("", "")])
def test_a_removal_names_the_data_that_stay(tmp_path, made, said):
    command = f"{CUT_OFF}rm $UNDER_WAY; exists() {{ false; }}; echo '{made}' >>$RECORD; uninstall"
    done = subprocess.run(["bash", "-c", command, "bash", tmp_path], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0 and f"The data stay: {said}/var/lib/durascope, the keys" in done.stdout, done


def test_an_upgrade_that_ends_at_its_first_word_goes_back(tmp_path):
    """The terminal goes."""
    command = f"""{CUT_OFF}
        rm $UNDER_WAY && ln -sfT $RELEASES/a $PROGRAM
        ONLY_WORKER=yes RELEASE=$RELEASES/b
        running_units() {{ echo durascope-web.service; }}
        say() {{ echo "$1" && [[ $1 != *"Down from"* ]] || kill -HUP $BASHPID; }}
        change"""
    argv = ["bash", "-c", command, "bash", tmp_path]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 130 and done.stderr == "" and "systemctl start\n" in done.stdout, done
    assert not (tmp_path / "upgrade").exists() and (tmp_path / "program").resolve().name == "a"


NOBODY_READS = """
say() { printf '%s\\n' "$@" >&2; }
systemctl() { echo "$1" >>$RECORD; }
of_release() { case $2 in migrate) false ;; snapshot) /bin/echo "the database" >&2 ;; esac; }
ONLY_WORKER='' RELEASE=$RELEASES/b
running_units() { echo durascope-web.service; }
"""


@pytest.mark.parametrize("step", ["rm $UNDER_WAY; change", "ended"])
def test_an_upgrade_whose_words_nobody_reads_goes_back(tmp_path, step):
    """As with `| head`, or when the terminal went: then each command that says something ends with an error."""
    reader, writer = os.pipe()
    os.close(reader)
    argv = ["bash", "-c", f"{CUT_OFF}ln -sfT $RELEASES/a $PROGRAM\n{NOBODY_READS}{step}", "bash", tmp_path]
    subprocess.run(argv, cwd=PROJECT, stderr=writer, check=False)
    os.close(writer)
    assert (tmp_path / "made").read_text().endswith("\nstart\n") and not (tmp_path / "upgrade").exists()


def test_a_file_that_the_full_disk_cuts_off_replaces_no_other(tmp_path):
    """While an upgrade goes back, an error does not stop it."""
    (tmp_path / "unit").write_text("old\n")
    (tmp_path / "unit.new").symlink_to("/dev/full")
    command = f"{CUT_OFF}set +e\nchgrp() {{ :; }}; chmod() {{ :; }}\nwrite_file $1/unit 0644 root new; echo $?"
    done = subprocess.run(["bash", "-c", command, "bash", tmp_path], cwd=PROJECT, capture_output=True, text=True)
    assert done.stdout == "1\n" and not (tmp_path / "unit").is_symlink()
    assert (tmp_path / "unit").read_text() == "old\n"


def test_a_run_that_ends_leaves_its_lock_to_the_next(tmp_path):
    """Removed while it is held, it would be another file for the next run, and held twice."""
    text = (PROJECT / "deploy/install.sh").read_text().replace("/run/durascope-install.lock", f"{tmp_path}/lock")
    definitions = text[text.index("main() {") : text.index('\nmain "$@"')]
    command = f"""{definitions}
        for step in as_root_on_debian chosen install_everything options; do eval "$step() {{ :; }}"; done
        main && ! flock --nonblock {tmp_path}/lock true"""
    assert subprocess.run(["bash", "-euc", command], cwd=PROJECT, check=False).returncode == 0
