"""The exported plan, read back: positions are those of the scene, at the scale written on it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from svgelements import SVG, Group, Shape, Text

from snakestudio._arrays import FloatArray
from snakestudio.errors import ExportError, SceneError, UsageError
from snakestudio.export.formats import EXPORTS, PlanOptions, SceneSource, write_as
from snakestudio.export.plan import sheet_of, write_plan
from snakestudio.model.edits import with_values
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir

MM = 25.4 / 96.0
"""Millimetres per pixel of an SVG."""

POSTS = [(0.0, 0.0, 0.1), (1.5, 0.4, 0.05), (0.7, -0.9, 0.2)]


def scene_with_posts(**values: Any) -> Scene:
    posts = [{"kind": "cylinder", "x_m": x, "y_m": y, "radius_m": r} for x, y, r in POSTS]
    start = {"kind": "straight", "x_m": 0.3, "y_m": 0.5, "heading_deg": 20.0}
    return with_values(
        Scene(), {"obstacles": posts, "start": start, "title": "Three posts", **values}
    )


class Drawing:
    """An SVG in millimetres, y upwards, with the scale read from its text."""

    def __init__(self, path: Path) -> None:
        svg = SVG.parse(str(path))
        self.width = float(svg.width) * MM
        self.height = float(svg.height) * MM
        self.texts = [
            element.text for element in svg.elements() if isinstance(element, Text) and element.text
        ]
        self._groups = {
            element.id: element
            for element in svg.elements()
            if isinstance(element, Group) and element.id
        }
        messages = next(
            match for text in self.texts if (match := re.search(r"1 : ([\d.]+)$", text))
        )
        self.scale = float(messages[1])

    def __contains__(self, name: str) -> bool:
        return name in self._groups

    def box(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Corners of the element with this name, mm."""
        shapes = self._groups[name].select(
            lambda e: isinstance(e, Shape) and not isinstance(e, Text)
        )
        boxes = MM * np.array([shape.bbox(with_stroke=False) for shape in shapes])
        low = boxes[:, :2].min(axis=0)
        high = boxes[:, 2:].max(axis=0)
        return np.array([low[0], self.height - high[1]]), np.array([high[0], self.height - low[1]])

    def centre(self, name: str) -> FloatArray:
        """Its centre on the ground, m, except for the origin."""
        low, high = self.box(name)
        return 0.5 * (low + high) * self.scale / 1000.0

    def size(self, name: str) -> FloatArray:
        """Its size, m."""
        low, high = self.box(name)
        return np.asarray((high - low) * self.scale / 1000.0)


def test_posts_are_circles_of_their_radius_at_their_distances(tmp_path: Path) -> None:
    source = SceneSource(scene_with_posts())
    path = tmp_path / "new" / "plan.svg"
    assert write_as(EXPORTS["plan"], source, path, PlanOptions(width_mm=150.0, names=False))
    drawing = Drawing(path)
    assert drawing.width == pytest.approx(150.0, abs=0.01)
    for number, (x, y, radius) in enumerate(POSTS, start=1):
        np.testing.assert_allclose(drawing.size(f"obstacle-{number}"), 2 * radius, atol=1e-5)
        away = drawing.centre(f"obstacle-{number}") - drawing.centre("obstacle-1")
        np.testing.assert_allclose(away, (x, y), atol=1e-5)
    # The numbers along the edges are the same metres.
    ticks = [name for name in drawing._groups if name.startswith("xtick")]
    assert len(ticks) > 3
    for name in ticks:
        text = next(
            e.text for e in drawing._groups[name].select(lambda e: isinstance(e, Text)) if e.text
        )
        at = drawing.centre(name)[0]
        assert at - drawing.centre("obstacle-1")[0] == pytest.approx(
            float(text.replace("−", "-")), abs=1e-5
        )
    bar = sum(drawing.size(f"scale-bar-{half}")[0] for half in (1, 2))
    assert f"{1000 * bar:.0f} mm" in drawing.texts
    assert "Three posts" in drawing.texts


@pytest.mark.parametrize("head", ["first", "last"])
def test_robot_is_at_its_start_with_a_marked_head(tmp_path: Path, head: str) -> None:
    scene = scene_with_posts(**{"robot.head": head, "robot.n_links": 4})
    drawing = Drawing(write_plan(tmp_path / "plan.svg", scene))
    pose, _ = initial_state(scene)
    index = 0 if head == "first" else 3
    for link in range(4):
        name = "head" if link == index else f"link-{link + 1}"
        away = drawing.centre(name) - drawing.centre("obstacle-1")
        np.testing.assert_allclose(away, pose[link, :2], atol=1e-4)
    half = scene.robot.contact_half_length_m
    radius = scene.robot.radius_m
    angle = np.radians(20.0)
    expected = 2 * (half * np.abs([np.cos(angle), np.sin(angle)]) + radius)
    np.testing.assert_allclose(drawing.size("head"), expected, rtol=2e-3)


def test_hidden_obstacles_are_omitted_and_names_are_optional(tmp_path: Path) -> None:
    scene = scene_with_posts(
        **{"obstacles[2].hidden": True, "obstacles[1].name": "Post $5_a & <b>"}
    )
    plain = Drawing(write_plan(tmp_path / "plain.svg", scene))
    named = Drawing(write_plan(tmp_path / "named.svg", scene, names=True))
    for drawing in (plain, named):
        assert "obstacle-1" in drawing
        assert "obstacle-2" not in drawing
        assert "obstacle-3" in drawing
    assert "Post $5_a & <b>" not in plain.texts
    assert "Post $5_a & <b>" in named.texts
    assert "3" in named.texts


def test_every_shape_and_the_path_are_drawn_to_scale(tmp_path: Path) -> None:
    others = [
        {"kind": "box", "x_m": 2.0, "y_m": 0.0, "length_m": 0.6, "width_m": 0.2, "yaw_deg": 30.0},
        {
            "kind": "ramp",
            "x_m": 3.0,
            "y_m": 0.0,
            "length_m": 1.0,
            "width_m": 0.5,
            "heading_deg": 90.0,
        },
        {
            "kind": "stairs",
            "x_m": -2.0,
            "y_m": 0.0,
            "steps": 3,
            "run_m": 0.3,
            "landing_m": 0.4,
            "width_m": 0.8,
        },
        {"kind": "rubble", "x_m": 0.0, "y_m": 3.0, "blocks": 4},
        {
            "kind": "height_field",
            "x_m": 0.0,
            "y_m": -3.0,
            "heights_m": [[0.0, 0.1], [0.1, 0.0]],
            "width_m": 0.7,
        },
    ]
    scene = scene_with_posts(**{"path.waypoints_m": [[0.0, 1.0], [1.0, 1.0], [2.0, 1.6]]})
    posts = [{"kind": "cylinder", "x_m": x, "y_m": y, "radius_m": r} for x, y, r in POSTS]
    scene = with_values(scene, {"obstacles": posts + others})
    drawing = Drawing(write_plan(tmp_path / "plan.svg", scene))
    zero = drawing.centre("obstacle-1")
    c, s = np.cos(np.radians(30)), np.sin(np.radians(30))
    np.testing.assert_allclose(
        drawing.size("obstacle-4"), (0.6 * c + 0.2 * s, 0.6 * s + 0.2 * c), atol=1e-4
    )
    np.testing.assert_allclose(drawing.centre("obstacle-5") - zero, (3.0, 0.5), atol=1e-4)
    np.testing.assert_allclose(drawing.size("obstacle-6-1"), (1.0, 0.8), atol=1e-4)
    np.testing.assert_allclose(drawing.size("obstacle-6-3"), (0.4, 0.8), atol=1e-4)
    assert "obstacle-7-4" in drawing
    np.testing.assert_allclose(drawing.size("obstacle-8"), (2.0, 0.7), atol=1e-4)
    np.testing.assert_allclose(drawing.size("path"), (2.0, 0.6), atol=2e-3)


def test_exports_are_byte_identical_in_every_format(tmp_path: Path) -> None:
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    for suffix, magic in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".PDF", b"%PDF")):
        first, again = (
            write_plan(tmp_path / f"{name}{suffix}", scene).read_bytes() for name in "ab"
        )
        assert first == again
        assert first.startswith(magic)


def test_continuous_body_is_drawn_with_its_head(tmp_path: Path) -> None:
    scene = load_scene(scenes_dir() / "continuum_snake_2d.toml")
    drawing = Drawing(write_plan(tmp_path / "plan.svg", scene))
    pose, _ = initial_state(scene)
    low, high = drawing.box("head")
    first = pose[:2, :2].mean(axis=0)
    last = drawing.centre(f"link-{scene.beam.sections - 1}") - drawing.centre("head")
    np.testing.assert_allclose(last, pose[-2:, :2].mean(axis=0) - first, atol=1e-4)
    assert (high - low).min() > 0


@pytest.mark.parametrize(
    ("low", "high", "width"),
    [((0, 0), (3, 1), 180), ((-1, -1), (0, 8), 100), ((0, 0), (0.1, 0.1), 80)],
)
def test_scale_is_round_and_the_drawing_fits(low: Any, high: Any, width: float) -> None:
    sheet = sheet_of(np.array(low, float), np.array(high, float), width)
    digits = f"{sheet.scale:e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in ("1", "2", "2.5", "5")
    assert (sheet.low < low).all()
    assert (sheet.high > high).all()
    assert (sheet.on_sheet(sheet.low) > 0).all()
    assert (sheet.on_sheet(sheet.high) < (sheet.width, sheet.height)).all()
    np.testing.assert_allclose(
        sheet.on_sheet(sheet.high) - sheet.on_sheet(sheet.low),
        (sheet.high - sheet.low) * 1000 / sheet.scale,
    )


def test_failed_drawing_is_reported_and_leaves_no_file(tmp_path: Path) -> None:
    scene = scene_with_posts()
    with pytest.raises(ExportError, match=r"\.pdf, \.svg, \.png"):
        write_plan(tmp_path / "plan.gif", scene)
    with pytest.raises(UsageError, match="from 50 to 2000 mm"):
        write_plan(tmp_path / "plan.svg", scene, width_mm=5.0)
    broken = with_values(scene, {"start": {"kind": "recording", "file": "gone.csv"}})
    with pytest.raises(SceneError, match=r"gone\.csv"):
        write_plan(tmp_path / "plan.svg", broken, tmp_path)
    assert list(tmp_path.iterdir()) == []
