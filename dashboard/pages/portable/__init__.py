"""Export and import of an experiment as one file; docs/portable.md describes its fields."""
