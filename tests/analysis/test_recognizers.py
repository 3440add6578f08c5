"""Measurement files of other programs: read correctly with ignored parts listed, or with questions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.analysis.experiment.importing import guess_layout, read_capture
from snakestudio.analysis.experiment.layout import layout_from_toml, layout_to_toml
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import Capture
from snakestudio.model.rotations import roll_pitch_yaw
from tests.measured_files import (
    NAMES,
    TIME,
    marker,
    motive,
    numbers,
    position,
    qualisys,
    quaternion,
    rigid_body,
    save,
    trc,
    vicon_section,
    yaw,
)


def check(
    capture: Capture, names: tuple[str, ...] = NAMES, *, oriented: bool = False, plane: bool = False
) -> None:
    """Check that a capture contains the known tracks under these names."""
    assert capture.bodies == names
    assert capture.links == tuple(
        int(n[5:]) - 1 if n.startswith("link ") and n[5:].isdigit() else None for n in names
    )
    assert len(capture.time) == len(TIME)
    assert capture.duration == pytest.approx(1.19, abs=1e-9)
    axes = slice(0, 2 if plane else 3)
    for body in range(len(names)):
        np.testing.assert_allclose(
            capture.position[:, body, axes], position(body)[:, axes], atol=2e-6
        )
        if oriented:
            assert capture.orientation is not None
            angles = roll_pitch_yaw(capture.orientation[:, body])
            np.testing.assert_allclose(
                angles, np.tile([0.0, 0.0, yaw(body)], (len(TIME), 1)), atol=1e-5
            )
    assert capture.measured.all()
    if not oriented:
        assert capture.orientation is None


def ignored(capture: Capture) -> str:
    """Parts of the file listed as ignored."""
    assert capture.recognition is not None
    return "; ".join(map(str, capture.recognition.ignored))


def question(path: Path) -> str:
    """Questions about an ambiguous file."""
    with pytest.raises(ExperimentError) as caught:
        read_capture(path)
    assert path.name in str(caught.value)
    return str(caught.value)


# --- OptiTrack Motive -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "errors",
    [
        (),
        ("Mean Marker Error",),
        ("Mean Marker Error", "Marker Quality"),
        ("Error Per Marker",) * 4,
    ],
    ids=["none", "error", "quality", "per marker"],
)
@pytest.mark.parametrize(
    ("version", "parent"), [("1.22", False), ("1.23", False), ("1.24", False), ("1.25", True)]
)
def test_motive_rigid_bodies_are_read_among_other_data(
    tmp_path: Path, errors: tuple[str, ...], version: str, parent: bool
) -> None:
    bodies = [rigid_body(b, errors=errors) for b in range(3)]
    capture = read_capture(motive(tmp_path / "a.csv", bodies, version=version, parent=parent))
    check(capture, oriented=True)
    recognition = capture.recognition
    assert recognition is not None
    assert recognition.file_type == f"OptiTrack Motive CSV, format {version}"
    assert {body.kind for body in recognition.bodies} == {"rigid body"}
    assert (recognition.length_unit, recognition.up, recognition.frames) == ("m", "y", 120)
    assert recognition.rate_hz == pytest.approx(100.0)
    for error in errors:
        assert error in ignored(capture)
        assert any(error in note for note in capture.notes)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_motive_number_of_bodies_does_not_matter(tmp_path: Path, n: int) -> None:
    names = tuple(f"link {b + 1}" for b in range(n))
    blocks = [rigid_body(b, name=name) for b, name in enumerate(names)]
    check(read_capture(motive(tmp_path / "a.csv", blocks)), names, oriented=True)


@pytest.mark.parametrize(
    "leading",
    [("Frame", "Time (Seconds)", "TimeCode"), ("Frame",), ("Time (Seconds)",), ()],
    ids=str,
)
def test_motive_times_come_from_available_columns(tmp_path: Path, leading: tuple[str, ...]) -> None:
    path = motive(tmp_path / "a.csv", [rigid_body(b) for b in range(3)], leading=leading)
    check(read_capture(path), oriented=True)


def test_motive_take_cut_from_a_long_one_keeps_its_times(tmp_path: Path) -> None:
    capture = read_capture(
        motive(tmp_path / "a.csv", [rigid_body(b) for b in range(3)], first=72_200)
    )
    check(capture, oriented=True)
    assert capture.time[0] == pytest.approx(722.0)


@pytest.mark.parametrize(
    "names",
    [NAMES, ("A1", "B2", "C3"), ("Snake:head", "Snake:middle", "Snake:tail"), ("12", "13", "14")],
    ids=str,
)
def test_motive_marker_names_come_from_the_row_of_names(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    blocks = [marker(b, name, quality=b == 1) for b, name in enumerate(names)]
    capture = read_capture(motive(tmp_path / "a.csv", blocks, version="1.25", parent=True))
    check(capture, names)
    assert "Marker Quality" in ignored(capture)
    assert {body.kind for body in capture.recognition.bodies} == {"marker"}  # type: ignore[union-attr]


def test_motive_body_and_unlabeled_markers_are_ignored(
    tmp_path: Path,
) -> None:
    blocks = []
    for b in range(3):
        blocks += [
            rigid_body(b),
            *(
                marker(b, f"{NAMES[b]}:Marker {m}", "Rigid Body Marker", 0.01 * m, quality=True)
                for m in (1, 2)
            ),
            marker(b, f"{NAMES[b]}:Marker 1", shift=0.01),
        ]
    blocks.append(marker(0, "Unlabeled 1234", shift=2.0))
    capture = read_capture(motive(tmp_path / "a.csv", blocks))
    check(capture, oriented=True)
    assert "rigid body marker link 1:Marker 1" in ignored(capture)
    assert "marker Unlabeled 1234" in ignored(capture)


def test_motive_loose_markers_and_bones_are_bodies(tmp_path: Path) -> None:
    blocks = [rigid_body(0), marker(1, "peg"), marker(2, "Skeleton:Hip", "Bone")]
    capture = read_capture(motive(tmp_path / "a.csv", blocks))
    assert capture.bodies == ("link 1", "peg", "Skeleton:Hip")
    assert [body.kind for body in capture.recognition.bodies] == ["rigid body", "marker", "bone"]  # type: ignore[union-attr]
    np.testing.assert_allclose(capture.position[:, 2], position(2), atol=2e-6)


@pytest.mark.parametrize("rotation", ["XYZ", "Euler XYZ", "ZYX", "YZX"])
def test_motive_euler_angles_are_in_degrees(tmp_path: Path, rotation: str) -> None:
    blocks = [rigid_body(b, euler=rotation) for b in range(3)]
    check(
        read_capture(motive(tmp_path / "a.csv", blocks, about={"Rotation Type": rotation})),
        oriented=True,
    )


def test_motive_euler_order_is_that_of_its_letters(tmp_path: Path) -> None:
    kind, name, identity, columns, cells = rigid_body(0, euler="XYZ", errors=())
    block = (kind, name, identity, columns, lambda row: ["90.0", "0.0", "30.0", *cells(row)[3:]])
    capture = read_capture(motive(tmp_path / "a.csv", [block], about={"Rotation Type": "XYZ"}))
    assert capture.orientation is not None
    # R_x(90°) R_z(30°) where y is up; where z is up, the file's z axis points along -y.
    expected = _product(
        _about((1, 0, 0), math.radians(90.0)), _about((0, -1, 0), math.radians(30.0))
    )
    assert abs(expected @ capture.orientation[0, 0]) == pytest.approx(1.0, abs=1e-9)


def _about(axis: tuple[int, int, int], angle: float) -> NDArray[np.float64]:
    return np.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) * part for part in axis)])


def _product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array(
        [a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))]
    )


def test_motive_millimetres_of_a_z_up_export_are_read(tmp_path: Path) -> None:
    blocks = []
    for b in range(3):
        coordinates = 1000.0 * position(b)
        columns = [("Position", axis) for axis in "XYZ"]
        blocks.append(
            (
                "Marker",
                NAMES[b],
                str(b),
                columns,
                lambda row, coordinates=coordinates: numbers(coordinates[row]),
            )
        )
    capture = read_capture(
        motive(tmp_path / "a.csv", blocks, about={"Length Units": "Millimeters"})
    )
    check(capture)
    assert any("read" in note for note in capture.notes)


def test_motive_straight_track_with_y_up_keeps_its_axis(tmp_path: Path) -> None:
    """A robot that creeps along x moves least sideways: the axis of the program is used."""
    columns = [("Position", axis) for axis in "XYZ"]

    def cells(row: int) -> list[str]:
        return numbers([0.1 * TIME[row], 0.05 + 0.001 * math.sin(row), 0.0003 * math.cos(row)])

    capture = read_capture(motive(tmp_path / "a.csv", [("Marker", "link 1", "1", columns, cells)]))
    assert np.ptp(capture.position[:, 0, 2]) == pytest.approx(0.002, abs=1e-4)


def test_motive_missing_cells_are_gaps(tmp_path: Path) -> None:
    kind, name, identity, columns, cells = rigid_body(1)
    blocks = [
        rigid_body(0),
        (
            kind,
            name,
            identity,
            columns,
            lambda row: [""] * len(columns) if 10 <= row < 14 else cells(row),
        ),
    ]
    capture = read_capture(motive(tmp_path / "a.csv", blocks))
    assert np.flatnonzero(~capture.measured[:, 1]).tolist() == [10, 11, 12, 13]
    body = capture.recognition.bodies[1]  # type: ignore[union-attr]
    assert (body.gaps, body.unseen) == (1, 4)


def test_motive_same_name_twice_is_two_bodies(tmp_path: Path) -> None:
    blocks = [rigid_body(0), rigid_body(1, name="link 1")]
    capture = read_capture(motive(tmp_path / "a.csv", blocks))
    assert capture.bodies == ("link 1", "link 1 (2)")
    np.testing.assert_allclose(capture.position[:, 1], position(1), atol=2e-6)
    assert any("same name" in note for note in capture.notes)


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (
            lambda t: t.replace("Length Units,Meters", "Length Units,Furlongs"),
            '"Furlongs"',
        ),
        (lambda t: t.replace(",Name,", ",Label,"), "no row Name"),
        (
            lambda t: t.replace("Position", "Something"),
            "bone",
        ),
        (
            lambda t: t.replace(
                "Frame,Time (Seconds),X,Y,Z,W,X,Y,Z", "Frame,Time (Seconds),X,Y,Z,W,X,Y,Y"
            ),
            "X, Y and Z",
        ),
        (
            lambda t: "\n".join(
                line + ",1.0" if line[:1].isdigit() else line for line in t.splitlines()
            ),
            "26 columns",
        ),
    ],
    ids=["unit", "names", "kinds", "axes", "columns"],
)
def test_motive_unknown_header_causes_a_question(
    tmp_path: Path, spoil: Callable[[str], str], text: str
) -> None:
    path = motive(tmp_path / "a.csv", [rigid_body(b) for b in range(3)])
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
    message = question(path)
    assert text in message
    assert "OptiTrack Motive CSV" in message


# --- Qualisys -------------------------------------------------------------------------------------


@pytest.mark.parametrize("leading", [False, True], ids=["", "leading"])
@pytest.mark.parametrize("header", [False, True], ids=["", "header"])
@pytest.mark.parametrize("comma", [False, True], ids=["", "comma"])
def test_qualisys_markers_are_read_with_or_without_times(
    tmp_path: Path, leading: bool, header: bool, comma: bool
) -> None:
    about = {"EVENT": "start\t1\t0.0", "TRAJECTORY_TYPES": "Measured\tMeasured\tMeasured"}
    path = qualisys(
        tmp_path / "a.tsv", leading=leading, header=header, comma=comma, about=about, tail="\t"
    )
    capture = read_capture(path)
    check(capture)
    assert capture.recognition is not None
    assert capture.recognition.file_type == "Qualisys TSV, 3D"


@pytest.mark.parametrize(("leading", "header"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("by_rows", [False, True])
def test_qualisys_bodies_have_the_matrix_orientation(
    tmp_path: Path, leading: bool, header: bool, by_rows: bool
) -> None:
    path = qualisys(
        tmp_path / "a.tsv", bodies=True, leading=leading, header=header, by_rows=by_rows
    )
    capture = read_capture(path)
    check(capture, oriented=True)
    assert "Residual" in ignored(capture)


def test_qualisys_unnamed_and_repeated_markers_are_kept(tmp_path: Path) -> None:
    capture = read_capture(qualisys(tmp_path / "a.tsv", names=("link 1", "", "link 1")))
    assert capture.bodies == ("link 1", "Marker 2", "link 1 (2)")
    np.testing.assert_allclose(capture.position[:, 2], position(2), atol=2e-6)


def test_qualisys_empty_and_zero_cells_are_gaps(tmp_path: Path) -> None:
    path = qualisys(tmp_path / "a.tsv", leading=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    for row in (50, 51):
        cells = lines[row].split("\t")
        lines[row] = "\t".join(
            [*cells[:5], *(["0.000"] * 3 if row == 50 else [""] * 3), *cells[8:]]
        )
    path.write_text("\n".join(lines), encoding="utf-8")
    capture = read_capture(path)
    assert np.count_nonzero(~capture.measured[:, 1]) == 2
    assert capture.measured[:, [0, 2]].all()


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ({"NO_OF_MARKERS": "4"}, "NO_OF_MARKERS is 4, but MARKER_NAMES lists 3 names"),
        ({"MARKER_NAMES": "link 1\tlink 2", "NO_OF_MARKERS": "2"}, "names 2 markers"),
        ({"FREQUENCY": "--"}, "no FREQUENCY"),
    ],
)
def test_qualisys_inconsistent_counts_cause_a_question(
    tmp_path: Path, about: dict[str, str], text: str
) -> None:
    assert text in question(qualisys(tmp_path / "a.tsv", about=about))


# --- Vicon ----------------------------------------------------------------------------------------


def test_vicon_trajectories_are_read_and_other_sections_listed(tmp_path: Path) -> None:
    devices = [
        ["Devices"],
        ["1000"],
        ["", "", "Plate - Force", "", ""],
        ["Frame", "Sub Frame", "Fx", "Fy", "Fz"],
    ]
    devices += [
        ["", "", "N", "N", "N"],
        *([str(i // 10 + 1), str(i % 10), "1", "2", "3"] for i in range(1200)),
    ]
    outputs = vicon_section("Model Outputs", ["Knee"], unit="deg")
    rows = [*devices, [], *vicon_section("Trajectories", NAMES), [], *outputs, []]
    capture = read_capture(save(tmp_path / "a.csv", rows))
    check(capture)
    assert "section Devices" in ignored(capture)
    assert "section Model Outputs" in ignored(capture)
    assert capture.recognition is not None
    assert {body.kind for body in capture.recognition.bodies} == {"trajectory"}


def test_vicon_subjects_stay_in_the_names_and_links_are_known(tmp_path: Path) -> None:
    names = tuple(f"Snake:{name}" for name in NAMES)
    capture = read_capture(
        save(tmp_path / "a.csv", vicon_section("Trajectories", names, first=301))
    )
    assert capture.bodies == names
    assert capture.links == (0, 1, 2)
    np.testing.assert_allclose(capture.position[:, 1], position(1), atol=2e-6)
    assert capture.duration == pytest.approx(1.19)


@pytest.mark.parametrize("pose", ["deg", "rad", "quaternion"])
@pytest.mark.parametrize("section", ["Objects", "Segments"])
def test_vicon_objects_have_orientation(tmp_path: Path, pose: str, section: str) -> None:
    capture = read_capture(save(tmp_path / "a.csv", vicon_section(section, NAMES, pose=pose)))
    check(capture, oriented=True)


def test_vicon_velocities_are_ignored(tmp_path: Path) -> None:
    rows = vicon_section("Trajectories", NAMES)
    rows[2] += ["link 1", "", ""]
    rows[3] += ["X'", "Y'", "Z'"]
    rows[4] += ["mm/s"] * 3
    for row in rows[5:]:
        row += ["100.0", "0.0", "0.0"]
    capture = read_capture(save(tmp_path / "a.csv", rows))
    check(capture)
    assert "mm/s" in ignored(capture)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (vicon_section("Devices", ["Plate"], unit="N"), "no positions"),
        (vicon_section("Trajectories", NAMES, unit="furlong"), "furlong"),
        (vicon_section("Trajectories", NAMES, rate=""), "no frame rate"),
    ],
    ids=["devices", "unit", "rate"],
)
def test_vicon_without_positions_or_units_causes_a_question(
    tmp_path: Path, rows: list[list[str]], text: str
) -> None:
    assert text in question(save(tmp_path / "a.csv", rows))


# --- TRC ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["mm", "m", "cm", "in", "Millimeters", "meters"])
def test_trc_units_by_their_known_spellings(tmp_path: Path, unit: str) -> None:
    check(read_capture(trc(tmp_path / "a.trc", unit=unit)))


@pytest.mark.parametrize(
    "options",
    [
        {"comma": True},
        {"tail": "\t"},
        {"blank": False},
        {"timed": False},
        {"axes": False},
        {"close": True},
        {"about": {"DataRate": "-", "OrigDataRate": "-"}, "timed": False},
        {"comma": True, "about": {"DataRate": "100,00"}},
    ],
    ids=str,
)
def test_trc_variants_are_read(tmp_path: Path, options: dict[str, object]) -> None:
    check(read_capture(trc(tmp_path / "a.trc", **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize("unnamed", [0, 1, 2])
def test_trc_name_belongs_to_the_columns_under_it(tmp_path: Path, unnamed: int) -> None:
    names = [*NAMES]
    names[unnamed] = ""
    capture = read_capture(trc(tmp_path / "a.trc", names=names))
    names[unnamed] = f"Marker {unnamed + 1}"
    check(capture, tuple(names))
    assert any(f"Marker {unnamed + 1}" in note for note in capture.notes)


def test_trc_wrong_number_of_markers_is_remarked(tmp_path: Path) -> None:
    capture = read_capture(trc(tmp_path / "a.trc", count="4"))
    check(capture)
    assert any("NumMarkers is 4" in note for note in capture.notes)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kind": "(4x4)"}, "4x4"),
        ({"unit": "mm", "about": {"Units": "furlong"}}, "furlong"),
        ({"count": "4", "axes": False}, "do not agree"),
        ({"names": ["link 1", "link 2"], "close": True}, "columns"),
        (
            {"timed": False, "about": {"DataRate": "-", "CameraRate": "-", "OrigDataRate": "-"}},
            "no DataRate",
        ),
    ],
    ids=str,
)
def test_trc_unknown_variant_is_refused(
    tmp_path: Path, options: dict[str, object], text: str
) -> None:
    assert text in question(trc(tmp_path / "a.trc", **options))  # type: ignore[arg-type]


# --- trajectories and tables ----------------------------------------------------------------------


def _trajectory(
    path: Path,
    header: str,
    *,
    w_first: bool = False,
    mark: str = " ",
    stamp: Callable[[float], str] | None = None,
    more: tuple[str, ...] = (),
) -> Path:
    x, y, z, w = quaternion(1)
    turned = numbers((w, x, y, z) if w_first else (x, y, z, w))
    rows: list[list[str] | str] = [header] if header else []
    for t, coordinates in zip(TIME, position(1), strict=True):
        rows.append([stamp(t) if stamp else f"{t:.6f}", *numbers(coordinates), *turned, *more])
    return save(path, rows, mark)


def _nanoseconds(t: float) -> str:
    return str(1_403_636_579_758_555_392 + round(t * 1e9))


EUROC = (
    "#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], "
    "v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], b_w_RS_S_x [rad s^-1], b_a_RS_S_x [m s^-2]"
)
ROS = (
    "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.pose.position.x,field.pose.position.y,"
    "field.pose.position.z,field.pose.orientation.x,field.pose.orientation.y,field.pose.orientation.z,"
    "field.pose.orientation.w"
)


@pytest.mark.parametrize(
    ("header", "w_first", "mark"),
    [
        ("# timestamp tx ty tz qx qy qz qw", False, " "),
        ("", False, " "),
        ("", True, " "),
        ("", False, ","),
        ("#timestamp,tx,ty,tz,qw,qx,qy,qz", True, ","),
        ("t x y z qw qx qy qz", True, " "),
        ("# ground truth\n# file: 'a.bag'\n# timestamp tx ty tz qx qy qz qw", False, " "),
    ],
)
@pytest.mark.parametrize("since", [0.0, 1_305_031_102.175])
def test_trajectory_is_one_body_with_its_orientation(
    tmp_path: Path, header: str, w_first: bool, mark: str, since: float
) -> None:
    path = _trajectory(
        tmp_path / "a.txt", header, w_first=w_first, mark=mark, stamp=lambda t: f"{since + t:.6f}"
    )
    _check_one(read_capture(path))


def _check_one(capture: Capture) -> None:
    assert len(capture.bodies) == 1
    assert capture.duration == pytest.approx(1.19, abs=1e-6)
    np.testing.assert_allclose(capture.position[:, 0], position(1), atol=2e-6)
    assert capture.orientation is not None
    np.testing.assert_allclose(roll_pitch_yaw(capture.orientation[:, 0])[:, 2], yaw(1), atol=1e-5)


def test_euroc_reads_nanoseconds_without_losing_digits(tmp_path: Path) -> None:
    more = ("0.1", "0.2", "0.3", "0.01", "0.02")
    path = _trajectory(
        tmp_path / "a.csv", EUROC, w_first=True, mark=",", stamp=_nanoseconds, more=more
    )
    capture = read_capture(path)
    _check_one(capture)
    np.testing.assert_allclose(capture.time, TIME, atol=1e-12)
    assert "velocity" in ignored(capture)
    assert "bias" in ignored(capture)
    assert "2014-06-24" in capture.recognition.clock  # type: ignore[union-attr]


def test_ros_poses_are_read_from_their_fields(tmp_path: Path) -> None:
    rows = [ROS]
    for i, (t, coordinates) in enumerate(zip(TIME, position(1), strict=True)):
        cells = [
            _nanoseconds(t),
            str(i),
            _nanoseconds(t),
            "world",
            *numbers(coordinates),
            *numbers(quaternion(1)),
        ]
        rows.append(",".join(cells))
    capture = read_capture(save(tmp_path / "a.csv", rows))
    _check_one(capture)
    assert "frame_id" in ignored(capture)
    assert capture.recognition.file_type == "ROS table"  # type: ignore[union-attr]


def test_ros_seconds_and_nanoseconds_are_added(tmp_path: Path) -> None:
    rows = [
        "header.stamp.secs,header.stamp.nsecs,header.frame_id,pose.position.x,pose.position.y,pose.position.z"
    ]
    for t, coordinates in zip(TIME, position(1), strict=True):
        total = 1_700_000_000_900_000_000 + round(t * 1e9)
        rows.append(
            ",".join([str(total // 10**9), str(total % 10**9), "world", *numbers(coordinates)])
        )
    capture = read_capture(save(tmp_path / "a.csv", rows))
    np.testing.assert_allclose(capture.time, TIME, atol=1e-12)


def test_plotjuggler_topics_name_their_bodies(tmp_path: Path) -> None:
    parts = [
        f"/vrpn/{name.replace(' ', '_')}/pose/position/{axis}" for name in NAMES for axis in "xyz"
    ]
    rows = [",".join(["__time", *parts, "/vrpn/link_1/twist/linear/x", "/battery/voltage"])]
    for i, t in enumerate(TIME):
        cells = [cell for b in range(3) for cell in numbers(position(b)[i])]
        rows.append(",".join([f"{1.7e9 + t:.6f}", *cells, "0.1", "12.1"]))
    capture = read_capture(save(tmp_path / "a.csv", rows))
    assert capture.links == (0, 1, 2)
    np.testing.assert_allclose(capture.position[:, 2], position(2), atol=2e-6)
    assert "linear" in ignored(capture)
    assert "/battery/voltage" in ignored(capture)


def test_kitti_poses_ask_for_their_rate(tmp_path: Path) -> None:
    c, s = math.cos(0.3), math.sin(0.3)
    rows = [
        " ".join(numbers([c, -s, 0.0, x, s, c, 0.0, y, 0.0, 0.0, 1.0, z]))
        for x, y, z in position(1)
    ]
    path = save(tmp_path / "a.txt", rows)
    assert "rate" in question(path)
    capture = read_capture(path, replace(guess_layout(path), rate_hz=100.0))
    _check_one(capture)


def test_quaternions_without_norm_are_not_an_orientation(tmp_path: Path) -> None:
    rows = ["t,x,y,z,qx,qy,qz,qw"]
    for t, coordinates in zip(TIME, position(1), strict=True):
        rows.append(",".join([f"{t:.6f}", *numbers(coordinates), "1", "2", "3", "4"]))
    capture = read_capture(save(tmp_path / "a.csv", rows))
    assert len(capture.bodies) == 1
    assert capture.orientation is None
    assert any("norm 1" in note for note in capture.notes)


def _table(path: Path, names: str, cells: Callable[[int], list[str]], mark: str = ",") -> Path:
    return save(path, [names, *(mark.join(cells(i)) for i in range(len(TIME)))])


def test_exported_run_with_points_of_a_controller_is_read(tmp_path: Path) -> None:
    run = ss.simulate("path_following", 0.1)
    assert "path_x_m" in run
    assert "path_z_m" not in run
    run.to_csv(tmp_path / "run.csv")
    capture = read_capture(tmp_path / "run.csv")
    assert capture.bodies == (*(f"link_{k + 1}" for k in range(10)), "com")
    for k, body in enumerate(capture.bodies):
        for a, axis in enumerate("xyz"):
            np.testing.assert_array_equal(capture.position[:, k, a], run[f"{body}_{axis}_m"])
    for name in ("path_x_m", "path_y_m", "look_ahead_x_m", "look_ahead_y_m"):
        assert f"{name} (not a link)" in ignored(capture)


@pytest.mark.parametrize(
    ("names", "bodies"),
    [
        ("link_1_x_m,link_1_y_m,link_1_z_m,goal_x_m,goal_y_m", ("link_1",)),
        ("goal_x_m,goal_y_m,link_1_x_m,link_1_y_m,link_1_z_m", ("link_1",)),
        ("link_1_x_m,link_1_y_m,goal_x_mm,goal_y_mm", ("link_1",)),
        ("link_1_x_m,link_1_y_m,tail_x_m,tail_y_m", ("link_1", "tail")),
        ("link_1_x_m,link_1_y_m,link_1_z_m,link_2_x_m,link_2_y_m", None),
        ("head_x_m,head_y_m,head_z_m,goal_x_m,goal_y_m", None),
    ],
)
def test_points_that_are_not_links_need_not_match_them(
    tmp_path: Path, names: str, bodies: tuple[str, ...] | None
) -> None:
    values = [f"{0.01 * k:.3f}" for k in range(1 + names.count(","))]
    path = _table(tmp_path / "a.csv", f"time_s,{names}", lambda i: [f"{TIME[i]:.6f}", *values])
    if bodies is None:
        assert "different coordinates" in question(path)
        return
    capture = read_capture(path)
    assert capture.bodies == bodies
    assert ("goal" in ignored(capture)) == (bodies == ("link_1",))


def _two(i: int) -> list[str]:
    return [cell for b in range(2) for cell in numbers(position(b)[i, :2])]


@pytest.mark.parametrize(
    ("names", "bodies"),
    [
        ("x,y,x,y", ("Body 1", "Body 2")),
        ("x,y,x.1,y.1", ("Body 1", "Body 2")),
        ("x1,y1,x2,y2", ("Body 1", "Body 2")),
        ("x1_m,y1_m,x2_m,y2_m", ("Body 1", "Body 2")),
        ("x_head,y_head,x_tail,y_tail", ("head", "tail")),
        ("a_x,a_y,b_x,b_y", ("a", "b")),
        ("link 1 x,link 1 y,link 1 x,link 1 y", ("link 1", "link 1 (2)")),
        ("HeadX,HeadY,TailX,TailY", ("Head", "Tail")),
    ],
)
def test_repeated_names_are_preserved(tmp_path: Path, names: str, bodies: tuple[str, ...]) -> None:
    capture = read_capture(
        _table(tmp_path / "a.csv", f"time_s,{names}", lambda i: [f"{TIME[i]:.6f}", *_two(i)])
    )
    assert capture.bodies == bodies
    for b in range(2):
        np.testing.assert_allclose(capture.position[:, b, :2], position(b)[:, :2], atol=2e-6)
    assert capture.measured.all(), "a track that begins at the origin is there"


def test_unpaired_names_cause_a_question(tmp_path: Path) -> None:
    path = _table(tmp_path / "a.csv", "time_s,x,x,y,y", lambda i: [f"{TIME[i]:.6f}", *_two(i)])
    assert "repeated" in question(path)


@pytest.mark.parametrize(
    ("names", "cells"),
    [
        ("v_x,v_y,v_z", ["0.1", "0.06", "0"]),
        ("vx,vy,vz", ["0.1", "0.06", "0"]),
        ("velocity_x,velocity_y,velocity_z", ["0.1", "0.06", "0"]),
        ("x [m/s],y [m/s],z [m/s]", ["0.1", "0.06", "0"]),
        ("Acceleration X,Acceleration Y,Acceleration Z", ["0.1", "0.06", "0"]),
        ("force.x,force.y,force.z", ["1", "2", "3"]),
        ("Fx,Fy,Fz", ["1", "2", "3"]),
        ("imu_angular_velocity_x,imu_angular_velocity_y,gyro z", ["1", "2", "3"]),
        ("residual,error x,error y", ["1", "2", "3"]),
        ("battery,counter,remarks", ["12.1", "7", "all well"]),
        ("cov_x,cov_y,cov_z", ["1e-4", "1e-4", "1e-4"]),
        ("twist.twist.linear.x,twist.twist.linear.y,twist.twist.linear.z", ["0.1", "0.06", "0"]),
    ],
)
def test_columns_without_positions_are_listed_as_ignored(
    tmp_path: Path, names: str, cells: list[str]
) -> None:
    path = _table(
        tmp_path / "a.csv",
        f"time_s,x,y,z,{names}",
        lambda i: [f"{TIME[i]:.6f}", *numbers(position(1)[i]), *cells],
    )
    capture = read_capture(path)
    assert len(capture.bodies) == 1
    np.testing.assert_allclose(capture.position[:, 0], position(1), atol=2e-6)
    for name in names.split(","):
        assert name in ignored(capture)
        assert any(name in note for note in capture.notes)


@pytest.mark.parametrize("row", [0, 1, len(TIME) - 1])
def test_rows_with_a_remark_are_read_like_the_others(tmp_path: Path, row: int) -> None:
    path = _table(
        tmp_path / "a.csv",
        "time_s,x,y,z,remark",
        lambda i: [f"{TIME[i]:.6f}", *numbers(position(1)[i]), "start" if i == row else ""],
    )
    capture = read_capture(path)
    np.testing.assert_allclose(capture.position[:, 0], position(1), atol=2e-6)


@pytest.mark.parametrize(
    ("width", "offset"), [(2, 0), (3, 0), (6, 0), (7, 1), (9, 0), (10, 1), (11, 2)]
)
def test_numbers_without_names_cause_a_question(tmp_path: Path, width: int, offset: int) -> None:
    tracks = 1000.0 * np.concatenate([position(b) for b in range(4)], axis=1)

    def cells(i: int) -> list[str]:
        return [
            *[str(i + 1), f"{TIME[i]:.5f}"][2 - offset :],
            *numbers(tracks[i, : width - offset], 3),
        ]

    path = save(tmp_path / "a.csv", [cells(i) for i in range(len(TIME))])
    assert "without names" in question(path)


# --- clocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "stamp"),
    [
        ("time_s", lambda t: f"{1_700_000_000 + t:.6f}"),
        ("timestamp", lambda t: f"{1_700_000_000 + t:.6f}"),
        ("time [ms]", lambda t: f"{1_700_000_000_000 + 1000 * t:.3f}"),
        ("timestamp", lambda t: str(1_700_000_000_000 + round(1000 * t))),
        ("timestamp", lambda t: str(1_700_000_000_000_000 + round(1e6 * t))),
        ("timestamp [ns]", _nanoseconds),
        ("timestamp", _nanoseconds),
        (
            "time",
            lambda t: (
                f"2024-03-05T23:59:59.{round(1000 * t) % 1000:03d}Z"
                if t < 1
                else f"2024-03-06T00:00:00.{round(1000 * t) % 1000:03d}Z"
            ),
        ),
        (
            "time",
            lambda t: f"2024-03-05 10:00:{10 + int(t):02d}.{round(1000 * t) % 1000:03d}+01:00",
        ),
        ("Time", lambda t: "23:59:59." + f"{t:.3f}"[2:] if t < 1 else "00:00:00." + f"{t:.3f}"[2:]),
        ("clock", lambda t: f"4:30:0{int(t)}.{round(1000 * t) % 1000:03d} PM"),
    ],
)
def test_clocks_count_from_the_first_row(
    tmp_path: Path, name: str, stamp: Callable[[float], str]
) -> None:
    capture = read_capture(
        _table(
            tmp_path / "a.csv",
            f"{name},frame_id,x,y,z",
            lambda i: [stamp(TIME[i]), "w", *numbers(position(1)[i])],
        )
    )
    np.testing.assert_allclose(capture.time, TIME, atol=1e-9)
    np.testing.assert_allclose(capture.position[:, 0], position(1), atol=2e-6)
    assert capture.recognition is not None
    assert capture.recognition.clock
    assert any("clock" in note for note in capture.notes)


def test_timecodes_need_a_frame_rate(tmp_path: Path) -> None:
    def cells(i: int) -> list[str]:
        return [f"10:00:{i // 25:02d}:{i % 25:02d}", *numbers(position(1)[i])]

    assert "rate" in question(_table(tmp_path / "a.csv", "timecode,x,y,z", cells))
    path = _table(tmp_path / "b.csv", "Frame rate: 25\ntimecode,x,y,z", cells)
    np.testing.assert_allclose(read_capture(path).time, np.arange(120) / 25.0, atol=1e-9)


def test_unit_that_contradicts_its_numbers_causes_a_question(tmp_path: Path) -> None:
    path = _table(
        tmp_path / "a.csv",
        "time [s],x,y",
        lambda i: [_nanoseconds(TIME[i]), *numbers(position(1)[i, :2])],
    )
    assert "ns since 1970" in question(path)


@pytest.mark.parametrize("unit", ["px", "furlong"])
def test_unknown_unit_of_length_causes_a_question(tmp_path: Path, unit: str) -> None:
    path = _table(
        tmp_path / "a.csv", f"t,x [{unit}],y [{unit}]", lambda i: [f"{TIME[i]:.3f}", *_two(i)[:2]]
    )
    assert unit in question(path)


@pytest.mark.parametrize(
    "make",
    [
        lambda path: motive(
            path / "a.csv",
            [rigid_body(b, euler="XYZ") for b in range(3)],
            about={"Rotation Type": "XYZ"},
        ),
        lambda path: qualisys(path / "a.tsv", bodies=True),
        lambda path: save(
            path / "a.csv",
            [*vicon_section("Trajectories", NAMES), [], *vicon_section("Devices", ["P"])],
        ),
        lambda path: _trajectory(
            path / "a.csv", EUROC, w_first=True, mark=",", stamp=_nanoseconds, more=("1",) * 5
        ),
    ],
    ids=["motive", "qualisys", "vicon", "euroc"],
)
def test_layout_file_describes_the_recognized_content(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    by_recognizer = read_capture(path)
    layout = layout_from_toml(layout_to_toml(guess_layout(path)))
    assert layout == guess_layout(path)
    by_layout = read_capture(path, layout)
    np.testing.assert_array_equal(by_layout.position, by_recognizer.position)
    np.testing.assert_array_equal(by_layout.time, by_recognizer.time)
    assert by_layout.recognition == by_recognizer.recognition


# --- damaged headers ------------------------------------------------------------------------------


def _named_table(path: Path) -> Path:
    names = [f"{name} {axis}" for name in NAMES for axis in "xyz"]
    rows = [",".join(["time_s", *names])]
    for i, t in enumerate(TIME):
        rows.append(
            ",".join([f"{t:.6f}", *(cell for b in range(3) for cell in numbers(position(b)[i]))])
        )
    return save(path, rows)


@pytest.mark.parametrize(
    ("make", "mark", "header"),
    [
        (
            lambda path: motive(
                path / "a.csv", [rigid_body(b) for b in range(3)], version="1.25", parent=True
            ),
            ",",
            8,
        ),
        (lambda path: qualisys(path / "a.tsv", bodies=True), "\t", 10),
        (lambda path: qualisys(path / "a.tsv", leading=True), "\t", 10),
        (lambda path: save(path / "a.csv", vicon_section("Objects", NAMES, pose="deg")), ",", 5),
        (lambda path: trc(path / "a.trc"), "\t", 6),
        (lambda path: _named_table(path / "a.csv"), ",", 1),
    ],
    ids=["motive", "qualisys 6D", "qualisys 3D", "vicon", "trc", "table"],
)
def test_damaged_header_never_gives_wrong_tracks(
    tmp_path: Path, make: Callable[[Path], Path], mark: str, header: int
) -> None:
    """Missing or extra rows and columns are detected, or have no effect."""
    path = make(tmp_path)
    rows = [line.split(mark) for line in path.read_text(encoding="utf-8").splitlines()]
    last = max(map(len, rows)) - 1
    variants = {f"without row {r + 1}": rows[:r] + rows[r + 1 :] for r in range(header)}
    variants |= {f"row {r + 1} twice": rows[: r + 1] + rows[r:] for r in range(header - 1)}
    for c in (0, 1, 3, last - 3, last):
        variants[f"no cell {c} in the header"] = [_without(row, c) for row in rows[:header]] + rows[
            header:
        ]
        variants[f"no cell {c} under the header"] = rows[:header] + [
            _without(row, c) for row in rows[header:]
        ]
        variants[f"no column {c}"] = [_without(row, c) for row in rows]
        variants[f"one more column {c}"] = rows[:header] + [
            [*row[:c], "0.5", *row[c:]] for row in rows[header:]
        ]
    wrong = {}
    for name, variant in variants.items():
        save(path, variant, mark)
        try:
            capture = read_capture(path)
        except ExperimentError:
            continue
        for index, body in enumerate(capture.bodies):
            expected = position(NAMES.index(body) if body in NAMES else index, capture.time)
            if np.abs(capture.position[:, index] - expected).max() > 1e-4:
                wrong[name] = body
    assert wrong == {}


def _without(row: list[str], column: int) -> list[str]:
    return row[:column] + row[column + 1 :]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("time_s,x,y,z,q", "5 columns, but the rows of numbers have 4"),
        ("time_s,x,y", "no name above column 4"),
        ("time_s,a x,a y,b x", "No column"),
        ("time_s,a x,a y,", "no name above column 4"),
    ],
)
def test_names_that_do_not_fit_the_columns_cause_a_question(
    tmp_path: Path, names: str, text: str
) -> None:
    path = _table(tmp_path / "a.csv", names, lambda i: [f"{TIME[i]:.6f}", *numbers(position(1)[i])])
    if text == "No column":
        capture = read_capture(path)
        assert capture.bodies == ("a",)
        assert "b x (a single coordinate)" in ignored(capture)
    else:
        assert text in question(path)


def test_constant_times_cause_a_question(tmp_path: Path) -> None:
    path = _table(
        tmp_path / "a.csv",
        "time_s,x,y",
        lambda i: [str(int(TIME[i])), *numbers(position(1)[i, :2])],
    )
    assert "time" in question(path)


def test_names_given_once_for_each_coordinate_are_bodies(tmp_path: Path) -> None:
    names = ",".join(name for name in NAMES[:2] for _ in range(3))
    capture = read_capture(
        _table(
            tmp_path / "a.csv",
            f"time_s,{names}",
            lambda i: [f"{TIME[i]:.6f}", *numbers(position(0)[i]), *numbers(position(1)[i])],
        )
    )
    check(capture, NAMES[:2])


def test_text_in_a_column_of_times_is_named(tmp_path: Path) -> None:
    path = _table(
        tmp_path / "a.csv",
        "time,x,y",
        lambda i: ["05.03.2024 10:00:00", *numbers(position(1)[i, :2])],
    )
    message = question(path)
    assert '"05.03.2024 10:00:00"' in message
    assert "No column holds a position" not in message


def test_robot_at_the_origin_differs_from_lost_frames(tmp_path: Path) -> None:
    def cells(i: int) -> list[str]:
        moved = max(0.0, TIME[i] - 0.3)
        lost = 60 <= i < 64
        return [f"{TIME[i]:.6f}", *numbers((0.0, 0.0) if lost else (0.1 * moved, 0.02 * moved))]

    capture = read_capture(_table(tmp_path / "a.csv", "time_s,x,y", cells))
    assert np.flatnonzero(~capture.measured[:, 0]).tolist() == [60, 61, 62, 63]
