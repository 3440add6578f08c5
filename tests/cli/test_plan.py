"""`snakestudio plan`: its file, and one message for every mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.paths import scenes_dir

MAIN = str(scenes_dir() / "obstacle_aided.toml")


def test_plan_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wide = tmp_path / "new" / "a.svg"
    narrow = tmp_path / "b.svg"
    assert main(["plan", MAIN, str(wide), "--names", "--set", "title=Another title"]) == 0
    assert main(["plan", MAIN, str(narrow), "--width-mm", "90"]) == 0
    output = capsys.readouterr()
    assert output.out == f"wrote {wide}\nwrote {narrow}\n"
    assert output.err == ""
    texts = [path.read_text(encoding="utf-8") for path in (wide, narrow)]
    assert "Another title" in texts[0]
    assert 'id="name-1"' in texts[0]
    assert 'id="name-1"' not in texts[1]
    widths = [float(text.partition('width="')[2].partition("pt")[0]) / 72 * 25.4 for text in texts]
    assert widths == pytest.approx([180.0, 90.0], abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "piece"),
    [
        (["plan"], "SCENE, FILE"),
        (["plan", MAIN], "FILE"),
        (["plan", MAIN, "a.gif"], ".pdf, .svg, .png"),
        (["plan", MAIN, "a.svg", "--width-mm", "0"], "from 50 to 2000 mm"),
        (["plan", MAIN, "a.svg", "--width-mm", "nan"], "from 50 to 2000 mm"),
        (["plan", MAIN, "a.svg", "--width-mm", "wide"], "--width-mm"),
        (["plan", MAIN, "a.svg", "--set", "start.nonsense=1"], "nonsense"),
        (["plan", "no/such.toml", "a.svg"], "no such file"),
        (["plan", MAIN, MAIN], "the scene itself"),
    ],
)
def test_mistake_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    piece: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(str(ended.code))
    output = capsys.readouterr()
    assert code == 2
    assert piece in output.err
    assert "Traceback" not in output.err
    assert list(tmp_path.iterdir()) == []


def test_help_imports_little() -> None:
    code = (
        "import sys\nfrom snakestudio.cli import main\n"
        "try: main(['plan', '--help'])\nexcept SystemExit as e: assert e.code == 0\n"
        "print({'numpy', 'numba', 'PySide6', 'pydantic', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--width-mm" in done.stdout
    assert done.stdout.endswith("set()\n")
