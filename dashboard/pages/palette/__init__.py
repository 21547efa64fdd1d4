"""Where a person may go: the entries of the navigation and of the command palette, and what the palette finds."""
