"""Every claim of the articles beside what this installation measured: a page, its files, and docs/reproduction.md."""
