"""Prints what the CHANGELOG says of a version: the notes of its release. Fails where it says nothing.

`release_notes.py [VERSION]`; without VERSION it is the present one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version() -> str:
    """The version, from the one place where it stands."""
    found = re.search(
        r'^__version__ = "(.+)"$',
        (ROOT / "snakestudio" / "_version.py").read_text("utf-8"),
        re.MULTILINE,
    )
    if found is None:
        raise ValueError("snakestudio/_version.py states no __version__")
    return found[1]


def section(changelog: str, wanted: str) -> str:
    """What stands under the heading of a version, without it.

    Raises
    ------
    LookupError
        If there is no such heading, or nothing under it.
    """
    parts = re.split(r"^## +(.+)$", changelog, flags=re.MULTILINE)
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        if title.split()[0] == wanted:
            if not text.strip():
                raise LookupError(f"CHANGELOG.md says nothing under {title!r}; write what is new.")
            return text.strip() + "\n"
    raise LookupError(f"CHANGELOG.md has no section '## {wanted}'; write what is new.")


def main() -> int:
    """Print the section; 2 if there is none."""
    try:
        notes = section(
            (ROOT / "CHANGELOG.md").read_text("utf-8"),
            sys.argv[1] if len(sys.argv) > 1 else version(),
        )
    except LookupError as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
