"""scripts/bootstrap.sh on machines that lack something, with an apt-get and a sudo that only write down their call."""

import os
import shutil
import subprocess

import pytest

from dashboard.installation.home import PROJECT

BASICS = ["bash", "cat", "cut", "env", "grep", "id", "printf", "readlink", "sha256sum", "sort", "tr"]
CALL = '#!/bin/bash\nprintf "%s " "${0##*/}" "$@" >>"$CALLS"; echo >>"$CALLS"\n'


@pytest.fixture
def machine(tmp_path):
    """A PATH that holds only what a test puts there, and a bash function run in an empty clone."""

    class Machine:
        bin = tmp_path / "bin"
        clone = tmp_path / "a clone"
        calls = tmp_path / "calls"

        def has(self, *names, script=CALL):
            for name in names:
                (self.bin / name).unlink(missing_ok=True)
                (self.bin / name).write_text(script)
                (self.bin / name).chmod(0o755)

        def run(self, command, **environment):
            # PATH is set after sourcing: the script adds the system's sbin folders to it
            script = f'source "{PROJECT}/scripts/bootstrap.sh"; PATH="$BIN"; set -euo pipefail; {command}'
            env = {"BIN": str(self.bin), "CALLS": str(self.calls), "PATH": os.environ["PATH"], **environment}
            return subprocess.run(["bash", "-c", script], cwd=self.clone, env=env, capture_output=True, text=True)

        def called(self):
            return self.calls.read_text().splitlines() if self.calls.exists() else []

    here = Machine()
    here.bin.mkdir()
    (here.clone / ".venv" / "bin").mkdir(parents=True)
    here.has("apt-get")
    for name in BASICS:
        (here.bin / name).symlink_to(shutil.which(name))
    (here.clone / ".venv" / "bin" / "python").symlink_to(shutil.which("true"))
    return here


NEEDS = "install_packages \"$(missing 'sysbench|sysbench|makes the load\nmariadbd|mariadb-server-core|the sandbox')\""
AS_USER = "id() { echo 1000; }; "
AS_ROOT = "id() { echo 0; }; "


def test_the_script_says_nothing_where_no_program_is_missing(machine):
    machine.has("sysbench", "mariadbd")
    done = machine.run(NEEDS)
    assert (done.returncode, done.stdout, done.stderr, machine.called()) == (0, "", "", [])


def test_the_script_says_which_packages_are_installed_and_why(machine):
    machine.has("mariadbd")
    done = machine.run(AS_ROOT + NEEDS)
    assert done.returncode == 0, done.stderr
    assert "sysbench              makes the load" in done.stderr
    assert "mariadb-server-core" not in done.stderr
    assert done.stdout == ""
    update, install = machine.called()
    assert update.endswith(" update ")
    assert install.endswith(" install --yes --no-install-recommends sysbench ")


def test_the_script_installs_nothing_if_that_is_forbidden(machine):
    done = machine.run(AS_ROOT + NEEDS, DURASCOPE_INSTALL="no")
    assert done.returncode == 2
    assert "mariadb-server-core" in done.stderr
    assert "Nothing was installed" in done.stderr
    assert machine.called() == []


def test_a_user_without_sudo_is_told_what_root_must_run(machine):
    done = machine.run(AS_USER + NEEDS)
    assert done.returncode == 2
    assert "no sudo" in done.stderr
    line = "  apt-get update && apt-get install --no-install-recommends mariadb-server-core sysbench\n"
    assert line in done.stderr
    assert machine.called() == []


@pytest.mark.parametrize("package", ["nginx", "caddy", "postgresql", "prometheus", "podman"])
def test_the_line_for_root_starts_no_service(machine, package):
    """apt-get alone would start it: the line runs what the scripts themselves run."""
    done = machine.run(f"{AS_USER}install_packages $'{package}|tests\nstrace|tests'")
    line = f"  bash {PROJECT}/scripts/programs.sh {' '.join(sorted((package, 'strace')))}\n"
    assert done.returncode == 2 and line in done.stderr and "apt-get install" not in done.stderr


def test_that_line_installs_the_packages_as_the_scripts_do(machine):
    script = (PROJECT / "scripts/programs.sh").read_text().replace('export PATH="$PATH:', 'PATH=$BIN; OLD="')
    (machine.clone / "programs.sh").write_text(script)
    done = machine.run("id() { echo 0; }; export -f id; bash programs.sh sysbench strace")
    assert done.returncode == 0, done.stderr
    assert machine.called()[-1].endswith(" install --yes --no-install-recommends strace sysbench ")


def test_a_user_with_sudo_installs_through_it(machine):
    machine.has("sudo")
    assert machine.run(AS_USER + NEEDS).returncode == 0
    assert [call.split()[0] for call in machine.called()] == ["sudo", "sudo"]


def test_the_script_stops_when_apt_get_fails(machine):
    machine.has("apt-get", script="#!/bin/bash\necho 'no such package' >&2; exit 100\n")
    done = machine.run(AS_ROOT + NEEDS)
    assert done.returncode == 2
    assert "no such package" in done.stderr
    assert "apt-get failed" in done.stderr


def test_the_script_stops_where_there_is_no_apt_get(machine):
    (machine.bin / "apt-get").unlink()
    done = machine.run(AS_ROOT + NEEDS)
    assert done.returncode == 2
    assert "There is no apt-get here" in done.stderr


@pytest.mark.parametrize("program", ["redis-server", "redis-check-rdb"])
def test_redis_is_there_under_either_name(machine, program):
    assert machine.run("is_there redis-server").returncode == 1
    machine.has(program)
    assert machine.run("is_there redis-server").returncode == 0


def test_an_old_python_is_refused_with_its_version(machine):
    machine.has("python3", script='#!/bin/bash\n[ "$1" = --version ] && echo "Python 3.9.2"; [ "$1" != -c ]\n')
    done = machine.run("check_python")
    assert done.returncode == 2
    assert "needs Python 3.11 or newer; python3 is Python 3.9.2" in done.stderr


def test_a_missing_python_is_said_to_be_missing(machine):
    assert "python3 is missing." in machine.run("check_python").stderr


def test_a_python_without_venv_gets_the_package(machine):
    (machine.clone / ".venv" / "bin" / "python").unlink()
    machine.has("python3", script="#!/bin/bash\nexit 1\n")
    assert "python3-venv|" in machine.run("missing_venv").stdout
    machine.has("python3", script="#!/bin/bash\nexit 0\n")
    assert machine.run("missing_venv").stdout == ""


NO_PIP = '#!/bin/bash\n[ "$*" != "-m pip --version" ]\n'


def test_a_half_made_environment_is_made_again(machine):
    """As `python3 -m venv` leaves it without the package python3-venv: a Python without pip."""
    python = machine.clone / ".venv/bin/python"
    python.unlink()
    machine.has("half", script=NO_PIP)
    python.symlink_to(machine.bin / "half")
    machine.has("python3", script=f'{CALL}[ "$*" != "-c import ensurepip, venv" ]\n')
    done = machine.run(f"{AS_ROOT}make_environment() {{ echo made; }}; bootstrap ''")
    assert (done.returncode, done.stdout) == (0, "made\n"), done.stderr
    assert machine.called()[-1].endswith(" install --yes --no-install-recommends python3-venv ")


def test_a_whole_environment_is_not_asked_again(machine):
    """Asking pip takes half a second."""
    python = machine.clone / ".venv/bin/python"
    python.unlink()
    machine.has("whole")
    python.symlink_to(machine.bin / "whole")
    (machine.clone / ".venv/installed-requirements.txt").write_text(f"{machine.bin}/whole 1234  requirements.txt")
    assert machine.run("has_environment").returncode == 0 and machine.called() == []


def test_an_environment_of_a_python_that_was_replaced_is_made_again(machine):
    """Debian 13 has brought another one: the packages are in the folder of the old one."""
    python = machine.clone / ".venv/bin/python"
    python.unlink()
    machine.has("python3.13", script=NO_PIP)
    python.symlink_to(machine.bin / "python3.13")
    (machine.clone / ".venv/installed-requirements.txt").write_text("/usr/bin/python3.11 1234  requirements.txt")
    assert machine.run("has_environment").returncode == 1


@pytest.mark.parametrize("needs", ["''", "'git|git|the date'"])
def test_no_needs_and_no_missing_program_say_nothing(machine, needs):
    machine.has("git")
    assert machine.run(f"missing {needs}").stdout == ""


def test_python_packages_are_installed_once_per_list_and_interpreter(machine):
    python = machine.clone / ".venv" / "bin" / "python"
    python.unlink()
    machine.has("one-python", "another-python")
    python.symlink_to(machine.bin / "one-python")
    requirements = machine.clone / "requirements.txt"
    requirements.write_text("something==1")
    for _ in range(2):
        assert machine.run("install_requirements requirements.txt").returncode == 0
    assert len(machine.called()) == 1
    assert "--require-hashes" in machine.called()[0]
    requirements.write_text("something==2")
    machine.run("install_requirements requirements.txt")
    assert len(machine.called()) == 2
    python.unlink()
    python.symlink_to(machine.bin / "another-python")
    machine.run("install_requirements requirements.txt")
    assert len(machine.called()) == 3


def test_a_failed_installation_is_tried_again(machine):
    python = machine.clone / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to(shutil.which("false"))
    (machine.clone / "requirements.txt").write_text("something==1")
    done = machine.run("install_requirements requirements.txt")
    assert done.returncode == 2
    assert "pip failed" in done.stderr
    assert not list((machine.clone / ".venv").glob("installed-*"))


@pytest.fixture
def forbidding(machine):
    """Where the two files would be, in this test's own folder; apt-get writes down whether they are there."""
    places = {"NO_CLUSTER": machine.bin.parent / "etc/cluster.conf", "NO_SERVICE": machine.bin.parent / "policy-rc.d"}
    for program in ("sh", "mkdir", "chmod", "rm"):
        (machine.bin / program).symlink_to(shutil.which(program))
    seen = "".join(f'[ ! -e "{file}" ] || echo {name} >>"$CALLS"\n' for name, file in places.items())
    machine.has("apt-get", script=f"#!/bin/bash\n{seen}exit ${{FAILS:-0}}\n")
    machine.has("update-rc.d")
    known = "; ".join(f'{name}="{file}"' for name, file in places.items())
    machine.install = lambda package, **known_too: machine.run(
        f"{AS_ROOT}{known}; install_packages '{package}|the tests'", **known_too
    )
    machine.places = places
    return machine


@pytest.mark.parametrize("fails", ["0", "100"])
@pytest.mark.parametrize(
    "package, place", [("postgresql", "NO_CLUSTER"), ("nginx", "NO_SERVICE"), ("caddy", "NO_SERVICE")]
)
def test_a_package_that_starts_services_is_installed_without_a_start(forbidding, package, place, fails):
    """The file that forbids it is there while it is installed, and gone afterwards, also when that fails."""
    done = forbidding.install(package, FAILS=fails)
    assert done.returncode == (0 if fails == "0" else 2), done.stderr
    assert set(forbidding.called()) - {f"update-rc.d {package} disable "} == {place}
    assert not any(file.exists() for file in forbidding.places.values())


@pytest.mark.parametrize("package", ["nginx", "caddy"])
def test_a_proxy_starts_with_no_boot_either(forbidding, package):
    """systemd is asked where it is: caddy has no script that update-rc.d knows."""
    forbidding.install(package)
    assert forbidding.called()[-1] == f"update-rc.d {package} disable "
    forbidding.has("systemctl")
    forbidding.install(package)
    assert forbidding.called()[-1] == f"systemctl disable {package} "


def test_a_machine_that_forbids_services_itself_is_left_so(forbidding):
    forbidding.places["NO_SERVICE"].write_text("the machine's own")
    assert forbidding.install("nginx").returncode == 0
    assert forbidding.places["NO_SERVICE"].read_text() == "the machine's own"


def test_a_package_without_services_is_installed_as_usual(forbidding):
    assert forbidding.install("sysbench").returncode == 0
    assert forbidding.called() == []
