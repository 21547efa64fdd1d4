"""A minimal Debian for a test: minbase with Python and git, and nothing else. A shell runs in it by chroot, in
namespaces of its own; all that it changes lies in one folder (overlayfs). The root file systems, and the packages that
were loaded, are kept in ~/.cache/durascope."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dashboard.installation.home import PROJECT
from tests.real.guest import CACHE, MMDEBSTRAP, mirror

RELEASES = tuple(filter(None, os.environ.get("GUEST_RELEASE", "bookworm,trixie").split(",")))
PACKAGES = "python3,git"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"  # of this machine: between it and the package index may be a proxy
# Arguments: root, base, layers, release's packages, the cache of pip, the clone, the script.
ENTER = f"""
root=$1 script=$7
exec 9>"$4/used-by-a-test" && flock 9 # apt-get of another guest would not wait for its lock
mount -t overlay overlay -o "lowerdir=$2,upperdir=$3/changed,workdir=$3/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mkdir -p "$root/src" "$root/root/.cache/pip"
mount --bind "$4" "$root/var/cache/apt/archives"
mount --bind "$5" "$root/root/.cache/pip"
mount --bind -o ro "$6" "$root/src"
cp /etc/resolv.conf "$root/etc/"
echo 127.0.0.1 localhost >"$root/etc/hosts" # the installer of Debian writes it
[ ! -e {AUTHORITIES} ] || cp {AUTHORITIES} "$root/etc/authorities.crt"
exec chroot "$root" bash -euc "$script"
"""
HERE = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}


def base(release: str) -> Path:
    """The root file system, which no test changes."""
    root = CACHE / f"minimal-{release}-{PACKAGES.replace(',', '-')}"
    if not root.is_dir():
        draft = CACHE / f".minimal.{os.getpid()}"
        argv = [*MMDEBSTRAP, f"--include={PACKAGES}", "--format=directory", release]
        try:
            subprocess.run([*argv, str(draft), *mirror()], check=True)
            draft.rename(root)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return root


def committed(folder: Path) -> Path:
    """This tree as a repository of one commit."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in names:
        if name and (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
    somebody = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for words in (["init", "-q"], ["add", "-A"], [*somebody, "commit", "-qm", "The tree"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Minimal:
    """One machine: what a shell changed is there for the next one. `source`: the repository, in the guest /src."""

    release: str
    folder: Path
    source: Path

    def shell(self, script: str, *namespaces: str, **environment: str) -> Said:
        """Runs it as root. All its processes end with it."""
        packages, pip = CACHE / f"packages-{self.release}", CACHE / "pip"
        for made in (self.folder / "root", self.folder / "changed", self.folder / "work", packages, pip):
            made.mkdir(parents=True, exist_ok=True)
        places = (self.folder / "root", base(self.release), self.folder, packages, pip, self.source)
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", *namespaces]
        argv = [*apart, "bash", "-euc", ENTER, "bash", *map(str, places), script]
        env = {**HERE, "PIP_CERT": "/etc/authorities.crt", **environment}
        done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr)  # shown if the test fails
        return Said(done.returncode, done.stdout, done.stderr)

    def packages(self) -> set[str]:
        return set(self.shell("dpkg-query -W -f '${Package}\\n'").out.splitlines())
