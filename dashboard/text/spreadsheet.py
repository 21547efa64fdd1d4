"""Values in a CSV file."""


def plain(value: object) -> object:
    """Quote a text that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
