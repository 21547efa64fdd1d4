"""Pages of channels and messages."""
