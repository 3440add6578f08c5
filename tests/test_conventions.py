"""Exit codes and environment variables are declared once, and the page of the command line shows them."""

from __future__ import annotations

import re

from snakestudio.cli.conventions import ENVIRONMENT_VARIABLES, with_conventions
from snakestudio.paths import docs_dir
from tests.conftest import ROOT


def test_command_line_page_has_declared_tables() -> None:
    page = (docs_dir() / "cli.md").read_text(encoding="utf-8")
    assert with_conventions(page) == page, "run: python packaging/document_keys.py"


def test_files_are_looked_up_without_exceptions() -> None:
    # `Path.is_file` raises for a drive that is gone or a folder of another user; `os.path.isfile` does not.
    compiled = ("engines", "kernels")  # they only look up files of the program and of a scene
    lookups = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in (ROOT / "snakestudio").rglob("*.py")
        if path.relative_to(ROOT / "snakestudio").parts[0] not in compiled
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\.(is_file|is_dir|exists)\(\)", line)
    ]
    assert lookups == []


def test_every_environment_variable_of_the_program_is_declared() -> None:
    named = {
        name
        for path in (ROOT / "snakestudio").rglob("*.py")
        for name in re.findall(r'"(SNAKESTUDIO_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }
    assert "SNAKESTUDIO_CACHE_DIR" in named
    assert named == {name for name in ENVIRONMENT_VARIABLES if name.startswith("SNAKESTUDIO_")}
