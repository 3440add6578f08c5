"""Tables of measurements as written by various programs, and invalid ones."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.analysis.experiment.importing import guess_layout, preview, read_capture
from snakestudio.analysis.experiment.layout import (
    BodyColumns,
    Layout,
    axes_matrix,
    layout_from_toml,
    layout_to_toml,
    load_layout,
    save_layout,
)
from snakestudio.errors import ExperimentError
from snakestudio.export.csv import write_csv
from snakestudio.inputs import MEASUREMENT
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.paths import resource
from tests.experiment_runs import LENGTH, N, make_run, track
from tests.wording import naming

TIME = np.arange(40) * 0.05
PLACE = track(TIME, 5)


def _table(path: Path, head: list[str], rows: list[list[str]], mark: str = ",") -> Path:
    path.write_text("\n".join([*head, *(mark.join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


def _rows(*, time: float = 1.0, length: float = 1.0, digits: int = 6) -> list[list[str]]:
    return [
        [f"{time * t:.{digits}f}", *(f"{length * value:.{digits}f}" for value in position)]
        for t, position in zip(TIME, PLACE, strict=True)
    ]


def test_plain_csv_with_units(tmp_path: Path) -> None:
    path = _table(
        tmp_path / "a.csv", ["Time [s],Head X [mm],Head Y [mm],Head Z [mm]"], _rows(length=1000.0)
    )
    capture = read_capture(path)
    assert capture.bodies == ("Head",)
    assert capture.links == (None,)
    np.testing.assert_allclose(capture.time, TIME, atol=1e-6)
    np.testing.assert_allclose(capture.position[:, 0], PLACE, atol=1e-8)
    assert capture.measured.all()
    assert capture.orientation is None
    assert len(capture.digest) == 64


def test_semicolons_with_decimal_commas_and_milliseconds(tmp_path: Path) -> None:
    rows = [[cell.replace(".", ",") for cell in row] for row in _rows(time=1000.0, length=100.0)]
    path = _table(tmp_path / "a.csv", ["Versuch 3", "Zeit;x (cm);y (cm);z (cm)"], rows, ";")
    layout = guess_layout(path)
    assert (layout.delimiter, layout.decimal, layout.header_rows, layout.time_unit) == (
        ";",
        ",",
        2,
        "ms",
    )
    capture = read_capture(path, layout)
    np.testing.assert_allclose(capture.time, TIME, atol=1e-9)
    np.testing.assert_allclose(capture.position[:, 0], PLACE, atol=1e-7)
    assert preview(path, layout, 3)[1] == ["Zeit", "x (cm)", "y (cm)", "z (cm)"]


def test_tabs_frames_and_a_rate_in_the_header(tmp_path: Path) -> None:
    rows = [[str(i + 7), *row[1:]] for i, row in enumerate(_rows())]
    path = _table(
        tmp_path / "a.tsv",
        ["Capture rate: 20 Hz", "Frame\tlink_6_x_m\tlink_6_y_m\tlink_6_z_m"],
        rows,
        "\t",
    )
    capture = read_capture(path)
    np.testing.assert_allclose(capture.time, TIME, atol=1e-9)
    assert capture.links == (5,)


def test_numbers_alone_in_millimetres_with_y_up(tmp_path: Path) -> None:
    # x forwards, y up, z to the right
    rows = [[t, x, z, f"{-float(y):.6f}"] for t, x, y, z in _rows(length=1000.0)]
    path = _table(tmp_path / "a.txt", [], rows, " ")
    layout = guess_layout(path)
    assert (layout.length_unit, layout.axes, layout.header_rows) == ("mm", "+x-z+y", 0)
    np.testing.assert_allclose(read_capture(path).position[:, 0], PLACE, atol=1e-8)


def test_rows_of_names_kinds_and_axes_are_read(tmp_path: Path) -> None:
    """As written by OptiTrack's Motive."""
    head = [
        "Format Version,1.23,Capture Frame Rate,20.000000,Length Units,Meters,Coordinate Space,Global",
        "",
        ",Type," + ",".join(["Rigid Body"] * 14),
        ",Name," + ",".join(["Link 1"] * 7 + ["Link 6"] * 7),
        ",ID," + ",".join(["1001"] * 7 + ["1002"] * 7),
        ",," + ",".join((["Rotation"] * 4 + ["Position"] * 3) * 2),
        "Frame,Time (Seconds)," + ",".join(["X", "Y", "Z", "W", "X", "Y", "Z"] * 2),
    ]
    rows = []
    for i, t in enumerate(TIME):
        row = [str(i), f"{t:.6f}"]
        for link in (0, 5):
            x, y, z = track(np.array([t]), link)[0]
            row += [f"{v:.6f}" for v in (0.0, math.sin(0.3), 0.0, math.cos(0.3), x, z, -y)]
        rows.append(row)
    capture = read_capture(_table(tmp_path / "take.csv", head, rows))
    assert capture.bodies == ("Link 1", "Link 6")
    assert capture.links == (0, 5)
    np.testing.assert_allclose(capture.position[:, 1], PLACE, atol=1e-6)
    np.testing.assert_allclose(capture.position[:, 0, 0] - PLACE[:, 0], 5 * LENGTH, atol=1e-6)
    assert capture.orientation is not None
    np.testing.assert_allclose(
        roll_pitch_yaw(capture.orientation[:, 1])[0], [0.0, 0.0, 0.6], atol=1e-6
    )


def test_heading_about_the_vertical_in_degrees(tmp_path: Path) -> None:
    rows = [[*row, f"{170.0 + i:.1f}"] for i, row in enumerate(_rows())]
    capture = read_capture(_table(tmp_path / "a.csv", ["t,x,y,z,heading_deg"], rows))
    assert capture.orientation is not None
    yaw = np.degrees(np.unwrap(roll_pitch_yaw(capture.orientation[:, 0])[:, 2]))
    np.testing.assert_allclose(yaw, 170.0 + np.arange(40), atol=1e-9)


def test_own_run_is_read(tmp_path: Path) -> None:
    run = make_run(1.0)
    write_csv(tmp_path / "run.csv", run)
    capture = read_capture(tmp_path / "run.csv")
    assert capture.links == (*range(N), -1)
    assert capture.joint_angle is not None
    assert capture.joint_angle.shape == (101, N - 1, 2)
    assert capture.orientation is not None
    turned = run.rows(0, 101).link_pose[:, :, 3:]
    np.testing.assert_allclose(capture.orientation[:, :N], turned, atol=1e-12)
    np.testing.assert_array_equal(capture.position[:, :N], run.rows(0, 101).link_pose[:, :, :3])
    np.testing.assert_allclose(
        capture.position[:, N], run.rows(0, 101).link_pose[:, :, :3].mean(axis=1), atol=1e-12
    )


def test_gaps_are_filled_or_reported(tmp_path: Path) -> None:
    rows = _rows()
    for i in (5, 6):
        rows[i][1:] = ["", "", ""]
    rows[9][1:] = ["NaN", "NaN", "NaN"]
    rows[12][1:] = ["0.0", "0", "0.000"]
    for i in range(20, 33):
        rows[i][1:] = ["", "", ""]
    capture = read_capture(_table(tmp_path / "a.csv", ["t,x,y,z"], rows))
    missing = [5, 6, 9, 12, *range(20, 33)]
    assert np.flatnonzero(~capture.measured[:, 0]).tolist() == missing
    assert np.flatnonzero(~capture.known[:, 0]).tolist() == list(range(20, 33))
    np.testing.assert_allclose(capture.position[[5, 6, 9, 12], 0], PLACE[[5, 6, 9, 12]], atol=1e-3)
    assert any("4 rows in 3 gaps (longest 0.15 s)" in note for note in capture.notes)
    assert any("0.95 to 1.65" in note for note in capture.notes)


def test_zero_can_be_a_position(tmp_path: Path) -> None:
    rows = _rows()
    rows[12][1:] = ["0", "0", "0"]
    path = _table(tmp_path / "a.csv", ["t,x,y,z"], rows)
    assert read_capture(path, replace(guess_layout(path), zero_is_missing=False)).measured.all()


def test_missing_frames_are_rows_without_positions(tmp_path: Path) -> None:
    rows = [row for i, row in enumerate(_rows()) if i not in (10, 11)]
    capture = read_capture(_table(tmp_path / "a.csv", ["t,x,y,z"], rows))
    np.testing.assert_allclose(capture.time, TIME, atol=1e-9)
    assert np.flatnonzero(~capture.measured[:, 0]).tolist() == [10, 11]
    assert naming("2 frames") in capture.notes


@pytest.mark.parametrize(("factor", "message"), [(1000.0, "millimetres"), (0.001, "metres")])
def test_wrong_units_are_suspected(tmp_path: Path, factor: float, message: str) -> None:
    path = _table(tmp_path / "a.csv", ["t_s,x_m,y_m,z_m"], _rows(length=factor, digits=9))
    assert any(message in note for note in read_capture(path).notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        ("t,x,y\n", "column holds"),
        ("t,x,y\n0,1,2\n0.1,1\n0.2,1,2\n0.3,1,2\n", "line 3: 2"),
        ("t,x,y\n0,1,2\n0.1,1,2\n0.2,huch,2\n", 'line 4: "huch"'),
        ("t,x,y\n0,05,1,234,0,5\n0,10,1,244,0,5\n0,15,1,254,0,5\n", "seem"),
        ("t,x,y\n0,1,2\n0.1,1,2\n0.05,1,2\n0.2,1,2\n", "0.1 to 0.05 s"),
        ("x,y,z\n1,2,3\n1.1,2,3\n1.3,2.2,3\n", "time column"),
        ("frame,x,y\n1,1,2\n2,1,2\n3,1,2\n", "counted in frames"),
        ("t,x,y\n0,,\n0.1,,\n0.2,,\n", "No body"),
        ("nothing but words\nin two lines\n", "column holds"),
    ],
)
def test_unreadable_tables_are_reported(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ExperimentError) as caught:
        read_capture(path)
    assert message in str(caught.value)
    assert "bad.csv" in str(caught.value)


def test_binary_foreign_huge_and_absent_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(ExperimentError, match="binary file"):
        read_capture(path)
    with pytest.raises(ExperimentError, match=r"read from \.csv, \.tsv"):
        read_capture(tmp_path / "a.mat")
    with pytest.raises(ExperimentError, match="file"):
        read_capture(tmp_path / "none.csv")
    small = replace(MEASUREMENT, largest=100)
    monkeypatch.setattr("snakestudio.analysis.experiment.text_table.MEASUREMENT", small)
    with pytest.raises(ExperimentError, match=r"large.*measurement"):
        read_capture(path)


def test_file_truncated_in_its_last_line_is_read(tmp_path: Path) -> None:
    path = _table(tmp_path / "a.csv", ["t,x,y,z"], _rows())
    path.write_text(path.read_text(encoding="utf-8")[:-14], encoding="utf-8")
    capture = read_capture(path)
    assert len(capture.time) == 39
    assert naming("last line (41)") in capture.notes


def test_layouts_are_saved_as_files(tmp_path: Path) -> None:
    layout = Layout(
        delimiter=";",
        decimal=",",
        header_rows=3,
        time_column=None,
        rate_hz=20.0,
        length_unit="mm",
        axes="+x-z+y",
        bodies=(BodyColumns("Head", 1, 2, None, "vertical", (4,), 5), BodyColumns("Tail", 5, 6, 7)),
    )
    save_layout(tmp_path / "l.toml", layout)
    assert load_layout(tmp_path / "l.toml") == layout
    assert layout_from_toml(layout_to_toml(Layout())) == Layout()
    with pytest.raises(ExperimentError, match=r"delimeter.*known"):
        layout_from_toml('delimeter = ";"', "l")
    with pytest.raises(ExperimentError, match="l: rate_hz"):
        layout_from_toml('rate_hz = "fast"', "l")
    with pytest.raises(ExperimentError, match=r"valid.*TOML"):
        layout_from_toml("rate_hz = ", "l")


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (Layout(), "column holds"),
        (Layout(bodies=(BodyColumns("A", 1),)), "three columns"),
        (Layout(bodies=(BodyColumns("A", 1, 2, 3, "euler", (4,)),)), "needs 3 columns"),
        (Layout(axes="xyz", bodies=(BodyColumns("A", 1, 2),)), 'axes "xyz" are invalid'),
        (
            Layout(delimiter=",", decimal=",", bodies=(BodyColumns("A", 1, 2),)),
            "both delimiter",
        ),
        (Layout(rate_hz=-1.0, bodies=(BodyColumns("A", 1, 2),)), "must be positive"),
    ],
)
def test_invalid_layouts_are_refused(layout: Layout, message: str) -> None:
    assert any(message in problem for problem in layout.problems())


@given(st.permutations("xyz"), st.lists(st.sampled_from("+-"), min_size=3, max_size=3))
def test_axes_are_rotated_and_never_scaled(letters: list[str], signs: list[str]) -> None:
    matrix = axes_matrix(
        "".join(sign + letter for sign, letter in zip(signs, letters, strict=True))
    )
    np.testing.assert_array_equal(matrix @ matrix.T, np.eye(3))


@pytest.mark.parametrize(
    "path", sorted(resource("experiments").glob("*.csv")), ids=lambda path: path.stem
)
def test_bundled_experiments_describe_themselves(path: Path) -> None:
    assert path.stem.startswith("synthetic_")
    assert path.read_text(encoding="utf-8").startswith("# SYNTHETIC DATA")
    capture = read_capture(path)
    assert capture.links == (5,)
    assert abs(capture.rate - 20.0) < 1e-6
    assert not capture.measured.all()
