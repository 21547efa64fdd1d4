"""What measures (see docs/architecture.md)."""
