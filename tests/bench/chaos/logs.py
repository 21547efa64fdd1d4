"""Tracebacks in the logs: no invariant, but told, for each is a message that nobody wrote."""

from collections import Counter

from tests.bench.chaos.installation import Installation


def sizes(installation: Installation) -> dict[str, int]:
    return {log.name: log.stat().st_size for log in installation.logs()}


def tracebacks(installation: Installation, before: dict[str, int]) -> dict[str, int]:
    """Log and last line of each -> how often."""
    found: Counter[str] = Counter()
    for log in installation.logs():
        with log.open("rb") as text:
            text.seek(min(before.get(log.name, 0), log.stat().st_size))
            found.update(f"{log.stem}: {line[:200]}" for line in _last_lines(text.read().decode(errors="replace")))
    return dict(found)


def _last_lines(text: str) -> list[str]:
    inside, found = False, []
    for line in text.splitlines():
        if line.startswith("Traceback"):
            inside = True
        elif inside and line and not line.startswith((" ", "\t")):
            found.append(line)
            inside = False
    return found
