"""The process that reads one file: `python -m dashboard.portable.child WHO`, with the file as standard input. It prints
one line of JSON: {"experiment", "is_new"} or {"refused": [message, fix]}."""

import contextlib
import json
import logging
import os
import sys

import django

from workers.host import limits

MEMORY_BYTES = 1 << 30  # beside the program itself; the largest possible experiment needs a third
CPU_S = 300
WALL_S = 600
NICE = 10  # pages come first


def main(who: str) -> dict[str, object]:
    from django.contrib.auth.models import User

    from dashboard.portable.actions import import_file
    from dashboard.portable.refused import REPORT, NotImported

    asked = json.loads(who)
    user = User.objects.select_related("person").get(pk=asked["user"]) if asked["user"] else None
    if user and asked["via"]:
        user.via = asked["via"]  # type: ignore[attr-defined]  # shown in the audit log beside the name
    keep_limits()
    try:
        imported = import_file(user, sys.stdin.buffer)
    except NotImported as wrong:
        refused = wrong
    except MemoryError:
        what = f"Reading it takes more than {MEMORY_BYTES >> 20} MiB of memory"
        refused = NotImported(what, "Export fewer measurements in one experiment.")
    except Exception as fault:  # an error of Durascope, not of the file
        logging.getLogger(__name__).exception("an import that failed")
        refused = NotImported(f"Reading it failed with an unexpected error ({type(fault).__name__})", REPORT)
    else:
        return {"experiment": imported.experiment.pk, "is_new": imported.is_new}
    return {"refused": [refused.message, refused.fix]}


def keep_limits() -> None:
    limits.keep_limits(MEMORY_BYTES, CPU_S)
    with contextlib.suppress(PermissionError):  # the service's system-call filter leaves the priority as it is
        os.nice(NICE)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    print(json.dumps(main(sys.argv[1])))
