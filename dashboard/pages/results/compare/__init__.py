"""Measured points of any experiments side by side; the address holds everything that is chosen."""
