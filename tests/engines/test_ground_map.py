"""Ground friction that varies with position: formulas as programs, polygons, and a link's own coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.path import Path

from snakestudio.engines.ground_map import formula_program, make_ground_map
from snakestudio.kernels.formula_program import evaluate_program
from snakestudio.kernels.ground_patches import friction_scale, load_scale, patch_under
from snakestudio.model.formula import read
from snakestudio.model.ground_friction import axial_friction, ground_friction_problems
from snakestudio.model.robot.overrides import LinkOverride
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground, GroundPatch


@pytest.mark.parametrize(
    "text",
    [
        "1+0.5*cos(2*pi*(3*X-t))",
        "sqrt(X*X)",
        "X^2/(1+t^2)",
        "bump(X*2)+rise(3*t)",
        "asin(X)*acos(X)+atan(t)",
        "exp(-X)*log(t+2)",
        "2^X",
        "sinh(X)+cosh(t)*tanh(X)-tan(t)",
        "sqrt(X*2+1)",
        "(X+2)^-1.5",
        "1",
        "sqrt(3)*X-1/7",
    ],
)
def test_program_has_the_values_of_the_formula(text: str) -> None:
    formula = read(text, "any", {"X": "any", "t": "any"})
    program = formula_program(formula, ("X", "t"))
    x, t = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 40))
    expected = np.broadcast_to(formula.at({"X": x, "t": t})[0], x.shape)
    got = [evaluate_program(program, *values, 0.0) for values in zip(x, t, strict=True)]
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)


def _star(x: float, y: float) -> tuple[tuple[float, float], ...]:
    angle = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
    radius = np.where(np.arange(10) % 2, 0.4, 1.0)
    return tuple(
        (float(x + r * np.cos(a)), float(y + r * np.sin(a)))
        for r, a in zip(radius, angle, strict=True)
    )


def test_patch_is_the_last_polygon_around_the_point() -> None:
    polygons = [
        _star(0.0, 0.0),
        _star(0.5, 0.3),
        ((-1.0, -1.0), (0.0, -1.0), (0.0, 0.0), (-1.0, 0.0)),
    ]
    ground = make_ground_map(
        Scene(ground=Ground(patch=tuple(GroundPatch(points_m=points) for points in polygons)))
    )
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (2000, 2))
    inside = np.array([Path(polygon).contains_points(points) for polygon in polygons])
    expected = np.max(inside * np.array([[1], [2], [3]]), axis=0)
    assert set(expected) == {0, 1, 2, 3}
    np.testing.assert_array_equal([patch_under(ground, *point) for point in points], expected)


def test_link_friction_applies_on_patches() -> None:
    links = (LinkOverride(index=1, wheels="passive"), LinkOverride(index=2, mu_along=0.7))
    patch = GroundPatch(
        points_m=((0, 0), (1, 0), (0, 1)), mu_along=0.3, mu_backward=0.4, mu_across=0.5
    )
    ground = Ground(mu_along=0.1, mu_across=0.2, patch=(patch,))
    table = axial_friction(Robot(n_links=3, link=links), ground)
    np.testing.assert_array_equal(table[0], [[0.0, 0.0, 0.2], [0.7, 0.7, 0.2], [0.1, 0.1, 0.2]])
    np.testing.assert_array_equal(table[1], [[0.0, 0.0, 0.5], [0.7, 0.7, 0.5], [0.3, 0.4, 0.5]])
    tail_first = axial_friction(Robot(n_links=3, head="last"), ground)
    np.testing.assert_array_equal(tail_first[1, 0], [0.4, 0.3, 0.5])


def test_factors_are_at_least_0_and_measured_from_the_head() -> None:
    ground = Ground(load_factor="1 - X*10", friction_factor="2*t*x*y")
    for head, first in (("first", 0.5), ("last", 0.0)):
        ground_map = make_ground_map(
            Scene(robot=Robot(n_links=2, link_length_m=0.1, head=head), ground=ground)
        )
        assert load_scale(ground_map, 0, 0.0) == pytest.approx(first, abs=1e-15)
    assert friction_scale(ground_map, 2.0, 0.5, 0.5) == pytest.approx(1.0)
    assert friction_scale(ground_map, 2.0, -0.5, 0.5) == 0.0


def test_factors_of_one_have_no_program() -> None:
    ground_map = make_ground_map(Scene())
    assert len(ground_map.load) == len(ground_map.factor) == len(ground_map.patches) == 0
    assert load_scale(ground_map, 0, 0.0) == friction_scale(ground_map, 0.0, 0.0, 0.0) == 1.0


@pytest.mark.parametrize(
    ("ground", "key", "message"),
    [
        ({"load_factor": "1 + Y"}, "ground.load_factor", "'Y' at character 5 is not known"),
        ({"load_factor": "cos(x)"}, "ground.load_factor", "Write X"),
        ({"load_factor": "X*t"}, "ground.load_factor", "no unit"),
        ({"load_factor": "1/(t - 0.25)"}, "ground.load_factor", "not finite"),
        ({"friction_factor": "1/(t - 0.25)"}, "ground.friction_factor", "for t ="),
        ({"friction_factor": "cos(2*X)"}, "ground.friction_factor", "Use x and y"),
        ({"patch": ({"points_m": ((0, 0), (1, 1), (2, 2))},)}, "ground.patch[1].points_m", "area"),
    ],
)
def test_errors_of_ground_friction_name_the_key(
    ground: dict[str, object], key: str, message: str
) -> None:
    (problem,) = ground_friction_problems(Scene.model_validate({"ground": ground}))
    assert (problem.severity, problem.key) == ("error", key)
    assert message in problem.sentence()
