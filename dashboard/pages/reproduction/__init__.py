"""Every claim of the articles beside what this installation measured: a page and its files."""
