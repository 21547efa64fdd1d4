"""Backup and restore of an installation: database, keys of stored passwords, own recipes."""
