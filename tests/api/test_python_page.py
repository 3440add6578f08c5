"""The code of `docs/python.md` runs unchanged, and type checkers accept the code of all pages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.paths import docs_dir, scenes_dir


def python_blocks(page: str) -> list[str]:
    text = (docs_dir() / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


BLOCKS = python_blocks("python")
OTHER_PAGES = (
    "continue-a-run",
    "python/index",
    "video",
    "tutorials/figure-for-a-paper",
    "tutorials/first-run",
    "tutorials/first-scene",
    "tutorials/first-study",
    "tutorials/fit-friction",
)
"""Pages whose blocks form one script each."""


def test_quick_start_runs_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (source,) = python_blocks("python/index")
    exec(compile(source, "python/index.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert (tmp_path / "run.csv").is_file()


def test_examples_of_the_page_run_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(scenes_dir(), tmp_path / "scenes")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    assert len(BLOCKS) == 7
    with mpl.rc_context({"backend": "agg"}):
        for number, block in enumerate(BLOCKS):
            exec(compile(block, f"python.md, block {number + 1}", "exec"), namespace)
            if number == 0:
                assert float(namespace["heading"]) == pytest.approx(
                    float(namespace["target"]), abs=0.5
                )
        mpl.pyplot.close("all")
    assert ss.load_run(tmp_path / "steps.mcap")["time_s"][-1] == pytest.approx(0.2, abs=0.02)


def test_closed_loop_turns_the_robot_with_either_end_as_head(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = "scenes/lagrangian_undulation.toml"
    assert file in BLOCKS[0]
    scene = with_values(
        ss.load_scene(scenes_dir().parent / file),
        # The same robot, numbered from the other end: its x axes point backward.
        {"robot.head": "first", "gait.phase_shift_deg": -40.0, "start.heading_deg": 180.0},
    )
    ss.save_scene(scene, tmp_path / "first.toml")
    exec(BLOCKS[0].replace(file, (tmp_path / "first.toml").as_posix()), {})
    heading = re.search(r"heading (-?\d+)°", capsys.readouterr().out)
    assert heading is not None
    assert float(heading[1]) == pytest.approx(60.0, abs=30.0)


def test_pyright_accepts_the_examples(tmp_path: Path) -> None:
    for page in ("python", *OTHER_PAGES):
        script = tmp_path / f"{page.replace('/', '_').replace('-', '_')}.py"
        script.write_text("\n".join(python_blocks(page)), encoding="utf-8")
    settings = {"typeCheckingMode": "standard", "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [
        str(Path(sys.executable).with_name("basedpyright")),
        "--outputjson",
        "--pythonpath",
        sys.executable,
    ]
    done = subprocess.run(
        [*command, "-p", str(tmp_path)], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 1 + len(OTHER_PAGES)
    assert [
        f"{Path(entry['file']).name}:{entry['range']['start']['line'] + 1}: {entry['message']}"
        for entry in report["generalDiagnostics"]
    ] == []
