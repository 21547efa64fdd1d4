"""The markup of a page without the line breaks of its template, which say nothing to a browser."""

import re


def flat(markup: str) -> str:
    """One space where white space was, none inside a tag's end or between two tags."""
    return re.sub(r"\s*>\s*(?=<)", ">", re.sub(r" >", ">", re.sub(r"\s+", " ", markup)))
