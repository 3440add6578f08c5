"""Continuum robots of the paper: values of their motions that follow from strains and contacts alone."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.special import j0

from snakestudio.control import registry
from snakestudio.control.strain_source import StrainSource
from snakestudio.model.robot.beam_shape import initial_body, shape
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir

NAMES = ("worm", "worm_accelerating", "inchworm", "continuum_snake_2d", "continuum_snake_3d")


def scene_of(name: str) -> Scene:
    return load_scene(scenes_dir() / f"{name}.toml")


@pytest.mark.parametrize("name", NAMES)
def test_strains_of_a_bundled_scene_can_be_imposed(name: str) -> None:
    scene = scene_of(name)
    assert registry.check(scene) == []
    source = registry.create(scene)
    assert isinstance(source, StrainSource)
    pose, twist = initial_body(scene)
    assert np.isfinite(pose).all()
    assert (twist == 0).all()
    assert pose[:, 2].min() >= scene.beam.radius_m - 1e-12
    begin = time.thread_time()
    source.reference(np.arange(0, 101) * scene.solver.step_s, None)
    assert time.thread_time() - begin < 1.0  # a second of simulated time


@pytest.mark.parametrize(
    ("name", "distance"), [("worm", -3.0), ("worm_accelerating", -(0.01 * 100 + 0.1 * 10))]
)
def test_worm_moves_as_far_as_its_waves(name: str, distance: float) -> None:
    # (42), with any active anchor: dx_o/dt = -int dGamma/dt dX - Gamma(C) dC/dt; in time by
    # Simpson's rule.
    scene = scene_of(name)
    law = StrainLaw(scene.strain, scene.beam)
    source = registry.create(scene)
    assert isinstance(source, StrainSource)
    reference = source.reference(np.linspace(0, 10, 1001), None)
    velocity = []
    for i, t in enumerate(reference.time):
        hold = reference.hold[i]
        each = []
        for c, rate in hold[hold[:, 0] == 1, 1:3]:
            x, weight = np.polynomial.legendre.leggauss(30)
            points = 0.5 * c * (1 + x)
            stretching = 0.5 * c * weight @ law.at(np.array([t]), points).rate[0, :, 0]
            each.append(-stretching - law.at(np.array([t]), np.array([c])).strain[0, 0, 0] * rate)
        # independent of the anchor, as in the paper
        np.testing.assert_allclose(each, each[0], atol=1e-12)
        velocity.append(each[0])
    v = np.array(velocity)
    moved = (v[:-2:2] + 4 * v[1::2] + v[2::2]).sum() * 0.01 / 6
    stretch = 0.004 * 0.15 / (2 * math.pi)  # the head moves back and forth by the same amount
    assert moved == pytest.approx(distance, abs=2.5 * stretch)


def test_inchworm_stride_equals_the_paper() -> None:
    scene = scene_of("inchworm")
    law = StrainLaw(scene.strain, scene.beam)
    points = np.linspace(0, 0.5, 321)
    position = shape(law.at(np.array([0.0, 1.0, 2.0]), points).strain, 0.5)[1]
    reach = position[:, -1]
    # both ends stay on the wall, aligned with it
    np.testing.assert_allclose(reach[:, 1:], 0, atol=1e-9)
    np.testing.assert_allclose(reach[:, 0], [0.5, 0.5 * j0(1.8), 0.5], atol=1e-7)
    assert -7 * (reach[0, 0] - reach[1, 0]) == pytest.approx(-2.310048, abs=1e-6)
    pose = initial_body(scene)[0]
    # the arch rises from the wall
    np.testing.assert_allclose(matrices(pose[:1, 3:])[0] @ [0, 1, 0], [0, 0, 1], atol=1e-14)
    np.testing.assert_allclose(pose[0, :3], [0, 0, 0.02], atol=1e-15)
    assert pose[:, 2].max() == pytest.approx(0.02, abs=1e-12)


def test_heads_of_the_snakes_end_at_the_published_positions() -> None:
    # The head moves along the curve whose strains are functions of s = V_o t: backwards, as V_o <
    # 0.
    for name in ("continuum_snake_2d", "continuum_snake_3d"):
        scene = scene_of(name)
        law = StrainLaw(scene.strain, scene.beam)
        t = np.linspace(0.0, 10.0, 4001)
        turn, position = shape(law.at(t, np.zeros(1)).strain[:, 0], -5.0)
        if name.endswith("3d"):
            np.testing.assert_allclose(position[-1], [-3.0437, 0.1491, -0.7090], atol=6e-5)
        else:
            wave = 10 * 0.8 / (2 * math.pi) * math.sin(2 * math.pi * -5.0 / 0.8)
            angle = math.atan2(turn[-1, 1, 0], turn[-1, 0, 0]) - wave
            assert math.remainder(angle + 1.2069003, 2 * math.pi) == pytest.approx(0, abs=1e-6)
