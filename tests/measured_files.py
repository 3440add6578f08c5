"""Measured files in the formats of other programs, of three bodies with known tracks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RATE = 100.0
TIME = np.arange(120) / RATE
NAMES = ("link 1", "link 2", "link 3")


def position(body: int, time: NDArray[np.float64] = TIME) -> NDArray[np.float64]:
    """Positions (k, 3), m, z up."""
    return np.stack(
        [
            0.5 * body + 0.1 * time,
            0.2 * body + 0.02 * np.sin(3.0 * time),
            np.full(len(time), 0.05 + 0.001 * body),
        ],
        axis=1,
    )


def yaw(body: int) -> float:
    """Heading, rad."""
    return 0.3 * body


def quaternion(body: int, up: str = "z") -> tuple[float, float, float, float]:
    """Return the heading as quaternion x, y, z, w in a frame in which y or z points up."""
    sine = math.sin(0.5 * yaw(body))
    cosine = math.cos(0.5 * yaw(body))
    return (0.0, sine, 0.0, cosine) if up == "y" else (0.0, 0.0, sine, cosine)


def y_up(position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions (k, 3) with z up in a frame in which y points up."""
    return np.stack([position[:, 0], position[:, 2], -position[:, 1]], axis=1)


def numbers(values: Sequence[float], digits: int = 6, comma: bool = False) -> list[str]:
    """Return numbers as they are written."""
    texts = [f"{value:.{digits}f}" for value in values]
    return [text.replace(".", ",") for text in texts] if comma else texts


def save(path: Path, rows: Sequence[Sequence[str] | str], mark: str = ",", end: str = "\n") -> Path:
    """Write rows of cells, or whole lines."""
    lines = [row if isinstance(row, str) else mark.join(row) for row in rows]
    path.write_text(end.join(lines) + end, encoding="utf-8")
    return path


Block = tuple[str, str, str, list[tuple[str, str]], Callable[[int], list[str]]]
"""Block of a Motive file: type, name, ID, kinds and axes of the columns, and the cells of a row."""


def rigid_body(
    body: int, *, name: str = "", euler: str = "", errors: tuple[str, ...] = ("Mean Marker Error",)
) -> Block:
    """Columns of a rigid body."""
    coordinates = y_up(position(body))
    if euler:
        turn = [("Rotation", axis) for axis in "XYZ"]
        angles = numbers((0.0, math.degrees(yaw(body)), 0.0))
    else:
        turn = [("Rotation", axis) for axis in "XYZW"]
        angles = numbers(quaternion(body, "y"))
    columns = [*turn, *(("Position", axis) for axis in "XYZ"), *((error, "") for error in errors)]
    return (
        "Rigid Body",
        name or NAMES[body],
        f"{body:032X}",
        columns,
        lambda row: [*angles, *numbers(coordinates[row]), *("0.000321" for _ in errors)],
    )


def marker(
    body: int, name: str, kind: str = "Marker", shift: float = 0.0, quality: bool = False
) -> Block:
    """Columns of a marker."""
    coordinates = y_up(position(body)) + np.array([shift, 0.0, 0.0])
    columns = [("Position", axis) for axis in "XYZ"] + [("Marker Quality", "")] * quality
    return (
        kind,
        name,
        f"9F:{body:016X}",
        columns,
        lambda row: [*numbers(coordinates[row]), *["0.998"] * quality],
    )


def motive(
    path: Path,
    blocks: Sequence[Block],
    *,
    version: str = "1.23",
    parent: bool = False,
    leading: Sequence[str] = ("Frame", "Time (Seconds)"),
    about: dict[str, str] | None = None,
    blank: bool = True,
    first: int = 0,
) -> Path:
    """Write an OptiTrack Motive CSV."""
    values = {
        "Format Version": version,
        "Take Name": "take",
        "Take Notes": "",
        "Capture Frame Rate": "100.000000",
        "Export Frame Rate": "100.000000",
        "Capture Start Time": "2024-03-05 04.30.02.695 PM",
        "Total Frames in Take": "120",
        "Total Exported Frames": "120",
        "Rotation Type": "Quaternion",
        "Length Units": "Meters",
        "Coordinate Space": "Global",
        **(about or {}),
    }
    lead = len(leading)
    rows: list[list[str]] = [[cell for pair in values.items() for cell in pair]]
    rows += [[]] * blank
    for label, index in (("Type", 0), ("Name", 1), ("ID", 2)):
        before = ["", label, *[""] * (lead - 2)] if lead >= 2 else [*[""] * (lead - 1), label]
        rows.append([*before, *(str(block[index]) for block in blocks for _ in block[3])])
    if parent:
        rows.append(["", "Parent", *[""] * (lead - 2), *("" for block in blocks for _ in block[3])])
    rows.append([*[""] * lead, *(kind for block in blocks for kind, _ in block[3])])
    rows.append([*leading, *(axis for block in blocks for _, axis in block[3])])
    for i in range(len(TIME)):
        cells = {
            "Frame": str(first + i),
            "Time (Seconds)": f"{(first + i) / RATE:.6f}",
            "TimeCode": f"15:26:{i // 100:02d}:{i % 100:02d}.00",
        }
        rows.append(
            [
                *(cells[name] for name in leading),
                *(cell for block in blocks for cell in block[4](i)),
            ]
        )
    return save(path, rows)


def qualisys(
    path: Path,
    *,
    names: Sequence[str] = NAMES,
    leading: bool = False,
    header: bool = False,
    bodies: bool = False,
    about: dict[str, str] | None = None,
    comma: bool = False,
    tail: str = "",
    by_rows: bool = False,
) -> Path:
    """Write a Qualisys TSV of markers, or of rigid bodies with their matrices."""
    what, key = ("BODIES", "BODY_NAMES") if bodies else ("MARKERS", "MARKER_NAMES")
    values = {
        "NO_OF_FRAMES": "120",
        "NO_OF_CAMERAS": "10",
        f"NO_OF_{what}": str(len(names)),
        "FREQUENCY": "100",
        "NO_OF_ANALOG": "0",
        "ANALOG_FREQUENCY": "0",
        "DESCRIPTION": "--",
        "TIME_STAMP": "2024-01-19, 10:19:43.755\t2063631.96175450",
        "DATA_INCLUDED": "6D" if bodies else "3D",
        key: "\t".join(names),
        **(about or {}),
    }
    rows: list[list[str]] = [[key, value + tail] for key, value in values.items()]
    parts = ["X", "Y", "Z"]
    if bodies:
        parts += ["Roll", "Pitch", "Yaw", "Residual", *(f"Rot[{i}]" for i in range(9))]
    if header:
        row = [f"{name} {part}" for name in names for part in parts]
        rows.append(["Frame", "Time", *row] if leading else row)
    for i, t in enumerate(TIME):
        cells = [str(i + 1), *numbers([t], 5, comma)] if leading else []
        for body in range(len(names)):
            cells += numbers(1000.0 * position(body)[i], 3, comma)
            if bodies:
                c, s = math.cos(yaw(body)), math.sin(yaw(body))
                matrix = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
                elements = matrix.ravel() if by_rows else matrix.T.ravel()
                cells += numbers([0.0, 0.0, math.degrees(yaw(body)), 0.4, *elements], 6, comma)
        rows.append([*cells[:-1], cells[-1] + tail])
    return save(path, rows, "\t")


def vicon_section(
    name: str,
    names: Sequence[str],
    *,
    rate: str = "100",
    unit: str = "mm",
    pose: str = "",
    first: int = 1,
    axes: Sequence[str] = ("X", "Y", "Z"),
) -> list[list[str]]:
    """Return one section of a Vicon CSV. `pose` is "deg", "rad" or "quaternion" for one with rotations."""
    turns = ["RX", "RY", "RZ", "RW"][: 4 if pose == "quaternion" else 3] if pose else []
    axes = ["TX", "TY", "TZ"] if pose else axes
    wide = len(turns) + len(axes)
    rows: list[list[str]] = [[name], [rate], ["", ""], ["Frame", "Sub Frame"], ["", ""]]
    for each in names:
        rows[2] += [each, *[""] * (wide - 1)]
        rows[3] += [*turns, *axes]
        rows[4] += [*[("" if pose == "quaternion" else pose)] * len(turns), *[unit] * len(axes)]
    factor = {"mm": 1000.0, "m": 1.0, "cm": 100.0}.get(unit, 1.0)
    for i in range(len(TIME)):
        row = [str(first + i), "0"]
        for body in range(len(names)):
            angle = math.degrees(yaw(body)) if pose == "deg" else yaw(body)
            turned = quaternion(body) if pose == "quaternion" else (0.0, 0.0, angle)
            row += numbers(turned) * bool(pose) + numbers(factor * position(body)[i], 5)
        rows.append(row)
    return rows


def trc(
    path: Path,
    *,
    names: Sequence[str] = NAMES,
    unit: str = "mm",
    count: str = "",
    comma: bool = False,
    about: dict[str, str] | None = None,
    tail: str = "",
    blank: bool = True,
    axes: bool = True,
    timed: bool = True,
    kind: str = "(X/Y/Z)",
    bodies: int = 3,
    close: bool = False,
) -> Path:
    """Write a TRC file."""
    values = {
        "DataRate": "100.00",
        "CameraRate": "100.00",
        "NumFrames": "120",
        "NumMarkers": count or str(bodies),
        "Units": unit,
        "OrigDataRate": "100.00",
        "OrigDataStartFrame": "1",
        "OrigNumFrames": "120",
        **(about or {}),
    }
    values = {key: value for key, value in values.items() if value != "-"}
    named = list(names) if close else [cell for name in names for cell in (name, "", "")][:-2]
    rows: list[list[str]] = [
        ["PathFileType", "4", kind, "trial.trc"],
        list(values),
        list(values.values()),
        ["Frame#", "Time", *named, tail],
    ]
    if axes:
        rows.append(["", "", *(f"{axis}{b + 1}" for b in range(bodies) for axis in "XYZ")])
    rows += [[]] * blank
    factor = {
        "mm": 1000.0,
        "Millimeters": 1000.0,
        "m": 1.0,
        "meters": 1.0,
        "cm": 100.0,
        "in": 1.0 / 0.0254,
    }[unit]
    for i, t in enumerate(TIME):
        cells = numbers(np.concatenate([factor * position(b)[i] for b in range(bodies)]), 6, comma)
        rows.append(
            [str(i + 1), numbers([t], 6, comma)[0] if timed else "", *cells, *[tail] * bool(tail)]
        )
    return save(path, rows, "\t")
