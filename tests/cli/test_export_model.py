"""`snakestudio export-model`: the files it writes, what it says of them, and one message for every mistake."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

from snakestudio.cli import main
from snakestudio.paths import scenes_dir

SIDEWINDING = str(scenes_dir() / "sidewinding.toml")


def test_all_three_formats_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: tmp_path / "new" / f"robot.{name}" for name in ("mjcf", "urdf", "sdf")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    assert main(["export-model", SIDEWINDING, *options, "--set", "robot.n_links=7"]) == 0
    shown = capsys.readouterr()
    for file in files.values():
        assert f"wrote {file}: 7 links, 12 joint axes\n" in shown.out
    model = mujoco.MjModel.from_xml_path(str(files["mjcf"]))
    assert model.nbody == 8
    # What does not carry over is printed, and stands at the top of the file.
    text = files["urdf"].read_text(encoding="utf-8")
    notes = text[: text.index("-->")]
    assert "URDF" in notes
    assert "URDF" in shown.out


def test_a_file_that_exists_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "robot.xml"
    file.write_text("old", encoding="utf-8")
    assert main(["export-model", SIDEWINDING, "--mjcf", str(file)]) == 0
    assert f"wrote {file}" in capsys.readouterr().out
    assert file.read_text(encoding="utf-8").startswith("<?xml")


def test_the_file_alone_goes_to_the_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["export-model", SIDEWINDING, "--urdf", "-"]) == 0
    shown = capfd.readouterr()
    assert shown.out.startswith("<?xml")
    assert shown.out.endswith("</robot>\n")
    assert "11 links, 20" in shown.err


@pytest.mark.parametrize(
    ("words", "piece"),
    [
        ([SIDEWINDING], "No format"),
        ([SIDEWINDING, "--mjcf"], "--mjcf"),
        ([SIDEWINDING, "--mjcf", SIDEWINDING], "the scene itself"),
        ([SIDEWINDING, "--mjcf", "a.xml", "--urdf", "a.xml"], "two outputs"),
        ([SIDEWINDING, "--mjcf", "a.xml", "--set", "robot.nonsense=1"], "nonsense"),
        (["missing.toml", "--sdf", "a.sdf"], "no such file"),
        (["broken.toml", "--sdf", "a.sdf"], "robot.n_links"),
        (
            [str(scenes_dir() / "worm.toml"), "--mjcf", "a.xml"],
            "continuous body",
        ),
        ([SIDEWINDING, "--mjcf", "a.xml", "--set", "robot.n_links=600"], "at most 496 links"),
        ([SIDEWINDING, "--mjcf", "broken.toml/a.xml"], "cannot be written"),
        (["picture.toml", "--mjcf", "a.xml"], "missing.png"),
    ],
)
def test_a_mistake_is_one_message_and_nothing_is_written(
    words: list[str],
    piece: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.toml").write_text("format = 1\n[robot]\nn_links = 0\n", encoding="utf-8")
    field = 'format = 1\n[model]\nkind = "spatial_nonsmooth"\n[[obstacles]]\nkind = "height_field"\nx_m = 0\ny_m = 0\n'
    Path("picture.toml").write_text(f'{field}picture = "missing.png"\n', encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    try:
        code = main(["export-model", *words])
    except SystemExit as ended:
        code = int(str(ended.code))
    shown = capsys.readouterr()
    assert code == 2
    assert piece in shown.err
    assert "Traceback" not in shown.err
    assert sorted(tmp_path.iterdir()) == before
