"""Markers from TRC files written by hand, and from C3D files written by ezc3d."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import ezc3d
import numpy as np
import pytest

from snakestudio.analysis.experiment.importing import guess_layout, read_capture
from snakestudio.analysis.experiment.layout import BodyColumns
from snakestudio.errors import ExperimentError
from tests.experiment_runs import track

TIME = np.arange(60) / 20.0
PLACE = np.stack([track(TIME, 0), track(TIME, 5)], axis=1)


def _c3d(path: Path, unit: str = "mm", unseen: tuple[int, ...] = ()) -> Path:
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [20.0]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["link_1", "Marker"]
    file["parameters"]["POINT"]["UNITS"]["value"] = [unit]
    points = np.ones((4, 2, len(TIME)))
    points[:3] = PLACE.transpose(2, 1, 0) * (1000.0 if unit == "mm" else 1.0)
    residuals = np.zeros((1, 2, len(TIME)))
    residuals[0, 1, list(unseen)] = -1.0
    file["data"]["points"] = points
    file["data"]["meta_points"]["residuals"] = residuals
    file.write(str(path))
    return path


def _trc(path: Path, *, up: str = "y", unit: str = "mm") -> Path:
    lines = [
        "PathFileType\t4\t(X/Y/Z)\ta.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"20.00\t20.00\t60\t2\t{unit}\t20.00\t1\t60",
        "Frame#\tTime\tlink_1\t\t\tlink_6\t\t",
        "\t\tX1\tY1\tZ1\tX2\tY2\tZ2",
        "",
    ]
    for i, t in enumerate(TIME):
        cells = [str(i + 1), f"{t:.5f}"]
        for x, y, z in 1000.0 * PLACE[i]:
            cells += [f"{v:.5f}" for v in ((x, z, -y) if up == "y" else (x, y, z))]
        if i in (30, 31):
            cells[5:] = ["", "", ""]
        lines.append("\t".join(cells))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_c3d(tmp_path: Path) -> None:
    capture = read_capture(_c3d(tmp_path / "a.c3d", unseen=(10, 11)))
    assert capture.bodies == ("link_1", "Marker")
    assert capture.links == (0, None)
    np.testing.assert_allclose(capture.time, TIME, atol=1e-9)
    # single precision, two filled in
    np.testing.assert_allclose(capture.position, PLACE, atol=2e-4)
    assert np.flatnonzero(~capture.measured[:, 1]).tolist() == [10, 11]
    assert capture.measured[:, 0].all()


def test_c3d_in_metres_with_chosen_markers_on_links(tmp_path: Path) -> None:
    path = _c3d(tmp_path / "a.c3d", unit="m")
    layout = guess_layout(path)
    assert (layout.length_unit, layout.rate_hz, layout.axes) == ("m", 20.0, "+x+y+z")
    capture = read_capture(path, replace(layout, bodies=(BodyColumns("Marker", link=5),)))
    assert capture.bodies == ("Marker",)
    assert capture.links == (5,)
    np.testing.assert_allclose(capture.position[:, 0], PLACE[:, 1], atol=1e-6)


def test_trc_with_y_up(tmp_path: Path) -> None:
    capture = read_capture(_trc(tmp_path / "a.trc"))
    assert capture.links == (0, 5)
    np.testing.assert_allclose(capture.position[:, 0], PLACE[:, 0], atol=1e-7)
    assert np.flatnonzero(~capture.measured[:, 1]).tolist() == [30, 31]


def test_damaged_files_are_reported(tmp_path: Path) -> None:
    path = _c3d(tmp_path / "a.c3d")
    data = path.read_bytes()
    path.write_bytes(data[:600])
    with pytest.raises(ExperimentError, match=r"a\.c3d"):
        read_capture(path)
    path.write_bytes(b"x" * 2000)
    with pytest.raises(ExperimentError, match="C3D file"):
        read_capture(path)
    trc = tmp_path / "a.trc"
    trc.write_text("t,x,y\n0,1,2\n", encoding="utf-8")
    with pytest.raises(ExperimentError, match="file"):
        read_capture(trc)
    text = _trc(trc).read_text(encoding="utf-8")
    trc.write_text(text.replace("\tmm\t", "\tfurlong\t"), encoding="utf-8")
    with pytest.raises(ExperimentError, match='unit of length "furlong" is unknown'):
        read_capture(trc)
    trc.write_text(text.replace("0.05000\t", "oops\t"), encoding="utf-8")
    with pytest.raises(ExperimentError, match='Line 8: "oops"'):
        read_capture(trc)
