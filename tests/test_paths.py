"""Where the program finds itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from snakestudio.paths import own_program, scenes_dir


@pytest.mark.parametrize("name", ["snakestudio.py", "numpy.py", "tomllib.py"])
def test_a_process_beside_the_program_imports_nothing_from_the_folder_it_is_started_in(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("raise SystemExit('this is not part of the program')\n")
    check = [*own_program(), "check", str(scenes_dir() / "sidewinding.toml")]
    asked = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert asked.returncode == 0, asked.stderr
