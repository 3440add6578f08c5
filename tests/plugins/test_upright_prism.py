"""Upright prisms: pillars of shapes of plug-ins, as walls of planar models if they are rectangular."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio import api
from snakestudio.errors import MistakeError
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.solids import Prism
from snakestudio.model.scene import Scene
from snakestudio.plugins.loading import load
from snakestudio.plugins.starting import new_plugin
from snakestudio.session.scene_check import check

SQUARE = np.array([[0.3, 0.06], [0.5, 0.06], [0.5, 0.26], [0.3, 0.26]])


def shape(folder: Path, solid: str) -> None:
    path = folder / "pillar.py"
    text = new_plugin("shape", path, force=True).replace(
        "import Post,", "import Block, Post, Prism, turned,"
    )
    more = f"""

import dataclasses
import numpy as np


def one(pillar, base_dir):
    return [{solid}]


KIND = dataclasses.replace(KIND, solids=one)
"""
    path.write_text(text + more)
    load(path)


def scene(model: str) -> Scene:
    obstacle = {"kind": "pillar", "x_m": 0.4, "y_m": 0.15}
    values = {
        "model.kind": model,
        "robot.n_links": 5,
        "run.duration_s": 1.0,
        "gait.amplitude_deg": 50.0,
    }
    return with_values(Scene(), {**values, "obstacles": [obstacle]})


def test_axis_is_vertical_and_outline_is_that_of_a_map() -> None:
    for corners in (SQUARE, SQUARE[::-1]):
        prism = Prism.upright(corners, 0.1, 0.4)
        x, y, z = prism.rotation.T
        np.testing.assert_allclose(np.cross(x, y), z)
        assert abs(y[2]) == 1.0
        world = prism.origin + prism.profile[:, :1] * x + prism.profile[:, 1:] * z
        assert {tuple(each) for each in np.round(world[:, :2], 12)} == set(map(tuple, SQUARE))
        assert prism.origin[2] - prism.half_width == pytest.approx(0.1)
        assert prism.origin[2] + prism.half_width == pytest.approx(0.4)
        one, other = prism.profile, np.roll(prism.profile, -1, axis=0)
        assert (one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum() > 0.0, "anticlockwise"


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [1, 0]],
        [[0, 0], [2, 0], [1, 0.2], [1, 2]],
        [[0, 0], [1, 1], [1, 0], [0, 1]],
        [0, 1, 2],
    ],
)
def test_invalid_outlines_are_refused(corners: list[object]) -> None:
    with pytest.raises(MistakeError):
        Prism.upright(corners, 0.0, 1.0)  # type: ignore[arg-type]


def test_rectangular_prism_is_the_same_wall_as_a_block(tmp_path: Path) -> None:
    corners = SQUARE.tolist()
    shape(tmp_path, f"Prism.upright({corners}, 0.0, 0.3)")
    assert [each for each in check(scene("planar_nonsmooth")) if each.severity == "error"] == []
    one = api.simulate(scene("planar_nonsmooth"))
    shape(tmp_path, "Block(np.array([0.4, 0.16, 0.15]), turned(0.0), np.array([0.1, 0.1, 0.15]))")
    other = api.simulate(scene("planar_nonsmooth"))
    assert np.abs(other["contact_obstacle_fy_n"]).max() > 0.0
    for name in ("link_1_x_m", "link_5_y_m", "contact_obstacle_fy_n"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-9)


def test_other_outlines_need_the_spatial_model(tmp_path: Path) -> None:
    shape(tmp_path, f"Prism.upright({SQUARE[:3].tolist()}, 0.0, 0.3)")
    (problem,) = (each for each in check(scene("planar_nonsmooth")) if each.severity == "error")
    assert "upright blocks" in problem.message
    keys = [each.key for each in check(scene("spatial_nonsmooth")) if each.severity == "error"]
    assert "obstacles[1].kind" not in keys
