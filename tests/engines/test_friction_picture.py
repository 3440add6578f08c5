"""Ground friction from an image: its values, a slide over it in closed form, and unusable files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.interpolate import RegularGridInterpolator

from snakestudio.api.running import simulate_scene
from snakestudio.engines.ground_map import make_body_ground_map, make_ground_map, varies
from snakestudio.errors import SceneError
from snakestudio.kernels.ground_patches import friction_scale
from snakestudio.model.edits import with_values
from snakestudio.model.ground_friction import ground_friction_problems
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import dump_scene, parse_scene, scene_from_dict
from snakestudio.model.world import Ground, GroundPicture
from snakestudio.session.scene_check import check
from tests.engines.beam import shipped

G = 9.81


def save_grey(path: Path, grey: np.typing.ArrayLike) -> None:
    """Save an image of grey values 0 to 255, with the first row on top."""
    Image.fromarray(np.asarray(grey, np.uint8)).save(path)


def pictured(**values: Any) -> Scene:
    return Scene(ground=Ground(picture=GroundPicture(file="floor.png", **values)))


def test_factor_is_bilinear_between_the_pixels(tmp_path: Path) -> None:
    grey = np.random.default_rng(0).integers(0, 256, (5, 8))
    save_grey(tmp_path / "floor.png", grey)
    scene = pictured(x_m=0.3, y_m=-0.2, width_m=1.6, yaw_deg=30.0, black=0.1, white=1.5)
    ground = make_ground_map(scene, tmp_path)
    assert varies(ground)
    pixel = 0.2
    across = pixel * (np.arange(8) - 3.5)
    up = pixel * (np.arange(5) - 2.0)
    expected = RegularGridInterpolator((up, across), 0.1 + 1.4 * grey[::-1] / 255.0)
    turn = math.radians(30.0)
    for y, x in np.random.default_rng(1).uniform(
        (up[0], across[0]), (up[-1], across[-1]), (200, 2)
    ):
        point = (
            0.3 + math.cos(turn) * x - math.sin(turn) * y,
            -0.2 + math.sin(turn) * x + math.cos(turn) * y,
        )
        assert friction_scale(ground, 0.0, *point) == pytest.approx(
            expected((y, x)).item(), abs=1e-12
        )


def test_factor_is_constant_up_to_the_edge_and_one_beyond(tmp_path: Path) -> None:
    save_grey(tmp_path / "floor.png", [[0, 255], [255, 0]])
    ground = make_ground_map(pictured(width_m=2.0, black=0.25, white=0.75), tmp_path)
    assert friction_scale(ground, 0.0, -0.99, 0.99) == 0.25
    assert friction_scale(ground, 0.0, 0.99, 0.99) == 0.75
    assert friction_scale(ground, 0.0, 0.0, 0.0) == 0.5
    for point in ((-1.01, 0.99), (0.99, 1.01), (math.nan, 0.0)):
        assert friction_scale(ground, 0.0, *point) == 1.0


def test_formula_and_image_multiply(tmp_path: Path) -> None:
    save_grey(tmp_path / "floor.png", [[0, 0], [0, 0]])
    scene = with_values(pictured(black=0.5), {"ground.friction_factor": "2*t"})
    assert friction_scale(make_ground_map(scene, tmp_path), 1.5, 0.0, 0.0) == 1.5
    assert friction_scale(make_ground_map(scene, tmp_path), -1.0, 0.0, 0.0) == 0.0


def test_ground_without_an_image_does_not_vary() -> None:
    assert not varies(make_ground_map(Scene()))


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "planar_lagrangian"])
def test_link_stops_on_two_grey_values_by_its_energy(kind: str, tmp_path: Path) -> None:
    # It slides along -x from the white half, with friction 0.4, into the black half, with 0.1. The
    # factor changes linearly within a pixel around x = -0.1, and so takes as much energy as a step
    # there.
    save_grey(tmp_path / "floor.png", [[0] * 50 + [255] * 50] * 2)
    scene = scene_from_dict(
        {
            "format": 1,
            "model": {"kind": kind},
            "robot": {"n_links": 1},
            "ground": {
                "mu_along": 0.4,
                "mu_across": 0.4,
                "coulomb_smoothing_m_s": 1e-5,
                "picture": {"file": "floor.png", "x_m": -0.1, "width_m": 4.0, "black": 0.25},
            },
            "gait": {"kind": "lateral_undulation"},
            "joint_controller": {},
            "start": {"kind": "straight", "vx_m_s": -1.0},
            "solver": {"step_s": 1e-4},
            "run": {"duration_s": 1.0, "log_rate_hz": 10.0},
        }
    )
    run = simulate_scene(scene, tmp_path)
    left = 0.5 * 1.0**2 - 0.4 * G * 0.1
    assert run["link_1_x_m"][-1] == pytest.approx(-0.1 - left / (0.1 * G), abs=2e-4)
    assert run["link_1_x_m"][-2] == pytest.approx(run["link_1_x_m"][-1], abs=1e-5)


@pytest.mark.parametrize(
    "name",
    [
        "lateral_undulation_isotropic",
        "spatial_lateral_undulation",
        "lagrangian_undulation",
        "continuum_friction",
    ],
)
def test_image_of_one_grey_is_a_constant_factor(name: str, tmp_path: Path) -> None:
    save_grey(tmp_path / "floor.png", [[255, 255], [255, 255]])
    scene = shipped(name, run__duration_s=0.2, ground__mu_along=0.2, ground__mu_across=0.4)
    assert not scene.ground.picture
    picture = {"file": "floor.png", "width_m": 1e3, "white": 0.5}
    on_picture = with_values(scene, {"ground.picture": picture})
    assert not [problem for problem in check(on_picture, tmp_path) if problem.severity == "error"]
    run = simulate_scene(on_picture, tmp_path)
    expected = simulate_scene(with_values(scene, {"ground.friction_factor": "0.5"}), tmp_path)
    plain = simulate_scene(scene, tmp_path)
    column = "com_x_m"
    np.testing.assert_array_equal(run[column], expected[column])
    assert not np.array_equal(run[column], plain[column])


def test_held_body_does_not_use_the_image() -> None:
    scene = with_values(shipped("worm"), {"ground.picture": {"file": "missing.png"}})
    simulate_scene(with_values(scene, {"run.duration_s": 0.02}), None)
    (problem,) = [problem for problem in check(scene) if problem.key.startswith("ground")]
    assert "ground.picture" in problem.sentence()


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            "missing.png",
            r"missing.png' cannot be used \(No such file or directory\). Choose a grey-scale PNG",
        ),
        (
            "text.png",
            "text.png' cannot be used",
        ),
        (
            "thin.png",
            r"thin.png' cannot be used \(it has 1 x 3 pixels\). Use 2 to 4096 pixels",
        ),
        (".", "cannot be used"),
        ("File://elsewhere/floor.png", "elsewhere"),
        (
            "",
            r"chosen.*grey\-scale",
        ),
    ],
)
def test_unusable_image_is_reported(file: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    save_grey(tmp_path / "thin.png", [[0], [1], [2]])
    scene = with_values(Scene(), {"ground.picture": {"file": file, "width_m": 3.0}})
    (problem,) = ground_friction_problems(scene, tmp_path)
    assert (problem.severity, problem.key) == ("error", "ground.picture.file")
    with pytest.raises(SceneError, match=message):
        simulate_scene(scene, tmp_path)
    if file:
        for make in (make_ground_map, make_body_ground_map):
            with pytest.raises(SceneError, match=message):
                make(scene, tmp_path)


def test_scene_file_has_the_table_only_with_a_picture() -> None:
    assert "picture" not in dump_scene(Scene())
    text = dump_scene(pictured(yaw_deg=5.0))
    assert '[ground.picture]\nfile = "floor.png"\n' in text
    assert parse_scene(text) == pictured(yaw_deg=5.0)
    without = with_values(parse_scene(text), {"ground.picture": None})
    assert without == Scene()
    assert parse_scene(dump_scene(without, text)) == Scene()
    assert "picture" not in dump_scene(without, text)
