#!/usr/bin/env python
"""Django's command line; `python manage.py help` lists Durascope's own commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    from django.core.management import execute_from_command_line

    from dashboard.installation.usable import explained

    try:
        execute_from_command_line(sys.argv)
    except Exception as failure:
        if not (says := explained(failure)):
            raise
        sys.stderr.write(f"{says}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
