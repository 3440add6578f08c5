"""Random robots, and the positions of their links and axes from the definition of the joints."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits import with_values
from snakestudio.model.robot.overrides import JOINT_AXES
from snakestudio.model.rotations import quaternions
from snakestudio.model.scene import Scene

DIRECTIONS = {
    "yaw": np.array([0.0, 0.0, 1.0]),
    "pitch": np.array([0.0, 1.0, 0.0]),
    "roll": np.array([1.0, 0.0, 0.0]),
}


class Chain(NamedTuple):
    """Links and axes of a robot in the world."""

    middle: FloatArray
    """(n, 3), midpoints between the joints, m."""

    turn: FloatArray
    """(n, 3, 3), orientations of the links."""

    anchor: FloatArray
    """(m, 3), a point on each axis, m."""

    axis: FloatArray
    """(m, 3), directions of the axes, positive as the program counts angles."""


def about(kind: str, angle: float) -> FloatArray:
    """Return the rotation about an axis of a joint by Rodrigues' formula."""
    x, y, z = DIRECTIONS[kind]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    result: FloatArray = (
        np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    )
    return result


def placed(scene: Scene, angles: FloatArray, first: FloatArray, turn: FloatArray) -> Chain:
    """Return the chain at these angles, (m,), rad, with the midpoint of link 1 at `first` and its axes `turn`.

    A joint is between two links; its yaw axis is half the offset before the end of the first link,
    its pitch axis half the offset behind the beginning of the second, and its roll axis is the
    axis of the second link.
    """
    links = scene.robot.links
    joints = scene.robot.joint_list
    middles = [first]
    turns = [turn]
    anchors = []
    axes = []
    j = 0
    for k, joint in enumerate(joints):
        at = middles[-1] + turns[-1][:, 0] * (0.5 * links[k].length - 0.5 * joint.axis_offset)
        frame = turns[-1]
        for kind in joint.axes:
            if kind == "pitch":
                at = at + frame[:, 0] * joint.axis_offset
            anchors.append(at)
            axes.append(frame @ DIRECTIONS[kind])
            frame = frame @ about(kind, float(angles[j]))
            j += 1
        middles.append(at + frame[:, 0] * (0.5 * links[k + 1].length - 0.5 * joint.axis_offset))
        turns.append(frame)
    return Chain(np.array(middles), np.array(turns), np.array(anchors), np.array(axes))


def random_scene(seed: int, n: int = 9) -> Scene:
    """Return a bent robot in the air whose links and joints all differ, with every set of axes."""
    rng = np.random.default_rng(seed)

    def some(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    links: list[dict[str, Any]] = []
    for k in range(n):
        across = some(5e-4, 3e-3)
        links.append(
            {
                "index": k + 1,
                "length_m": some(0.1, 0.2),
                "radius_m": some(0.02, 0.06),
                "mass_kg": some(0.2, 2.0),
                "contact_half_length_m": some(0.01, 0.05),
                "inertia_kg_m2": across,
                "axial_inertia_kg_m2": across * some(0.1, 1.9),
                "centre_of_mass_m": some(-0.02, 0.02),
            }
        )
    names = [*JOINT_AXES, *rng.choice(list(JOINT_AXES), max(n - 1 - len(JOINT_AXES), 0))][: n - 1]
    rng.shuffle(names)
    joints: list[dict[str, Any]] = []
    for k, name in enumerate(names):
        joints.append({"index": k + 1, "axes": str(name), "axis_offset_m": some(0.0, 0.03)})
        joints += [
            {
                "index": k + 1,
                "only": kind,
                "kp_nm_per_rad": some(10, 100),
                "kd_nms_per_rad": some(0.1, 1.0),
                "max_torque_nm": some(1, 9),
                "lower_limit_deg": some(-150, -100),
                "upper_limit_deg": some(100, 150),
                "spring_nm_per_rad": some(0, 5),
                "damper_nms_per_rad": some(0, 1),
                "rest_deg": some(-20, 20),
                "reversed": bool(rng.integers(2)),
                "zero_deg": some(-40, 40),
                "rotor_inertia_kg_m2": some(0, 5e-3),
                "dry_friction_nm": some(0, 0.2),
            }
            for kind in JOINT_AXES[name]
        ]
    robot = {"robot.n_links": n, "robot.link": links, "robot.joint": joints}
    scene = with_values(
        Scene(), {"model.kind": "spatial_nonsmooth", "start.kind": "straight", **robot}
    )
    angles = rng.uniform(-0.6, 0.6, len(scene.body.axes))
    turn = about("yaw", some(-3, 3)) @ about("pitch", 0.4) @ about("roll", -0.3)
    chain = placed(scene, angles, np.array([0.3, -0.2, 1.0]), turn)
    start = {
        "start.kind": "state",
        "start.position_m": centres(scene, chain).tolist(),
        "start.orientation_wxyz": quaternions(chain.turn).tolist(),
    }
    return with_values(scene, start)


def centres(scene: Scene, chain: Chain) -> FloatArray:
    """Return the centres of mass, (n, 3), m."""
    shift = np.array([link.centre_of_mass for link in scene.robot.links])
    return chain.middle + shift[:, None] * chain.turn[:, :, 0]


def file_angles(scene: Scene, angles: FloatArray) -> FloatArray:
    """Return the angles that the robot itself reads."""
    result: FloatArray = scene.axis_values.sign * (angles - scene.axis_values.zero)
    return result
