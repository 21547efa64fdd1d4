"""A Debian of its own for a test: systemd runs in it (systemd-nspawn), with a network of its own, and all that it
changes lies in one folder (overlayfs). Its packages come once from where this machine's own come from, and are kept in
~/.cache/durascope."""

import hashlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT

CACHE = Path.home() / ".cache/durascope"
PACKAGES = (
    "systemd-sysv,dbus,ca-certificates,iproute2,procps,python3-venv,postgresql,nginx,openssl,redis-tools,gcc,libc6-dev,"
    "mariadb-server-core,mariadb-client-core,sysbench,e2fsprogs"
)
# Its mounts end with it: one that was killed leaves none, so removing its folder removes nothing of this machine.
MMDEBSTRAP = ["unshare", "--mount", "--propagation", "private", "mmdebstrap", "--quiet", "--variant=minbase"]
HERE = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8"]
# pip finds the packages in the root file system; the guest has no network.
PIP = ["PIP_NO_INDEX=1", "PIP_FIND_LINKS=/var/cache/wheels"]
FRESH = "env -u REQUESTS_CA_BUNDLE -u CURL_CA_BUNDLE -u PIP_FIND_LINKS"  # they name files of this machine
STARTS_S = 120
FOLDERS_OF_SYSTEMD = ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/var/log", "/var/lib/systemd", "/src")
COPIES = [
    f"/etc/{name}-" for name in ("passwd", "shadow", "group", "gshadow", "subuid", "subgid")
]  # of the state before the last change


def release() -> str:
    """The Debian that the guest is: this machine's, unless GUEST_RELEASE names another one."""
    lines = Path("/etc/os-release").read_text().splitlines()
    system = dict(line.split("=", 1) for line in lines if "=" in line)
    if os.geteuid() != 0:
        pytest.skip("only root can run a guest")
    if system["ID"] != "debian":
        pytest.skip("the package sources of this machine are not Debian's")
    for tool in ("mmdebstrap", "systemd-nspawn"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not here: scripts/programs.sh names its package")
    return os.environ.get("GUEST_RELEASE") or system["VERSION_CODENAME"]


def mirror() -> list[str]:
    """Where apt-get of this machine gets Debian from."""
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()[:1]


def base(of: str) -> Path:
    """The root file system with the packages and the Python packages, which no test changes."""
    wanted = (PROJECT / "requirements.txt").read_text() + PACKAGES + of
    root = CACHE / f"guest-{of}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    if root.is_dir():
        return root
    draft = CACHE / f".guest.{os.getpid()}"
    draft.mkdir(parents=True)
    try:
        within = ["chroot", "$1", "/tmp/pip/bin/python", "-m", "pip"]
        hooks = [
            f"cp {PROJECT}/requirements.txt /etc/ssl/certs/ca-certificates.crt $1/tmp/",
            "cp /etc/resolv.conf $1/etc/",
            "chroot $1 python3 -m venv /tmp/pip && mkdir $1/var/cache/wheels",
            f"{FRESH} PIP_CERT=/tmp/ca-certificates.crt {' '.join(within)} download -q --require-hashes"
            " -r /tmp/requirements.txt -d /var/cache/wheels",
            "rm -r $1/tmp/*; rm $1/etc/resolv.conf",
        ]
        argv = [*MMDEBSTRAP, f"--include={PACKAGES}", "--format=directory"]
        argv += [f"--customize-hook={hook}" for hook in hooks]
        subprocess.run([*argv, of, str(draft / "root"), *mirror()], check=True)
        for old in CACHE.glob(f"guest-{of}-*"):
            shutil.rmtree(old)
        (draft / "root").rename(root)
    finally:
        shutil.rmtree(draft)
    return root


class Guest:
    def __init__(self, folder: Path) -> None:
        self.root, changed, work = (folder / name for name in ("root", "changed", "work"))
        for made in (self.root, changed, work):
            made.mkdir()
        layers = f"lowerdir={base(release())},upperdir={changed},workdir={work}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, str(self.root)], check=True)
        argv = [
            "systemd-nspawn", "--quiet", "--keep-unit", "--register=no", "--boot", "--private-network",
            "--console=pipe", f"--bind-ro={PROJECT}:/src", "--hostname=guest", "--directory", str(self.root),
        ]  # fmt: skip
        self.log = (folder / "boot.log").open("w+")
        self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self._wait()

    def _wait(self) -> None:
        until = time.monotonic() + STARTS_S
        while time.monotonic() < until and self._process.poll() is None:
            children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
            if children:
                self._init = children[0]
                if self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"):
                    return
            time.sleep(0.2)
        self.log.seek(0)
        self.end()
        raise RuntimeError(f"The guest did not start:\n{self.log.read()}")

    def run(self, *argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        enter = ["nsenter", "-t", self._init, "-m", "-u", "-i", "-n", "-p", "-C", "-w", "--"]
        return subprocess.run([*enter, *HERE, *argv], input=stdin, capture_output=True, text=True, check=False)

    def shell(self, script: str) -> str:
        return self.run("bash", "-euc", script).stdout

    def listed(self) -> set[str]:
        """Every file with its owner and mode, users, groups, databases, roles and units; files of /etc with their
        content. Not what PostgreSQL stores, and what a running system writes."""
        skipped = " -o ".join(f"-path {folder}" for folder in (*FOLDERS_OF_SYSTEMD, "/var/lib/postgresql"))
        copies = " ".join(f"! -path {file}" for file in COPIES)
        return set(
            self.shell(rf"""
                find / \( {skipped} \) -prune -o {copies} -printf '%y %U:%G %m %p\n'
                find /etc -type f {copies} -exec sha256sum {{}} +
                getent passwd; getent group; systemctl list-unit-files --no-legend
                cd / && setpriv --reuid=postgres --regid=postgres --init-groups psql -XAtc \
                    'SELECT rolname FROM pg_roles UNION ALL SELECT datname FROM pg_database'
            """).splitlines()
        )

    def end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.log.close()
        subprocess.run(["umount", str(self.root)], check=True)
