"""The words on each page of a PDF that Chromium wrote. Its fonts name the letter of each glyph, and its objects are not
packed. Files of other programs are not read."""

import re
import unicodedata
import zlib

OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)endobj", re.DOTALL)
PAGE = re.compile(rb"/Type /Page\b")
NAMED = re.compile(rb"/([FX]\d+) (\d+) 0 R")  # fonts, and drawings within drawings
DRAWN = re.compile(rb"/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj|(BT)|/(X\d+) Do")
RANGE = re.compile(r"^<(\w+)> <(\w+)> <(\w{4})>$", re.MULTILINE)
CHARACTER = re.compile(r"^<(\w+)> <(\w{4,})>$", re.MULTILINE)

Objects = dict[bytes, bytes]
Letters = dict[str, str]  # of each glyph, whose number has two or four digits in all glyphs of a font


def pages(pdf: bytes) -> list[str]:
    """Their texts, with one space between words."""
    objects = {found[1]: found[2] for found in OBJECT.finditer(pdf)}
    texts = (_text(objects, one, _named(objects, one, b"Contents")) for one in objects.values() if PAGE.search(one))
    return [" ".join(unicodedata.normalize("NFKC", text).split()) for text in texts]


def _text(objects: Objects, owner: bytes, drawing: bytes) -> str:
    """`owner`: names the fonts."""
    named = {name: objects[number] for name, number in NAMED.findall(owner.partition(b"stream\n")[0])}
    fonts = {name: _letters(objects, one) for name, one in named.items() if b"/ToUnicode" in one}
    letters: Letters = {}
    told: list[str] = []
    for font, glyphs, begins, inner in DRAWN.findall(_unpacked(drawing)):
        if font:
            letters = fonts[font]
        elif glyphs:
            told += [letters[glyph] for glyph in _split(glyphs.decode(), letters)]
        elif begins:
            told.append(" ")
        elif b"/Subtype /Form" in named[inner]:
            told.append(_text(objects, named[inner], named[inner]))
    return "".join(told)


def _split(glyphs: str, letters: Letters) -> list[str]:
    digits = len(next(iter(letters)))
    return [glyphs[at : at + digits] for at in range(0, len(glyphs), digits)]


def _letters(objects: Objects, font: bytes) -> Letters:
    table = _unpacked(_named(objects, font, b"ToUnicode")).decode().partition("endcodespacerange")[2]
    found = {glyph: bytes.fromhex(letter).decode("utf-16-be") for glyph, letter in CHARACTER.findall(table)}
    for first, last, letter in RANGE.findall(table):
        begin = int(first, 16)
        for glyph in range(begin, int(last, 16) + 1):
            found[f"{glyph:0{len(first)}X}"] = chr(int(letter, 16) + glyph - begin)
    return found


def _named(objects: Objects, owner: bytes, name: bytes) -> bytes:
    number = re.search(rb"/" + name + rb" (\d+) 0 R", owner)
    assert number, f"no {name.decode()}"
    return objects[number[1]]


def _unpacked(stream: bytes) -> bytes:
    return zlib.decompressobj().decompress(stream.partition(b"stream\n")[2])
