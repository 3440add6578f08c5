"""Write the tables of keys in docs/robot-profile.md anew, after the profile's schema has changed."""

from __future__ import annotations

from pathlib import Path

from snakestudio.link.profile.documentation import with_keys

PAGE = Path(__file__).resolve().parent.parent / "docs" / "robot-profile.md"


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_keys(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
