"""Tables of joint angles: reading, questions, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio import inputs
from snakestudio.model.robot.robot import Axis
from snakestudio.model.tables import joint_angles
from snakestudio.model.tables.joint_angles import JointTable, TableError, read_joint_table
from snakestudio.model.tables.trajectory import Trajectory

ALTERNATING = [Axis(k, "yaw" if k % 2 == 0 else "pitch") for k in range(4)]
CARDAN = [Axis(k, kind) for k in range(2) for kind in ("yaw", "pitch")]


def table(
    folder: Path, text: str | bytes, axes: list[Axis] = ALTERNATING, **how: Any
) -> JointTable:
    path = folder / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_joint_table(path, axes, **how)


def mistake(
    folder: Path, text: str | bytes, axes: list[Axis] = ALTERNATING, **how: Any
) -> TableError:
    with pytest.raises(TableError) as caught:
        table(folder, text, axes, **how)
    return caught.value


ROWS = "0,0.1,0.2,0.3,0.4\n0.5,0.5,0.6,0.7,0.8\n"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (ROWS, {}),
        (f"time,a,b,c,d\n{ROWS}", {}),
        (f"# t, 1st, 2nd, 3rd, 4th\n{ROWS}", {}),
        (f"\ufefftime_s,q1_rad,q2_rad,q3_rad,q4_rad\r\n{ROWS}".replace("\n", "\r\n"), {}),
        (f"A log of a robot\ntime,a,b,c,d\ns,rad,rad,rad,rad\n{ROWS}", {}),
        (f"Zeit;J1;J2;J3;J4\n{ROWS}".replace(",", ";").replace(".", ","), {}),
        ("d4,d3,t,d2,d1\n0.4,0.3,0,0.2,0.1\n0.8,0.7,0.5,0.6,0.5\n", {}),
        ("t,q0,q1,q2,q3\n" + ROWS, {}),
        (
            "frame,t,q1,q2,q3,q4,q1_velocity,torque_2\n1,0,.1,.2,.3,.4,9,9\n2,.5,.5,.6,.7,.8,9,9\n",
            {},
        ),
        (
            "t,cmd_1,cmd_2,cmd_3,cmd_4,q1,q2,q3,q4\n0,9,9,9,9,.1,.2,.3,.4\n.5,9,9,9,9,.5,.6,.7,.8\n",
            {},
        ),
        ("time_ms,q1,q2,q3,q4\n0,.1,.2,.3,.4\n500,.5,.6,.7,.8\n", {}),
        ("stamp,a,b,c,d\n1732000000123456789,.1,.2,.3,.4\n1732000000623456789,.5,.6,.7,.8\n", {}),
        ("2026-11-26T23:59:59.75,.1,.2,.3,.4\n2026-11-27T00:00:00.25,.5,.6,.7,.8\n", {}),
        ("0.1,0.2,0.3,0.4\n0.5,0.6,0.7,0.8\n", {"rate_hz": 2.0}),
        ("0.1,0.2,0.3,0.4,\n0.5,0.6,0.7,0.8,\n", {"rate_hz": 2.0}),
        (".1,.2,.3,.4,1753198759.816466\n.5,.6,.7,.8,1753198760.316466\n", {}),
        (".1,.2,.3,.4,1753198759816\n.5,.6,.7,.8,1753198760316\n", {}),
        (".1,.2,.3,.4,1753198759816466123\n.5,.6,.7,.8,1753198760316466123\n", {}),
        (".1,.2,1753198759.8,.3,.4\n.5,.6,1753198760.3,.7,.8\n", {}),
        ("a,b,c,d,logged\n.1,.2,.3,.4,1753198759.5\n.5,.6,.7,.8,1753198760.0\n", {}),
        (".1,.2,.3,.4,2026-11-26T23:59:59.75\n.5,.6,.7,.8,2026-11-27T00:00:00.25\n", {}),
        (
            "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,field.position0,"
            "field.position1,field.position2,field.position3,field.velocity0\n"
            "1753198759816466123,7,1753198759816466123,base,j_a,.1,.2,.3,.4,9\n"
            "1753198760316466123,8,1753198760316466123,base,j_a,.5,.6,.7,.8,9\n",
            {},
        ),
        (
            "header.stamp.sec,header.stamp.nanosec,position[0],position[1],position[2],position[3]\n"
            "1753198759,816466123,.1,.2,.3,.4\n1753198760,316466123,.5,.6,.7,.8\n",
            {},
        ),
        (
            "q1,q2,q3,q4,stamp_secs,stamp_nsecs\n.1,.2,.3,.4,1753198759,900000000\n"
            ".5,.6,.7,.8,1753198760,400000000\n",
            {},
        ),
    ],
    ids=range(24),
)
def test_table_is_read_in_all_notations(tmp_path: Path, text: str, how: dict[str, Any]) -> None:
    read = table(tmp_path, text, **how)
    np.testing.assert_allclose(read.time, [0.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(read.angle, [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]], atol=1e-15)
    assert not read.own


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ".1,.2,.3,.4,1753198759.816466\n.5,.6,.7,.8,1753198760.316466\n",
            ('"5"', "in s since 1970, from 2025-07-22 15:39:19 UTC", "t = 0"),
        ),
        (
            "1753198759816,.1,.2,.3,.4\n1753198760316,.5,.6,.7,.8\n",
            ('"1"', "in ms since 1970"),
        ),
        (".1,.2,.3,.4,7.25\n.1,.6,.7,.8,7.75\n", ('"5"', "time, and")),
    ],
)
def test_column_of_the_time_is_named(tmp_path: Path, text: str, message: tuple[str, ...]) -> None:
    notes = [note.message for note in table(tmp_path, text, unit="rad").notes]
    assert len(notes) == 1
    assert all(part in notes[0] for part in message)


def test_plain_times_need_no_note(tmp_path: Path) -> None:
    assert not table(tmp_path, f"time,a,b,c,d\n{ROWS}", unit="rad").notes
    assert not table(tmp_path, ROWS, unit="rad").notes
    stamped = "stamp,a,b,c,d\n1753198759,1,1,1,1\n1753198760,1,1,1,1\n"
    assert not table(tmp_path, stamped, unit="rad").notes


def test_ascending_angle_is_not_a_time(tmp_path: Path) -> None:
    """The last column is the time only if the other columns are enough for the joints."""
    text = ".5,.2,.3,.4\n.1,.6,.7,.8\n"
    read = table(tmp_path, text, rate_hz=2.0)
    np.testing.assert_allclose(read.angle[:, 3], [0.4, 0.8])
    assert mistake(tmp_path, text).key == "rate_hz"
    # and a rate replaces the stamps
    stamped = ".1,.2,.3,.4,1753198759.5\n.5,.6,.7,.8,1753198759.6\n"
    np.testing.assert_allclose(table(tmp_path, stamped, rate_hz=2.0).time, [0.0, 0.5])


def test_log_of_a_robot_with_repeated_stamps_is_read(tmp_path: Path) -> None:
    """A log of 16 joints at 25 Hz, whose first column does not ascend and some stamps repeat."""
    axes = [Axis(k, "yaw" if k % 2 else "pitch") for k in range(16)]
    time = np.repeat(1753198759.816466 + 0.04 * np.arange(40), 2)
    angle = 0.5 * np.sin(time[:, None] - time[0] + np.arange(16.0))
    angle[:, ::2] = 0.0
    rows = [
        ",".join([*(f"{each:.5f}" for each in row), f"{t:.6f}"])
        for t, row in zip(time, angle, strict=True)
    ]
    read = table(tmp_path, "\n".join(rows), axes)
    np.testing.assert_allclose(read.time, 0.04 * np.arange(40), atol=1e-6)
    np.testing.assert_allclose(read.angle, angle[1::2], atol=1e-5)


def test_columns_of_own_runs_are_found_by_axis(tmp_path: Path) -> None:
    names = "time_s,joint_2_yaw_rad,joint_1_pitch_rad,joint_1_yaw_rad,joint_2_pitch_rad,joint_1_yaw_ref_rad"
    read = table(tmp_path, f"{names}\n0,3,2,1,4,9\n1,3,2,1,4,9\n", CARDAN)
    np.testing.assert_array_equal(read.angle, [[1, 2, 3, 4]] * 2)
    assert read.own
    flat = read_joint_table(tmp_path / "log.csv", CARDAN[::2], ignored=CARDAN[1::2])
    np.testing.assert_array_equal(flat.angle, [[1, 3]] * 2)


def test_references_of_own_runs_replace_angles(tmp_path: Path) -> None:
    read = table(tmp_path, "time_s,joint_1_yaw_ref_rad\n0,1\n1,2\n", [Axis(0, "yaw")])
    np.testing.assert_array_equal(read.angle, [[1], [2]])


@pytest.mark.parametrize(
    ("largest", "unit"),
    [("90", "deg"), ("0.9", "rad"), ("7", "deg"), ("-45", "deg"), ("2.1", "rad")],
)
def test_unit_follows_from_the_range(tmp_path: Path, largest: str, unit: str) -> None:
    read = table(tmp_path, f"0,0,0,0,{largest}\n1,0,0,0,0\n")
    assert read.unit == unit
    assert [note.key for note in read.notes] == ["unit"]


def test_unit_of_the_header_or_the_scene_needs_no_guess(tmp_path: Path) -> None:
    named = table(tmp_path, "t,a (°),b (°),c (deg),d (rad)\n0,1,1,1,1\n1,1,1,1,1\n")
    np.testing.assert_allclose(named.angle[0], [*np.radians([1, 1, 1]), 1])
    assert not named.notes
    np.testing.assert_allclose(
        table(tmp_path, "0,5,5,5,5\n1,5,5,5,5\n", unit="deg").angle, np.radians(5.0)
    )
    error = mistake(tmp_path, "0,5,5,5,5\n1,5,5,5,5\n")
    assert error.key == "unit"
    assert "ambiguous" in str(error)


MISTAKES = [
    ("", "file", "no rows"),
    (b"\x00\x01\x02", "file", "binary"),
    ("time,a,b,c,d\n", "file", "rows of numbers"),
    ("0,1,1,1,1\n", "file", "only one row"),
    ("t,a,b,c\n0,1,1,1\n1,1,1,1\n", "file", "3 columns"),
    ("0,1,1,1\n1,1,1,1\n", "file", "3 columns"),
    (".1,.2,.3,.4\n.05,.2,.3,.4\n", "rate_hz", "time column"),
    ("t,a,b,c,d\n1,1,1,1,1\n0,1,1,1,1\n", "file", "not ascending"),
    ("0,1,1,1,1\n1,1,x,1,1\n", "file", 'line 2: "x"'),
    ("0,1,1,1,1\n1,1,1,1\n", "file", "line 2 has 4 cells"),
    ("t,a,b,c,d\n0,1,,1,1\n1,1,,1,1\n", "file", 'column "b" contains no numbers'),
    ("t,a,b\n0,1,1,1,1\n1,1,1,1,1\n", "file", "3 names"),
    ("t,q1_deg,q2_deg,q3,q4\n0,1,1,1,1\n1,1,1,1,1\n", "unit", "only some columns"),
    ("t,joint_1_yaw_rad\n0,1\n1,1\n", "file", "no column joint_2_pitch_rad"),
    ("t,joint_9_yaw_rad\n0,1\n1,1\n", "file", "joint_9_yaw"),
    ("when,a,b,c,d\nnow,1,1,1,1\nlater,1,1,1,1\n", "file", "rows of numbers"),
]


@pytest.mark.parametrize(("text", "key", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_unusable_table_is_refused(
    tmp_path: Path, text: str | bytes, key: str, message: str
) -> None:
    error = mistake(tmp_path, text)
    assert error.key == key
    assert message in error.message
    assert error.remedy


def test_missing_and_oversized_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TableError, match="no such file"):
        read_joint_table(tmp_path / "none.csv", ALTERNATING)
    with pytest.raises(TableError, match="folder"):
        read_joint_table(tmp_path, ALTERNATING)
    monkeypatch.setattr(
        joint_angles, "ANGLE_TABLE", inputs.Budget("a table", ".csv", 1000, values=20)
    )
    assert "cells" in mistake(tmp_path, "0,1,1,1,1\n" * 5).message
    assert "too large" in mistake(tmp_path, "0,1,1,1,1\n" * 200).message


def test_holes_and_repeated_times_are_bridged_and_named(tmp_path: Path) -> None:
    rows = ["0,nan,1,1,1", "1,2,,1,1", "2,2,3,1,1", "2,2,4,1,1", ",1,1,1,1", "30,2,4,1,1"]
    read = table(tmp_path, "t,q1,q2,q3,q4\n" + "\n".join(rows), unit="deg")
    np.testing.assert_array_equal(read.time, [0, 1, 2, 30])
    assert np.degrees(read.angle[2, 1]) == pytest.approx(4.0)
    messages = " ".join(note.message for note in read.notes)
    for part in (
        "1 row without a time",
        "1 row",
        "2 cells",
        "gap of 28 s at 2 s",
    ):
        assert part in messages
    angle = Trajectory(read.time, read.angle, loop=False, blend=0.5).at(np.array([0.0, 1.0, 2.0]))[
        0
    ]
    assert np.isfinite(angle).all()
    assert np.degrees(angle[0, 0]) == pytest.approx(2.0)


TIME = np.linspace(0.0, 2.0, 41)
WAVE = np.stack([0.4 * np.sin(np.pi * TIME), 0.3 * np.cos(np.pi * TIME)], axis=1)


@pytest.mark.parametrize("loop", [False, True])
def test_trajectory_passes_through_the_rows(loop: bool) -> None:
    curve = Trajectory(TIME, WAVE, loop=loop, blend=0.5)
    np.testing.assert_allclose(curve.at(TIME[:-1])[0], WAVE[:-1], atol=1e-14)
    assert curve.duration == 2.0
    between = np.linspace(0.1, 1.9, 333)
    exact = np.stack([0.4 * np.sin(np.pi * between), 0.3 * np.cos(np.pi * between)], axis=1)
    np.testing.assert_allclose(curve.at(between)[0], exact, atol=2e-6)
    np.testing.assert_allclose(curve.largest_rates(), [0.4 * np.pi, 0.3 * np.pi], rtol=3e-4)


def test_trajectory_is_held_at_its_end() -> None:
    curve = Trajectory(TIME, WAVE, loop=False, blend=0.5)
    angle, rate, acceleration = curve.at(np.array([2.0, 5.0]))
    np.testing.assert_array_equal(angle, [WAVE[-1]] * 2)
    assert not rate.any()
    assert not acceleration.any()


@pytest.mark.parametrize("rows", [41, 30, 3, 2])
def test_loop_is_smooth_where_it_begins_again(rows: int) -> None:
    curve = Trajectory(TIME[:rows], WAVE[:rows], loop=True, blend=0.5)
    end = curve.duration
    assert end == pytest.approx(TIME[rows - 1] + (0.0 if rows == 41 else 0.5))
    before, after = (curve.at(np.array([end + side])) for side in (-1e-7, 1e-7))
    for one, other, tolerance in zip(before, after, (1e-5, 1e-5, 1e-3), strict=True):
        np.testing.assert_allclose(one, other, atol=tolerance)
    np.testing.assert_allclose(curve.at(TIME[: rows - 1] + 3 * end)[0], WAVE[: rows - 1], atol=1e-9)


@pytest.mark.parametrize("cell", ["0_2", "1_000", "0x1"])
def test_other_texts_than_numbers_are_refused(tmp_path: Path, cell: str) -> None:
    # Python alone reads 0_2 as 2.
    error = mistake(tmp_path, ROWS + f"1.0,{cell},0.2,0.3,0.4\n1.5,0.1,0.2,0.3,0.4\n")
    assert f'"{cell}"' in str(error)
