"""What measures (see docs/contributing/architecture.md)."""
