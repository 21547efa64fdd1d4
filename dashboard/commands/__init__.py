"""The commands of manage.py. Django finds them in a package of this name."""
