"""Colours hold their contrast on both grounds, and variants stay apart for colour-blind readers."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

CSS = Path(__file__).resolve().parents[2] / "static/css"
TOKENS = (CSS / "tokens.css").read_text()
PAIR = re.compile(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
THEMES = {
    "light": {name: light for name, light, _ in PAIR.findall(TOKENS)},
    "dark": {name: dark for name, _, dark in PAIR.findall(TOKENS)},
}
TEXT = ["ink", "ink-soft", "accent"]
STATES = ["passed", "warned", "failed", "unknown"]
SERIES = [f"series-{index}" for index in range(8)]

# Machado, Oliveira and Fernandes 2009: full protanopia and deuteranopia, on linear RGB.
BLIND = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's ratio."""
    bright, dim = sorted((float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Ottosson 2020: distances are about what people see."""
    cones = np.cbrt(
        np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                  [0.0883024619, 0.2817188376, 0.6299787005]]) @ np.clip(rgb, 0, 1)
    )  # fmt: skip
    return np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                     [0.0259040371, 0.7827717662, -0.8086757660]]) @ cones  # fmt: skip


def apart(one: str, other: str, blindness: list[list[float]]) -> float:
    return float(np.linalg.norm(oklab(np.array(blindness) @ linear(one)) - oklab(np.array(blindness) @ linear(other))))


@pytest.mark.parametrize("theme", THEMES)
def test_text_has_enough_contrast_on_every_ground(theme):
    colours = THEMES[theme]
    pairs = [(text, ground) for text in TEXT for ground in ("ground", "surface", "raised")]
    pairs += [(state, f"{state}-soft") for state in STATES] + [("on-accent", "accent"), ("accent", "accent-soft")]
    assert {pair for pair in pairs if contrast(colours[pair[0]], colours[pair[1]]) < 4.5} == set()


def is_outcome(colour: str) -> bool:
    """Whether it is read as red or green, the colours of "lost" and "nothing lost"."""
    _, a, b = oklab(linear(colour))
    hue = np.degrees(np.arctan2(b, a)) % 360
    return bool(np.hypot(a, b) > 0.05 and (5 <= hue <= 55 or 115 <= hue <= 190))


@pytest.mark.parametrize("theme", THEMES)
def test_no_setting_is_red_or_green(theme):
    colours = THEMES[theme]
    assert [name for name in SERIES if is_outcome(colours[name])] == []
    assert all(is_outcome(colours[name]) for name in ("passed", "failed"))


@pytest.mark.parametrize("theme", THEMES)
def test_drawn_lines_stand_out_from_their_ground(theme):
    colours = THEMES[theme]
    drawn = [*SERIES, "focus", "line-strong"]
    assert {name for name in drawn if contrast(colours[name], colours["surface"]) < 3} == set()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("blindness", BLIND)
def test_colours_of_variants_stay_apart_for_colour_blind_readers(theme, blindness):
    colours = THEMES[theme]
    near = {
        pair: round(apart(colours[pair[0]], colours[pair[1]], BLIND[blindness]), 3)
        for pair in itertools.combinations(SERIES, 2)
    }
    assert {pair: distance for pair, distance in near.items() if distance < 0.06} == {}


def test_colours_that_cannot_be_told_apart_are_noticed():
    assert contrast("#ffffff", "#e69f00") < 3  # Okabe and Ito's orange as it is, on white
    assert apart("#b05a2a", "#6f7a20", BLIND["deuteranopia"]) < 0.06


SIZE, WEIGHT = re.compile(r"font-size: ([^;]+);"), re.compile(r"font-weight: ([^;]+);")
SIZES = {*(f"var(--s{n})" for n in range(1, 6)), "inherit"}
BESIDE = {  # texts of drawings in units of their own, code beside prose, and the whole page
    "base.css": {"93.75%", "0.9em", "10pt"},
    "forms.css": {"0.9em"},
    "crash.css": {"34px", "90px"},
    "comparison.css": {"10px", "11px", "24px"},
    "marks.css": {"12px", "15px", "22px"},  # also of the picture of previews, which is 1200 px wide
}


def test_texts_have_five_sizes_and_two_weights():
    """Paper has points."""
    wrong = []
    for file in sorted(CSS.glob("*.css")):
        text, known = file.read_text(), SIZES | BESIDE.get(file.name, set())
        wrong += [(file.name, size) for size in SIZE.findall(text) if size not in known and not size.endswith("pt")]
        wrong += [(file.name, weight) for weight in WEIGHT.findall(text) if weight not in ("400", "600", "inherit")]
    assert wrong == []


def test_every_value_that_is_used_is_defined():
    texts = "".join(file.read_text() for file in CSS.glob("*.css"))
    scripts = "".join(file.read_text() for file in CSS.parent.glob("js/**/*.js"))
    templates = "".join(file.read_text() for file in CSS.parents[1].glob("templates/**/*.html"))
    defined = set(re.findall(r"(--[a-z0-9-]+)\s*:", texts)) | set(re.findall(r"\"(--[a-z0-9-]+)\"", scripts))
    assert sorted(set(re.findall(r"var\((--[a-z0-9-]+)\)", texts + templates)) - defined) == []
