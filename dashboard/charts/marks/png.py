"""An SVG of our own as a PNG, for mails and messengers, which draw no SVG.

The fonts lie beside this file, because a server may have none: the picture is the same everywhere."""

import re
from pathlib import Path

from resvg_py import svg_to_bytes

FONTS = sorted(str(path) for path in Path(__file__).with_name("fonts").glob("*.ttf"))
FAMILY = "DejaVu Sans"
_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def png(svg: str, style: str) -> bytes:
    """`style`: CSS with simple selectors and without var(). The size is that of the SVG."""
    return svg_to_bytes(
        svg_string=_NOT_XML.sub("", svg),
        style_sheet=style,
        skip_system_fonts=True,
        font_files=FONTS,
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
