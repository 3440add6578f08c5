"""Display in notebooks, and conversion of runs to pandas, xarray and Matplotlib."""

from __future__ import annotations

import base64
import io
import re
import sys
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.paths import scenes_dir

MAIN = scenes_dir() / "obstacle_aided.toml"
VOID = ("img", "br")


class Closed(HTMLParser):
    """Checks that every element is closed by its own end tag."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "


def read(displayed: object) -> tuple[str, list[Image.Image]]:
    """Return text and images of the display in a notebook."""
    text = displayed._repr_html_()  # type: ignore[attr-defined]
    parser = Closed()
    parser.feed(text)
    assert not parser.open
    images = re.findall(r'src="data:image/png;base64,([^"]+)"', text)
    return parser.text, [Image.open(io.BytesIO(base64.b64decode(data))) for data in images]


def drawn(picture: Image.Image) -> bool:
    """Return whether an image is not blank."""
    return len(set(picture.convert("L").resize((64, 23)).tobytes())) > 10


@pytest.fixture(scope="module")
def run() -> ss.Run:
    return ss.simulate(MAIN, duration=0.5)


def test_run_is_displayed_with_path_and_speed(run: ss.Run) -> None:
    text, (picture,) = read(run)
    assert drawn(picture)
    displacement = np.hypot(*(run[f"com_{axis}_m"][-1] - run[f"com_{axis}_m"][0] for axis in "xy"))
    assert f"Displacement {displacement:.4g} m, {displacement / 0.5:.4g} m/s" in text
    assert "0 to 0.5 s, 51 rows" in text


def test_scene_is_displayed_from_above() -> None:
    scene = with_values(ss.load_scene(MAIN), {"title": "<b>Posts & pegs"})
    text, (picture,) = read(scene)
    assert drawn(picture)
    assert "<b>Posts & pegs" in text  # as text, not as an element
    assert "11 links" in text


def test_scene_with_missing_files_is_displayed_as_text() -> None:
    values = {"gait": {"kind": "table", "file": "nowhere.csv"}, "start": {"kind": "gait"}}
    scene = with_values(ss.load_scene(MAIN), values)
    text, pictures = read(scene)
    assert not pictures
    assert "11 links" in text


def test_scene_without_renderer_is_displayed_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = ss.load_scene(MAIN)
    monkeypatch.setattr("snakestudio.model.html_renderer._renderer", None)
    assert scene._repr_html_() is None


def test_comparison_is_displayed_with_differences() -> None:
    comparison = ss.compare_models(MAIN, "planar_nonsmooth", "planar_lagrangian", duration=0.1)
    text, (picture,) = read(comparison)
    assert drawn(picture)
    assert "planar_nonsmooth" in text


def test_run_is_converted_to_a_data_frame(run: ss.Run) -> None:
    frame = run.to_pandas()
    assert frame.index.name == "time_s"
    assert tuple(frame.columns) == run.columns[1:]
    np.testing.assert_array_equal(frame["link_6_x_m"], run["link_6_x_m"])


@pytest.mark.parametrize("name", ["obstacle_aided", "sidewinding"])
def test_run_is_converted_to_a_dataset_with_units(name: str) -> None:
    run = ss.simulate(scenes_dir() / f"{name}.toml", duration=0.05)
    data = run.to_xarray()
    places = {"link": "link", "joint_yaw": "joint", "joint_pitch": "joint"}
    columns = set()
    for variable, values in data.data_vars.items():
        dimension = values.dims[-1]
        if dimension == "time_s":
            columns.add(variable)
            np.testing.assert_array_equal(values, run[variable], variable)
            continue
        part = places[dimension]
        for number in data[dimension].values.tolist():
            column = str(variable).replace(part, f"{part}_{number}", 1)
            columns.add(column)
            np.testing.assert_array_equal(values.sel({dimension: number}), run[column], column)
    assert columns == set(run.columns) - {"time_s"}
    assert data["link_x_m"].attrs["units"] == "m"
    assert data["joint_yaw_torque_nm"].attrs["units"] == "N m"


@pytest.mark.parametrize(("library", "method"), [("pandas", "to_pandas"), ("xarray", "to_xarray")])
def test_missing_library_is_named(
    run: ss.Run, library: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ss.UsageError, match=rf"{method} needs {library}, .* pip install {library}"):
        getattr(run, method)()


def test_columns_and_expressions_are_plotted(run: ss.Run) -> None:
    with mpl.rc_context({"backend": "agg"}):
        ax = run.plot()
        assert [line.get_label() for line in ax.lines] == ["CoM x", "CoM y", "CoM z"]
        assert ax.get_ylabel() == "m"
        np.testing.assert_array_equal(ax.lines[1].get_ydata(), run["com_y_m"])
        assert run.plot("link_6_x_m", ax=ax) is ax
        speed = run.plot(["norm(com_v?_mps)"])
        np.testing.assert_array_equal(speed.lines[0].get_ydata(), run.signal("norm(com_v?_mps)"))
        with pytest.raises(ss.SnakeStudioError, match="Did you mean com_x_m"):
            run.plot("com_xm")
        with pytest.raises(ss.UsageError, match="columns must be"):
            run.plot([3])
        mpl.pyplot.close("all")
