"""Encodings and numbers of robot files."""

from __future__ import annotations

import codecs
from pathlib import Path

import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.errors import RobotFileError, SceneError
from snakestudio.inputs import InputError
from snakestudio.model.obstacles.svg_file import circles_of_svg
from snakestudio.robot_files.elements import vector_of
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.meshes import read_triangles
from tests.robot_files.mjcf_files import chain
from tests.robot_files.robots import urdf_modules

CHINESE = {
    "gb2312": "蛇形机器人",
    "gb18030": "蛇形機器人",
    "big5": "蛇形機器人",
    "gbk": "蛇形機器人",
}
NAMES = {
    **CHINESE,
    "shift_jis": "ヘビ",
    "euc-kr": "뱀",
    "euc-jp": "ヘビ",
    "utf8": "Schlängel",
    "UTF-8": "Schlängel",
    "utf_8": "Schlängel",
    "iso-8859-1": "Schlängel",
    "windows-1252": "Schlängel – 1",
    "utf-16": "蛇",
    "koi8-r": "змея",
}


def written(folder: Path, name: str, encoding: str, codec: str = "") -> Path:
    text = urdf_modules(3).replace('<robot name="modules">', f'<robot name="{name}">')
    text = text.replace("joint_1", name)
    path = folder / "robot.urdf"
    path.write_bytes(
        f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'.encode(codec or encoding)
    )
    return path


@pytest.mark.parametrize("encoding", list(NAMES))
def test_every_encoding_of_python_is_read(encoding: str, tmp_path: Path) -> None:
    robot = load_robot(written(tmp_path, NAMES[encoding], encoding))
    assert robot.axes[0].name == NAMES[encoding]


@pytest.mark.parametrize(
    ("declared", "codec"),
    [
        ("gb2312", "gb18030"),  # programs call their superset so
        ("us-ascii", "utf-8"),
        ("utf-16", "utf-8"),  # text that was converted after it was written
        ("gb2312", "utf-8-sig"),
        ("utf-8", "utf-16"),
    ],
)
def test_wrong_declarations_of_readable_text_are_read(
    declared: str, codec: str, tmp_path: Path
) -> None:
    robot = load_robot(written(tmp_path, "蛇形機器人", declared, codec))
    assert robot.axes[0].name == "蛇形機器人"


@pytest.mark.parametrize("encoding", ["unicode", "zlib", "rot13", "undefined", "x-none", "hex"])
def test_unknown_encodings_are_refused_in_a_sentence(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "snake", encoding, "utf-8")
    with pytest.raises(RobotFileError, match="UTF-8"):
        load_robot(path)
    assert main(["import-robot", str(path), "-o", str(tmp_path / "out.toml")]) == 2
    assert f'"{encoding}"' in capsys.readouterr().err


@pytest.mark.parametrize(("declared", "codec"), [("utf-8", "gb18030"), ("euc-kr", "utf-16-le")])
def test_undecodable_text_is_refused(declared: str, codec: str, tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="{declared}"?>'.encode() + "<robot名/>".encode(codec)
    path = tmp_path / "robot.urdf"
    path.write_bytes(text)
    with pytest.raises(RobotFileError, match=r"UTF-8|valid XML"):
        load_robot(path)


def test_text_without_declaration_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    text = urdf_modules(3).replace("joint_1", "蛇")
    for data in (text.encode(), codecs.BOM_UTF8 + text.encode(), text.encode("utf-16-le")):
        path.write_bytes(data if data[1] else '<?xml version="1.0"?>'.encode("utf-16-le") + data)
        assert load_robot(path).axes[0].name == "蛇"
    path.write_bytes(text.encode("gb18030"))
    with pytest.raises(RobotFileError, match="UTF-8"):
        load_robot(path)


def test_included_files_can_have_other_encodings(tmp_path: Path) -> None:
    part = '<?xml version="1.0" encoding="gb2312"?><mujoco><actuator><motor joint="蛇"/></actuator></mujoco>'
    (tmp_path / "motors.xml").write_bytes(part.encode("gb2312"))
    path = tmp_path / "robot.xml"
    text = chain(tail='<include file="motors.xml"/>').replace('"j1"', '"蛇"')
    path.write_text(text, encoding="utf-8")
    assert load_robot(path).axes[0].driven


def test_drawings_have_any_encoding() -> None:
    drawing = '<?xml version="1.0" encoding="{}"?><svg xmlns="http://www.w3.org/2000/svg"><circle id="柱" r="2"/></svg>'
    assert len(circles_of_svg(drawing.format("gb2312").encode("gb2312"), "a.svg").circles) == 1
    with pytest.raises((SceneError, InputError), match="UTF-8"):
        circles_of_svg(drawing.format("unicode").encode(), "a.svg")


@pytest.mark.parametrize(
    "text", ["0_2", "1_000", "0x10", "１２", "1,5", "1e", "", "1 2_3", "--1", "1d3"]
)
def test_other_texts_than_numbers_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        vector_of(text, (1, 2), "mass")
    path = tmp_path / "robot.urdf"
    path.write_text(urdf_modules(3).replace('mass value="0.5"', f'mass value="{text}"'))
    with pytest.raises(RobotFileError):
        load_robot(path)


@pytest.mark.parametrize("text", ["0.2", "+.2", "2.e-1", "2E-1", "000.2"])
def test_usual_notations_of_numbers_are_read(text: str) -> None:
    np.testing.assert_allclose(vector_of(text, 1, "mass"), [0.2])


@pytest.mark.parametrize("text", ["inf", "-Infinity", "nan", "1e400", "1e16"])
def test_infinite_numbers_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="finite"):
        vector_of(text, 1, "mass")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.obj", "v 0_0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0_3\n"),
        ("a.stl", "solid a\nfacet normal 0 0 1\nvertex 0_0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"),
        (
            "a.dae",
            '<COLLADA><source id="p"><float_array>0_0 0 0 1 0 0 0 1 0</float_array></source>'
            '<vertices><input semantic="POSITION" source="#p"/></vertices></COLLADA>',
        ),
        ("b.dae", '<COLLADA><unit meter="0_1"/></COLLADA>'),
    ],
)
def test_underscores_in_meshes_are_refused(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError):
        read_triangles(tmp_path / name)
