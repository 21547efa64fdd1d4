"""The list of what is inside, as CycloneDX. Of the list of an environment only what the package depends on stays, with
licences; the browser libraries that the package carries are added. Reads standard input, writes standard output."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[2]
CARRIED = (("chart.js", "4.6.1"), ("@kurkle/color", "0.3.2"))  # as in NOTICE, which a test compares


def inside(environment: dict[str, Any], pinned: set[str]) -> dict[str, Any]:
    """Raises SystemExit if a pinned package is missing or tells no licence."""
    components = [one for one in environment["components"] if plain(one["name"]) in pinned]
    missing = pinned - {plain(one["name"]) for one in components}
    silent = [one["name"] for one in components if not one.get("licenses")]
    if missing or silent:
        sys.exit(f"Not installed: {sorted(missing)}. Without a licence: {silent}. Nothing was written.")
    kept = {one["bom-ref"] for one in components}
    graph = [
        {**one, "dependsOn": [ref for ref in one.get("dependsOn", ()) if ref in kept]}
        for one in environment["dependencies"]
        if one["ref"] in kept
    ]
    carried = [_carried(name, version) for name, version in CARRIED]
    return {**environment, "components": [*components, *carried], "dependencies": graph}


def plain(name: str) -> str:
    """A package's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned_names(requirements: str) -> set[str]:
    """Those that this Python on this system needs."""
    pins = (Requirement(line.rstrip(" \\")) for line in requirements.splitlines() if line[:1].isalnum())
    return {plain(pin.name) for pin in pins if pin.marker is None or pin.marker.evaluate()}


def _carried(name: str, version: str) -> dict[str, Any]:
    purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
    licence = {"license": {"acknowledgement": "declared", "id": "MIT"}}
    return {
        "bom-ref": purl, "purl": purl, "type": "library", "name": name, "version": version, "licenses": [licence],
    }  # fmt: skip


if __name__ == "__main__":
    json.dump(
        inside(json.load(sys.stdin), pinned_names((PROJECT / "requirements.txt").read_text())),
        sys.stdout, indent=2, sort_keys=True,
    )  # fmt: skip
