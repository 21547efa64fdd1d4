"""Sphinx's settings for the site of documents (deploy/site/build.py). Every warning is an error there."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from dashboard.installation.version import VERSION

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]

project = "Durascope"
version = release = VERSION
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "docs/README"
nitpicky = True
myst_heading_anchors = 4  # links lead to headings as on a forge
highlight_language = "none"
smartquotes = False
html_theme_path = [str(HERE)]
html_theme = "theme"
html_title = f"Durascope {VERSION}"
html_static_path = [str(PROJECT / "static/css/tokens.css")]
html_favicon = str(PROJECT / "static/img/favicon.svg")
html_permalinks = False
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_last_updated_fmt = None


class Translator(HTML5Translator):
    """A table that is wider than the screen scrolls by itself, also by keyboard."""

    def visit_table(self, node: nodes.table) -> None:
        self.body.append('<div class="wide" role="group" aria-label="Table" tabindex="0">')
        super().visit_table(node)

    def depart_table(self, node: nodes.table) -> None:
        super().depart_table(node)
        self.body.append("</div>")


def setup(app: Sphinx) -> dict[str, Any]:
    app.set_translator("html", Translator)
    return {"parallel_read_safe": True}
