"""Durascope as an installed package. Its program is the tree in this folder, the same as in a clone."""
