"""DURASCOPE_KEEP_...: for how many days things are kept. The settings read this module, so it imports no model."""

from collections.abc import Mapping

DAYS = {"samples": 180, "evidence": 365, "leftovers": 90}  # 0: for ever


def days(environ: Mapping[str, str]) -> dict[str, int]:
    """Raises ValueError for a value that is no number of days."""
    return {name: _read(environ, f"DURASCOPE_KEEP_{name.upper()}", usual) for name, usual in DAYS.items()}


def _read(environ: Mapping[str, str], name: str, usual: int) -> int:
    text = environ.get(name, "") or str(usual)
    if not text.isdecimal() or len(text) > 5:
        raise ValueError(f"{name} holds {text[:40]!r}. Write a number of days, or 0 to keep everything.")
    return int(text)
