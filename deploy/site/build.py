"""Makes the site of documents: `scripts/site FOLDER`. A warning is an error, such as a broken link or a
page in no menu. Exit status: 0 made, 1 not."""

import gc
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
FRONT = '<!DOCTYPE html><html lang="en"><title>Durascope</title>{}'.format(
    '<meta http-equiv="refresh" content="0; url=docs/README.html">'
)


def main(to: Path) -> int:
    gc.disable()  # a fifth of the processor time, to free 80 MB
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"DURASCOPE_HOME": f"{scratch}/home", "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        sys.path[:0] = [str(PROJECT), str(HERE)]
        import django

        django.setup()
        import tree
        from sphinx.cmd.build import build_main

        source = Path(scratch) / "source"
        tree.make(source)
        quietly = ["-q", "-b", "html", "-d", f"{scratch}/kept", "-c", str(HERE)]
        status = build_main(["--fail-on-warning", "--keep-going", *quietly, str(source), str(to)])
    (to / "index.html").write_text(FRONT)
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
