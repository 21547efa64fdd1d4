"""Crash points: one load is recorded, then each content that a crash could have left is recovered and judged."""
