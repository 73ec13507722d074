"""`python -m delassus` is the command line: it runs the program that was installed with the package."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys


def program() -> str | None:
    """The program: $DELASSUS, that beside the package, beside the interpreter, or in PATH."""
    here = pathlib.Path(__file__).resolve().parent
    beside = [here.parent.parent / "delassus", *(parent / "bin/delassus" for parent in here.parents[:5]),
              pathlib.Path(sys.prefix) / "bin/delassus"]
    named = os.environ.get("DELASSUS")
    for path in [pathlib.Path(named)] if named else beside:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return shutil.which("delassus")


def main() -> None:
    path = program()
    if path is None:
        print("delassus: the program is not installed; DELASSUS names it where it is elsewhere", file=sys.stderr)
        raise SystemExit(2)
    os.execv(path, ["delassus", *sys.argv[1:]])


if __name__ == "__main__":
    main()
