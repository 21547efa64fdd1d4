"""An SVG of our own as a PNG: with letters on a host without fonts."""

import struct

from dashboard.charts.marks.png import FONTS, png


def svg(inner):
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40">{inner}</svg>'


def text(letters, look=""):
    return png(svg(f'<text x="5" y="25"{look}>{letters}</text>'), "")


def test_letters_need_no_font_of_the_host():
    empty = png(svg(""), "")
    assert len(FONTS) == 2 and struct.unpack(">II", empty[16:24]) == (120, 40)
    assert len({empty, text("a"), text("Ж"), text("ß"), text("…")}) == 5
    assert text("a") != text("a", ' font-weight="600"')


def test_a_letter_of_no_font_and_one_that_xml_forbids_break_nothing():
    assert text("a語b") and text("a\x07b") == text("ab")


def test_the_style_reaches_the_marks():
    rect = svg('<rect class="kept" width="9" height="9"/>')
    assert png(rect, ".kept{fill:#0a7a68}") != png(rect, ".lost{fill:#0a7a68}")
