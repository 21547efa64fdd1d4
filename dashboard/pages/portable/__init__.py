"""An experiment as one file, out and in: docs/portable.md says what is in it, field by field."""
