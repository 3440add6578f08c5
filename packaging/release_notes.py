"""Print the section of a version in the CHANGELOG, the notes of its release. Fails if there is none.

`release_notes.py [VERSION]`; the default is the current version.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version() -> str:
    """Return the version from its only declaration."""
    match = re.search(
        r'^__version__ = "(.+)"$',
        (ROOT / "snakestudio" / "_version.py").read_text("utf-8"),
        re.MULTILINE,
    )
    if match is None:
        raise ValueError("snakestudio/_version.py states no __version__")
    return match[1]


def section(changelog: str, version: str) -> str:
    """Return the text under the heading of a version, without the heading.

    Raises
    ------
    LookupError
        If there is no such heading, or no text under it.
    """
    parts = re.split(r"^## +(.+)$", changelog, flags=re.MULTILINE)
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        if title.split()[0] == version:
            if not text.strip():
                raise LookupError(
                    f"CHANGELOG.md has no entries under {title!r}. List the changes there."
                )
            return text.strip() + "\n"
    raise LookupError(f"CHANGELOG.md has no section '## {version}'. Add it and list the changes.")


def main() -> int:
    """Print the section. Return 2 if there is none."""
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
