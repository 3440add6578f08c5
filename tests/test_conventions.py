"""Exit codes and environment variables are declared once, and the page of the command line shows them."""

from __future__ import annotations

import re

from snakestudio.cli.conventions import ENVIRONMENT_VARIABLES, with_conventions
from snakestudio.paths import docs_dir
from tests.conftest import ROOT


def test_command_line_page_has_declared_tables() -> None:
    page = (docs_dir() / "cli.md").read_text(encoding="utf-8")
    assert with_conventions(page) == page, "run: python packaging/document_keys.py"


def test_every_environment_variable_of_the_program_is_declared() -> None:
    named = {
        name
        for path in (ROOT / "snakestudio").rglob("*.py")
        for name in re.findall(r'"(SNAKESTUDIO_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }
    assert "SNAKESTUDIO_CACHE_DIR" in named
    assert named == {name for name in ENVIRONMENT_VARIABLES if name.startswith("SNAKESTUDIO_")}
