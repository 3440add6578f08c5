"""`snakestudio export-model`: its files, its output, and one message for every mistake."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

from snakestudio.cli import main
from snakestudio.paths import scenes_dir

SIDEWINDING = str(scenes_dir() / "sidewinding.toml")


def test_all_three_formats_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: tmp_path / "new" / f"robot.{name}" for name in ("mjcf", "urdf", "sdf")}
    options = [argument for name, file in files.items() for argument in (f"--{name}", str(file))]
    assert main(["export-model", SIDEWINDING, *options, "--set", "robot.n_links=7"]) == 0
    output = capsys.readouterr()
    for file in files.values():
        assert f"wrote {file}: 7 links, 12 joint axes\n" in output.out
    model = mujoco.MjModel.from_xml_path(str(files["mjcf"]))
    assert model.nbody == 8
    # What the format cannot represent is printed, and listed at the top of the file.
    text = files["urdf"].read_text(encoding="utf-8")
    notes = text[: text.index("-->")]
    assert "URDF" in notes
    assert "URDF" in output.out


def test_existing_file_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "robot.xml"
    file.write_text("old", encoding="utf-8")
    assert main(["export-model", SIDEWINDING, "--mjcf", str(file)]) == 0
    assert f"wrote {file}" in capsys.readouterr().out
    assert file.read_text(encoding="utf-8").startswith("<?xml")


def test_standard_output_has_the_file_only(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["export-model", SIDEWINDING, "--urdf", "-"]) == 0
    output = capfd.readouterr()
    assert output.out.startswith("<?xml")
    assert output.out.endswith("</robot>\n")
    assert "11 links, 20" in output.err


@pytest.mark.parametrize(
    ("arguments", "piece"),
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
def test_mistake_is_one_message_and_nothing_is_written(
    arguments: list[str],
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
        code = main(["export-model", *arguments])
    except SystemExit as ended:
        code = int(str(ended.code))
    output = capsys.readouterr()
    assert code == 2
    assert piece in output.err
    assert "Traceback" not in output.err
    assert sorted(tmp_path.iterdir()) == before
