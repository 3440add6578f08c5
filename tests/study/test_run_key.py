"""Keys of runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from snakestudio.study import run_key


def test_measuring_code_is_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study must not reuse values of other code; the display of values may change."""
    package = tmp_path / "snakestudio"
    shutil.copytree(
        run_key._PACKAGE, package, ignore=lambda _, names: [n for n in names if n == "__pycache__"]
    )
    monkeypatch.setattr(run_key, "_PACKAGE", package)
    code_hash = run_key.code_hash.__wrapped__
    before = code_hash()
    assert before == run_key.code_hash()
    for name, counts in (
        ("gui/app.py", False),
        ("study/figure.py", False),
        ("study/goals.py", True),
        ("model/fields.py", True),
    ):
        with (package / name).open("a") as file:
            file.write("# something else\n")
        assert (code_hash() != before) == counts, name
        before = code_hash()
