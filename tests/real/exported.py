"""For tests: the archive of a crash point, and what its script says."""

import subprocess

from workers.sandbox import builds


def shown(archive, folder, *options):
    """What the archive's script says, in a folder of its own."""
    unpacked(archive, folder)
    return run_script(folder, *options)


def unpacked(archive, folder):
    folder.mkdir(exist_ok=True)
    subprocess.run(["tar", "--extract", "--gzip", "--directory", folder], input=archive, check=True)


def run_script(folder, *options):
    build = builds.find("system-mariadb")
    script = ["sh", folder / "crash-point/show.sh", *build.command(), *options]
    return subprocess.run(
        script, capture_output=True, text=True, errors="replace", env={"PATH": "/usr/bin:/bin"}, check=False
    )
