"""The command `durascope`: manage.py of the tree that the package carries.

The tree stays a folder of its own instead of packages of site-packages, because `dashboard` and `workers` are names
that other projects use too.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

TREE = Path(__file__).parent / "tree"
HELP = """Durascope: is a commit on this MySQL or MariaDB server safe, and what does that safety cost?

  durascope programs       name the programs that this machine lacks; --install: install them (Debian, Ubuntu)
{verbs}
  durascope VERB --help    the options of a verb
  durascope --version

Data: {home} (DURASCOPE_HOME). Where a page or a document says `manage.py VERB`, type `durascope VERB`.
"""


def main() -> None:
    os.environ["DURASCOPE_HOME"] = os.environ.get("DURASCOPE_HOME") or str(default_home())
    sys.path.insert(0, str(TREE))
    asked = sys.argv[1:]
    if asked == ["--version"]:
        print(f"durascope {version('durascope')}")
    elif not asked or asked in (["help"], ["--help"], ["-h"]):
        print(help_text(), end="")
    elif asked[0] == "programs":
        sys.exit(programs(asked[1:]))
    else:
        sys.argv[0] = "durascope"  # usage texts name it
        import manage

        manage.main()


def default_home() -> Path:
    """Not beside the program: an upgrade replaces that folder."""
    given = os.environ.get("XDG_DATA_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".local/share") / "durascope"


def programs(options: Sequence[str]) -> int:
    """Status 2: programs are missing."""
    if options not in ([], ["--install"]):
        print("Use: durascope programs, or durascope programs --install", file=sys.stderr)
        return 2
    script = 'source "$1"; install_packages "$(missing "$RUNNING_NEEDS")"'
    environment = {**os.environ, "DURASCOPE_INSTALL": "yes" if options else "no"}
    argv = ["bash", "-euo", "pipefail", "-c", script, "bash", str(TREE / "scripts/programs.sh")]
    return subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, check=False).returncode


def help_text() -> str:
    import django
    from django.core.management import get_commands, load_command_class

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    ours = sorted(name for name, app in get_commands().items() if str(app).startswith("dashboard."))
    helps = {name: load_command_class("dashboard.commands", name).help for name in ours}
    verbs = [f"  durascope {name:<14} {text.partition('. ')[0].rstrip('.')}" for name, text in helps.items()]
    verbs.append(f"  durascope {'migrate':<14} Makes or upgrades the database")
    return HELP.format(verbs="\n".join(verbs), home=os.environ["DURASCOPE_HOME"])


if __name__ == "__main__":
    main()
