"""A helix that rotates about itself climbs a pole: the preset in its scene, and a smooth body in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.model.serpenoid import CompoundSerpenoid
from snakestudio.paths import scenes_dir

RADIUS = 0.026
OMEGA = 2.0


def rise(run: ss.Run, begin: float, end: float) -> float:
    """Mean vertical velocity of the centre of mass, m/s."""
    rows = np.searchsorted(run["time_s"], [begin - 1e-6, end - 1e-6])
    return float(np.diff(run["com_z_m"][rows])[0] / np.diff(run["time_s"][rows])[0])


def upright(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation (3, 3) that makes the axis of a helix vertical, first point uppermost, and a point (3,) on that axis."""
    axis = np.linalg.svd(points[4:] - 2 * points[2:-2] + points[:-4])[2][-1]
    axis *= np.sign((points[0] - points[-1]) @ axis)
    middle = points.mean(axis=0)

    def residuals(values: NDArray[np.float64]) -> NDArray[np.float64]:
        arms = np.cross(points - middle - values[3:6], axis + values[:3])
        spread = np.linalg.norm(arms, axis=1) - values[6]
        return np.append(spread, [values[:3] @ axis, values[3:6] @ axis])

    solution = least_squares(residuals, np.append(np.zeros(6), 0.05)).x
    turn = Rotation.align_vectors([[0.0, 0.0, 1.0]], [axis + solution[:3]])[0].as_matrix()
    return turn, middle + solution[3:6]


def waves(amplitude: float, spatial: float, temporal: float) -> dict[str, Any]:
    """Return a compound serpenoid that is a helix."""
    values = {
        "amplitude_rad": amplitude,
        "spatial_frequency_rad": spatial,
        "temporal_frequency_rad_s": temporal,
    }
    groups = {
        f"gait.{group}_{name}": value for group in ("odd", "even") for name, value in values.items()
    }
    return {"gait.kind": "compound_serpenoid", "gait.delta_rad": 0.5 * math.pi} | groups


def wound(scene: Scene) -> dict[str, Any]:
    """Return a start in the pose of the scene's gait, its axis vertical at x = y = 0, head up, clear of the ground."""
    pose, _ = initial_state(with_values(scene, {"start.kind": "gait"}))
    turn, centre = upright(pose[:, :3])
    position = (pose[:, :3] - centre) @ turn.T
    position[:, 2] += 0.25 - position[:, 2].min()
    frames = Rotation.from_matrix(turn) * Rotation.from_quat(pose[:, 3:], scalar_first=True)
    orientation = frames.as_quat(scalar_first=True).tolist()
    return {
        "start": {"kind": "state", "position_m": position.tolist(), "orientation_wxyz": orientation}
    }


def smooth_climber() -> Scene:
    """Return 48 modules of 24 mm, bent by 26° at most, around a pole."""
    length = 0.0725 / 3
    mass = 0.2 / 3
    pole = 0.066
    robot = {
        "model.kind": "spatial_nonsmooth",
        "robot.n_links": 48,
        "robot.joints": "alternating",
        "robot.head": "first",
        "robot.link_length_m": length,
        "robot.radius_m": RADIUS,
        "robot.contact_half_length_m": 0.345 * length,
        "robot.mass_kg": mass,
        "robot.inertia_kg_m2": mass * (length**2 / 12 + RADIUS**2 / 4),
        "robot.axial_inertia_kg_m2": mass * RADIUS**2 / 2,
        "joint_controller.kp_nm_per_rad": 15.0,
        "joint_controller.kd_nms_per_rad": 0.03,
    }
    free = with_values(Scene(), robot | waves(0.452, 0.25 / 3, -OMEGA))  # just off the pole
    obstacle = {
        "kind": "cylinder",
        "x_m": 0.0,
        "y_m": 0.0,
        "radius_m": pole,
        "height_m": 1.0,
        "friction": 0.8,
    }
    return with_values(free, wound(free) | waves(0.5, 0.25 / 3, -OMEGA) | {"obstacles": [obstacle]})


def pipe(radius: float, walls: int = 16, thickness: float = 0.02) -> list[dict[str, Any]]:
    """Return vertical boxes around x = y = 0."""
    return [
        {
            "kind": "box",
            "x_m": (radius + 0.5 * thickness) * math.cos(angle),
            "y_m": (radius + 0.5 * thickness) * math.sin(angle),
            "yaw_deg": math.degrees(angle),
            "length_m": thickness,
            "width_m": 2.0 * (radius + thickness) * math.tan(math.pi / walls),
            "height_m": 1.6,
            "friction": 0.6,
        }
        for angle in np.linspace(0.0, 2.0 * math.pi, walls, endpoint=False)
    ]


def test_preset_climbs_its_pole_head_first() -> None:
    path = scenes_dir() / "pole_climb.toml"
    run = ss.simulate(path, duration=4.2)
    assert run.scene.gait == next(preset.gait for preset in GAITS if preset.name == "pole_climb")
    assert run["link_1_z_m"][0] > run["link_16_z_m"][0] + 0.2
    assert rise(run, 1.0, 1.0 + math.pi) == pytest.approx(0.076, rel=0.05)
    assert run["solver_unconverged"].sum() == 0


def test_smooth_body_climbs_at_its_closed_form() -> None:
    # A screw without slip: omega r cos(lead) along the pole, omega r sin(lead)/R around it. On the
    # pole a module bends about as much as at the start, which gives tan(lead) = torsion/curvature =
    # 2 omega_S/A.
    run = ss.simulate(smooth_climber(), duration=1.5)
    lead = math.atan(2 * 0.25 / 3 / 0.452)
    assert rise(run, 0.7, 1.5) == pytest.approx(OMEGA * RADIUS * math.cos(lead), rel=0.02)
    angle = np.unwrap(np.arctan2(run["link_24_y_m"], run["link_24_x_m"]))
    rows = np.searchsorted(run["time_s"], [0.7 - 1e-6, 1.5 - 1e-6])
    assert abs(np.diff(angle[rows])[0]) / 0.8 == pytest.approx(
        OMEGA * RADIUS * math.sin(lead) / 0.066, rel=0.1
    )
    assert run["solver_unconverged"].sum() == 0


def test_rolling_helix_climbs_inside_a_pipe() -> None:
    # The contact is on the other side than around a pole, so a positive omega_T moves the head up.
    preset = next(preset for preset in GAITS if preset.name == "rolling_helix")
    gait = preset.gait
    assert isinstance(gait, CompoundSerpenoid)
    robot = ss.load_scene(scenes_dir() / "pole_climb.toml")
    slack = with_values(
        robot, waves(0.35, gait.odd_spatial_frequency_rad, gait.odd_temporal_frequency_rad_s)
    )
    run = ss.simulate(
        with_values(slack, wound(slack) | preset.values() | {"obstacles": pipe(0.05)}), duration=3.2
    )
    lead = math.atan(2 * gait.odd_spatial_frequency_rad / gait.odd_amplitude_rad)
    assert rise(run, 1.0, 3.2) == pytest.approx(OMEGA * RADIUS * math.cos(lead), rel=0.15)
    assert run["solver_unconverged"].sum() == 0
