"""Build hook: the package depends on exactly the versions of requirements.txt, with which it was tested."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PIN = re.compile(r"^([A-Za-z0-9][^\s;\\]*==[^\s;\\]+)\s*(;[^\\\n]*)?", re.MULTILINE)


class Pinned(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "requirements.txt").read_text()
        metadata["dependencies"] = [f"{pin}{(marker or '').rstrip()}" for pin, marker in PIN.findall(text)]
