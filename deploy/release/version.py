"""The version, the changelog and the tree: what is checked before anything is measured."""

import re
import tomllib
from pathlib import Path

from release.step import PROJECT, Found, git, uncommitted

UNRELEASED = re.compile(r"^## \[Unreleased\]$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def version() -> str:
    return str(tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"])


def check_tree(_quick: bool, _log: Path) -> Found:
    changed = uncommitted("docs/releases")  # written by the last call
    problem = f"{len(changed)} files have changes that are in no commit. Commit them." if changed else ""
    return Found([f"commit {git('rev-parse', 'HEAD')[:12]}"], problem)


def check_version(_quick: bool, _log: Path) -> Found:
    tags, changelog = git("tag", "--list").splitlines(), (PROJECT / "CHANGELOG.md").read_text()
    return Found([f"version {version()}, {len(tags)} earlier tags"], why_not(version(), changelog, tags))


def why_not(wanted: str, changelog: str, tags: list[str]) -> str:
    """Why this version may not be released; "" if it may."""
    if (waiting := UNRELEASED.search(changelog)) and waiting[1].strip():
        return f"CHANGELOG.md has entries below '## [Unreleased]'. Move them below '## [{wanted}]'."
    versions = [found for found in HEADING.findall(changelog) if found[0] != "Unreleased"]
    if not versions or versions[0][0] != wanted:
        return f"CHANGELOG.md has no heading '## [{wanted}] - DATE' above those of earlier versions. Write it."
    if not versions[0][1]:
        return f"The heading of {wanted} in CHANGELOG.md has no date. Write '## [{wanted}] - DATE'."
    if f"v{wanted}" in tags:
        return f"The tag v{wanted} exists. Raise the version in pyproject.toml."
    return ""


def last_tag() -> str:
    """Of the release before this one; "" if there is none."""
    tags = git("tag", "--list", "v*", "--sort=-version:refname").splitlines()
    return next((tag for tag in tags if tag != f"v{version()}"), "")
