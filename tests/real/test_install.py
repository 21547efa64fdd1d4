"""deploy/install.sh in a Debian of its own: from nothing to a finished crash experiment, and back to nothing."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.real.guest import PIP, Guest

NAME = "durascope.test"
OTHERS_SITE = "/etc/nginx/sites-available/durascope"
EXPERIMENT = Path(__file__).with_name("first_experiment.py").read_text()
ASK = f"""
import ssl, urllib.request
asked = urllib.request.Request("https://127.0.0.1/health", headers={{"Host": "{NAME}"}})
print(urllib.request.urlopen(asked, context=ssl._create_unverified_context()).read().decode())
"""

pytestmark = pytest.mark.skipif("DOORS" not in os.environ, reason="takes minutes: scripts/test doors")


@pytest.fixture(scope="module")
def guest():
    folder = Path(tempfile.mkdtemp(prefix="ds-guest-", dir="/var/tmp"))
    made = Guest(folder)
    yield made
    made.end()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def install(guest):
    """Runs it with options. Its status and all that it said."""

    def run(*options, environment=PIP):
        done = guest.run("env", *environment, "/src/deploy/install.sh", *options)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.fixture(scope="module")
def before(guest):
    return guest.listed()


def test_the_installer_stops_before_it_touches_the_files_of_others(guest, install, before):
    made = f"useradd durascope && echo another program >{OTHERS_SITE}"
    guest.shell(f"{made} && setpriv --reuid=postgres --regid=postgres --init-groups createdb durascope")
    status, said = install("--name", NAME)
    assert status == 2 and "Nothing was changed" in said
    for other in ("the user durascope", "the database durascope", f"the file {OTHERS_SITE}"):
        assert f"  {other}\n" in said, said
    assert guest.shell(f"cat {OTHERS_SITE}") == "another program\n"
    gone = f"userdel durascope && rm {OTHERS_SITE}"
    guest.shell(f"{gone} && setpriv --reuid=postgres --regid=postgres --init-groups dropdb durascope")
    assert guest.listed() == before


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--name", "a b;c"), "is not a host name"),
        (("--worker", "everything"), "--worker is ordinary, root or none"),
        (("--purge",), "--purge needs --uninstall"),
        (("--certificate", "/no/such/file"), "whole paths of readable files"),
        (("--frobnicate",), "Unknown option --frobnicate"),
        (("--uninstall",), "There is no installation"),
    ],
)
def test_a_wrong_option_changes_nothing(install, options, why):
    status, said = install(*options)
    assert status == 2 and why in said and "Nothing was changed" in said


def test_a_port_of_another_program_is_named(guest, install):
    listens = "systemd-run --quiet --unit=other --socket-property=ListenStream=443 /bin/true"  # systemd itself
    guest.shell(f"systemctl stop nginx && {listens}")
    assert ":443" in guest.shell("ss -ltn")
    status, said = install("--name", NAME)
    guest.shell("systemctl stop other.socket && systemctl start nginx")
    assert status == 2 and "not nginx listens on port 443" in said and "--proxy none" in said


def test_only_root_of_a_debian_may_install(guest):
    ordinary = guest.run("setpriv", "--reuid=nobody", "--clear-groups", "/src/deploy/install.sh")
    assert ordinary.returncode == 2 and "sudo deploy/install.sh" in ordinary.stderr
    other = "echo ID=ubuntu >/tmp/o && mount --bind /tmp/o /etc/os-release && /src/deploy/install.sh"
    refused = guest.run("unshare", "--mount", "bash", "-c", other)
    assert refused.returncode == 2 and "Debian 12 and 13 only" in refused.stderr
    old = "echo exit 1 >/tmp/p && chmod +x /tmp/p && mount --bind /tmp/p $(readlink -f /usr/bin/python3)"
    refused = guest.run("unshare", "--mount", "bash", "-c", f"{old} && /src/deploy/install.sh")
    assert refused.returncode == 2 and "needs Python 3.11 or newer" in refused.stderr


def test_a_dry_run_says_all_and_changes_nothing(guest, install, before):
    status, said = install("--name", NAME, "--dry-run")
    assert status == 0 and "make the user durascope\n" in said and "nothing was changed" in said
    assert guest.listed() == before


@pytest.mark.timeout(3600)
def test_from_nothing_to_a_finished_crash_experiment(guest, install, before):
    """It stops in the middle once, because there is no network."""
    status, said = install("--name", NAME, environment=["PIP_RETRIES=0"])
    assert status == 2 and "pip could not install the Python packages" in said and "goes on from here" in said
    status, said = install("--name", NAME)
    assert status == 0 and "is an administrator" in said and "make the user" not in said, said
    assert install("--name", NAME) == (0, f"Nothing had to be changed.\nDurascope runs at https://{NAME}\n")
    secret = guest.shell("cat /etc/durascope/durascope.env").partition("DATABASE_URL=")[2].split(":")[2][:64]
    assert len(secret) == 64 and secret not in said + guest.shell("journalctl --no-pager; cat /var/log/postgresql/*")
    assert '"status": "ok"' in guest.run("python3", "-c", ASK).stdout
    result = guest.run("durascope", "shell", "-v", "0", stdin=EXPERIMENT)
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["state"] == "done" and set(found["verdicts"]) <= {"valid", "invalid"} and found["verdicts"], result


def test_the_doctor_of_an_installation_names_what_the_host_lacks(guest):
    """A host without FUSE and loop devices, asked as root, and as the ordinary user of the services."""
    found = {one["title"]: one for one in json.loads(guest.run("durascope", "doctor", "--json").stdout)}
    assert found["power loss"]["state"] == "limited" and "Run it as root" in found["power loss"]["says"]
    root = 'cd /opt/durascope; eval "$(python3 deploy/install/environment.py /etc/durascope/durascope.env)"; '
    root += ".venv/bin/python manage.py doctor --json || true"
    found = {one["title"]: one for one in json.loads(guest.shell(root))}
    assert "The kernel has no FUSE" in found["power loss"]["says"] and "modprobe fuse" in found["power loss"]["says"]
    assert found["database"]["state"] == found["Redis"]["state"] == "works"


# Each kind of value, quote and comment of systemd.exec(5).
ODD = r"""
A=postgresql://db/x?a=1&b=2
B=Durascope <durascope@example.org>
C=["/usr/local/bin/manager", "-v"]
D=a$b`c;d#e'f"g
E='a $b \n'
F="a \"q\" \$x \n back\\slash"
G=back\slash\\
H='one'"two"three
I=joined \
line
J='two
lines'
# K=1 \
L=1
 M = spaces
N=a=
nothing
;O=1
"""


def test_the_command_reads_the_file_of_the_environment_as_systemd_does(guest):
    """systemd adds variables of its own."""
    names = r"'^[A-Z]=|^line|^$'"
    guest.run("tee", "/tmp/odd", stdin=ODD)
    by_systemd = "systemd-run --quiet --wait --pipe --property=EnvironmentFile=/tmp/odd /usr/bin/env"
    by_command = "env -i sh -c 'eval \"$(/usr/bin/python3 /src/deploy/install/environment.py /tmp/odd)\"; /usr/bin/env'"
    first, second = (guest.shell(f"{command} | grep -E {names} | sort") for command in (by_systemd, by_command))
    assert first == second and "A=postgresql://db/x?a=1&b=2\n" in first


NEXT = """
rm -rf /root/next && mkdir /root/next && cd /src
parts='dashboard workers templates static docs scripts deploy manage.py pyproject.toml requirements.txt'
tar -c $parts | tar -C /root/next -x
cd /root/next/dashboard/records/sharing/migrations
before=$(ls 0*.py | tail -1)
cat >9000_next.py <<EOF
from django.db import migrations
class Migration(migrations.Migration):
    dependencies = [("sharing", "${before%.py}")]
    operations = [migrations.RunSQL("STATEMENT")]
EOF
"""
ALIVE = "systemctl show --value -p MainPID durascope-web durascope-beat durascope-worker@local"


def upgrade(guest, sql, environment=PIP):
    """Installs a version with one more migration. Its status, what it said, and the services before and after."""
    guest.shell(NEXT.replace("STATEMENT", sql))
    before = guest.shell(ALIVE)
    done = guest.run("env", *environment, "/root/next/deploy/install.sh", "--upgrade")
    assert '"status": "ok"' in guest.run("python3", "-c", ASK).stdout, done
    return done.returncode, done.stdout + done.stderr, before == guest.shell(ALIVE)


@pytest.mark.timeout(3600)
def test_an_upgrade_goes_back_by_itself_or_changes_the_version(guest):
    status, said, untouched = upgrade(guest, "SELECT 1", environment=["PIP_RETRIES=0"])
    assert status == 2 and "pip could not" in said and "The installed version runs on" in said and untouched, said
    status, said, untouched = upgrade(guest, "SELECT no_such_column")
    assert status != 0 and "The version before runs again" in said and not untouched, said
    status, said, _ = upgrade(guest, "SELECT 1")
    assert status == 0 and "Durascope answers again. It was down for" in said, said


@pytest.mark.timeout(3600)
def test_a_backup_into_a_folder_of_root_and_its_restore(guest):
    """While it is restored, a request in the middle starts no web server."""
    guest.shell("install -m 0700 -d /root/kept && umask 077 && echo correct horse battery >/root/kept/passphrase")
    with_passphrase = ("--passphrase-file", "/root/kept/passphrase")
    made = guest.run("durascope", "backup", "/root/kept/backup", *with_passphrase)
    assert made.returncode == 0 and guest.shell("stat -c '%U %a' /root/kept/backup") == "root 600\n", made
    asks = "import socket, time\nend = time.time() + 20\nwhile time.time() < end:\n    try: socket.socket("
    asks += "socket.AF_UNIX).connect('/run/durascope/web.sock')\n    except OSError: pass\n    time.sleep(0.05)"
    guest.run("systemd-run", "--quiet", "python3", "-c", asks)
    done = guest.run("durascope", "restore", "/root/kept/backup", "--overwrite", *with_passphrase)
    assert done.returncode == 0 and "Restored the backup" in done.stdout, done
    assert guest.shell("find /var/lib/durascope/home ! -user durascope") == ""
    assert "active" in guest.shell("systemctl is-active durascope-web.socket durascope-beat durascope-worker@local")
    guest.run("durascope", "restored", "--release")


def test_the_removal_keeps_the_data_unless_told_otherwise_and_leaves_nothing(guest, install, before):
    status, said = install("--uninstall")
    assert status == 0 and "The data stay" in said
    assert "durascope" in guest.shell("getent passwd") and not guest.shell("find / -xdev -path /opt/durascope")
    status, said = install("--uninstall", "--purge")
    assert status == 0, said
    guest.shell("rm -r /root/next /root/kept")  # of the tests above
    after = guest.listed()
    assert after - before == set() and before - after == set()
