"""Shapes of continuous bodies: an adaptive integrator, closed forms, measured order, and start poses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from snakestudio._arrays import FloatArray
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.robot import beam_shape
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.session.preview import preview

SNAKE = with_values(Scene(), {"model.kind": "continuum_beam"})
ARC = with_values(
    SNAKE, {"strain.kind": "formulas", "strain.k_z_per_m": "2", "strain.speed_m_s": ""}
)


def wavy(x: FloatArray) -> FloatArray:
    """Strains (..., 6) in all components."""
    parts = [
        1 + 0.2 * np.sin(5 * x),
        0.1 * np.cos(3 * x),
        0.2 * x,
        2 * np.cos(4 * x),
        3 * np.sin(2 * x),
        4 * np.cos(6 * x),
    ]
    return np.stack(parts, axis=-1)


def exact(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    def slope(x: float, g: FloatArray) -> FloatArray:
        turn = g[:9].reshape(3, 3)
        xi = wavy(np.array(x))
        return np.concatenate([(turn @ hat(xi[3:])).ravel(), turn @ xi[:3]])

    def hat(v: FloatArray) -> FloatArray:
        return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])

    start = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    track = solve_ivp(
        slope, (0, 1), start, method="DOP853", rtol=1e-13, atol=1e-14, t_eval=points
    ).y.T
    return track[:, :9].reshape(-1, 3, 3), track[:, 9:]


def test_shape_is_that_of_an_adaptive_integrator_and_of_order_4() -> None:
    errors = []
    for n in (10, 20, 40):
        points = np.linspace(0, 1, 2 * n + 1)
        turn, position = beam_shape.shape(wavy(points), 1.0)
        right_turn, right_place = exact(points)
        errors.append(
            [
                np.abs(turn - right_turn)[::2].max(),
                np.abs(turn - right_turn).max(),
                np.abs(position - right_place)[::2].max(),
                np.abs(position - right_place).max(),
            ]
        )
        np.testing.assert_allclose(
            turn @ turn.swapaxes(-1, -2), np.broadcast_to(np.eye(3), turn.shape), atol=1e-13
        )
    orders = np.log2(np.array(errors[1]) / np.array(errors[2]))
    assert (orders > 3.7).all(), orders  # also half points
    assert max(errors[2]) < 1e-5


@pytest.mark.parametrize("n", [1, 2, 3, 16, 37])
def test_constant_strains_give_a_helix_exactly(n: int) -> None:
    k = 3.0
    twist = 2.0
    strain = np.tile([1.0, 0, 0, twist, 0, k], (2 * n + 1, 1))
    x = np.linspace(0, 1.5, 2 * n + 1)
    turn, position = beam_shape.shape(strain, 1.5)
    w = math.hypot(k, twist)
    axis = np.array([twist, 0, k]) / w
    along = axis * axis[0]
    across = np.array([1.0, 0, 0]) - along
    side = np.cross(axis, across)
    expected = (
        x[:, None] * along
        + (np.sin(w * x) / w)[:, None] * across
        + ((1 - np.cos(w * x)) / w)[:, None] * side
    )
    np.testing.assert_allclose(position, expected, atol=1e-13)
    tangent = along + np.cos(w * x)[:, None] * across + np.sin(w * x)[:, None] * side
    np.testing.assert_allclose(turn[:, :, 0], tangent, atol=1e-13)


def test_many_bodies_at_once_are_the_bodies_one_by_one() -> None:
    points = np.linspace(0, 1, 21)
    strain = np.stack([wavy(points), wavy(points + 1), 0 * wavy(points) + [1, 0, 0, 0, 0, 0]])
    turn, position = beam_shape.shape(strain, 1.0)
    for i in range(3):
        one_turn, one_place = beam_shape.shape(strain[i], 1.0)
        np.testing.assert_allclose(turn[i], one_turn, atol=1e-15)
        np.testing.assert_allclose(position[i], one_place, atol=1e-15)
    np.testing.assert_allclose(position[2], points[:, None] * [1, 0, 0], atol=1e-15)


def test_slices_are_a_multiple_of_the_sections_and_fine_enough() -> None:
    for sections in (2, 11, 41, 42, 701):
        scene = with_values(SNAKE, {"beam.sections": sections})
        n = beam_shape.slices(scene)
        assert n % (sections - 1) == 0
        assert 16 <= n <= 4096
        assert len(beam_shape.grid(scene)) == 2 * n + 1
    finer = beam_shape.slices(with_values(SNAKE, {"solver.error_tolerance": 1e-7}))
    assert finer > beam_shape.slices(SNAKE)
    # an exact shape needs no further slices
    assert beam_shape.slices(with_values(ARC, {"strain.k_z_per_m": "0"})) == 40


def test_straight_start_places_one_section() -> None:
    scene = with_values(
        ARC,
        {
            "start.link": 21,
            "start.x_m": 0.3,
            "start.y_m": -0.2,
            "start.z_m": 0.7,
            "start.heading_deg": 30.0,
            "start.pitch_deg": 10.0,
            "start.roll_deg": 20.0,
            "beam.sections": 41,
        },
    )
    pose, twist = beam_shape.initial_body(scene)
    assert pose.shape == (41, 7)
    assert (twist == 0).all()
    np.testing.assert_allclose(pose[20, :3], [0.3, -0.2, 0.7], atol=1e-14)
    a, b, c = np.radians([30.0, 10.0, 20.0])
    z = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    y = np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
    x = np.array([[1, 0, 0], [0, math.cos(c), -math.sin(c)], [0, math.sin(c), math.cos(c)]])
    np.testing.assert_allclose(matrices(pose[:, 3:])[20], z @ y @ x, atol=1e-13)
    chord = np.linalg.norm(pose[40, :3] - pose[0, :3])
    # an arc of radius 1/2 over 2 rad
    assert chord == pytest.approx(2 / 2 * math.sin(1.0), abs=1e-12)


def test_body_without_height_rests_on_the_ground() -> None:
    pose, _ = beam_shape.initial_body(with_values(ARC, {"start.roll_deg": 90.0}))
    assert pose[0, 2] == pytest.approx(0.02)  # the arch rises from its head
    pose, _ = beam_shape.initial_body(with_values(ARC, {"start.roll_deg": -90.0}))
    assert pose[:, 2].min() == pytest.approx(0.02)
    assert pose[0, 2] > 0.5


def test_start_in_the_gaits_pose_has_the_mean_direction() -> None:
    scene = with_values(
        SNAKE, {"start.kind": "gait", "start.heading_deg": 40.0, "strain.turn_per_m": 2.0}
    )
    pose, _ = beam_shape.initial_body(scene)
    reach = pose[-1, :3] - pose[0, :3]  # without stretch the mean of t_X is that of the chord
    assert math.degrees(math.atan2(reach[1], reach[0])) == pytest.approx(40.0, abs=0.2)
    np.testing.assert_allclose(pose[0, :3], [0, 0, 0.02], atol=1e-15)


def test_pose_of_the_robot_equals_the_body() -> None:
    np.testing.assert_array_equal(initial_state(SNAKE)[0], beam_shape.initial_body(SNAKE)[0])
    assert initial_joint_angles(SNAKE).shape == (0,)
    late = with_values(SNAKE, {"start.link": 1000})  # beyond the last section: the last
    np.testing.assert_allclose(beam_shape.initial_body(late)[0][-1, :2], 0, atol=1e-14)
    with pytest.raises(SceneError, match=r"strain\.k_z_per_m"):
        initial_state(with_values(ARC, {"strain.k_z_per_m": "X"}))
    with pytest.raises(SceneError, match="not finite"):
        initial_state(with_values(ARC, {"strain.k_z_per_m": "1/(X - 0.5)"}))


def test_body_can_be_shown_before_it_runs() -> None:
    snapshot = preview(SNAKE)
    assert snapshot is not None
    assert snapshot.link_pose.shape == (41, 7)
    assert snapshot.joint_angle.shape == (0,)
    assert preview(with_values(ARC, {"strain.k_z_per_m": "log(-1*X)"})) is None
