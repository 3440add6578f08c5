"""Rewrite the tables in the documentation that are generated from declarations, after a declaration has changed."""

from __future__ import annotations

from pathlib import Path

from snakestudio.cli.conventions import with_conventions
from snakestudio.gym.documentation import with_environments
from snakestudio.link.profile.schema import Profile
from snakestudio.model.documentation import with_keys
from snakestudio.plausibility.documentation import with_checks
from snakestudio.study.description import StudyFields

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {"robot-profile": Profile, "study-file": StudyFields}


def main() -> None:
    """Write the pages."""
    for name, root in PAGES.items():
        path = DOCS / f"{name}.md"
        path.write_text(with_keys(path.read_text(encoding="utf-8"), root), encoding="utf-8")
    path = DOCS / "cli.md"
    path.write_text(with_conventions(path.read_text(encoding="utf-8")), encoding="utf-8")
    path = DOCS / "environments.md"
    path.write_text(with_environments(path.read_text(encoding="utf-8")), encoding="utf-8")
    path = DOCS / "plausibility.md"
    path.write_text(with_checks(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
