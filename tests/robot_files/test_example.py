"""The page on exported models: in MuJoCo its example moves the robot as this program does."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.paths import docs_dir, scenes_dir


def test_example_of_the_page_moves_like_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # 0.15 m in 3 s; contacts differ, so the robots are a little apart.
    page = (docs_dir() / "export-model.md").read_text(encoding="utf-8")
    page = page[page.index("## Run the exported model") :]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenes").symlink_to(scenes_dir())
    for line in re.findall(r"^snakestudio (.*)$", page, re.MULTILINE):
        assert main(shlex.split(line)) == 0
    capsys.readouterr()
    (example,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    exec(compile(example, "export-model.md", "exec"), {})
    reached = np.array(
        [float(number) for number in re.findall(r"-?\d+\.\d+", capsys.readouterr().out)]
    )
    with open("sidewinding.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    first, last = (
        np.array([float(row[f"link_6_{axis}_m"]) for axis in "xyz"]) for row in (rows[0], rows[-1])
    )
    assert np.linalg.norm(last - first) > 0.15
    assert np.linalg.norm(reached - last) < 0.03
