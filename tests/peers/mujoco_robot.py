"""MuJoCo as a peer: the robot of a Scene as MJCF, its start, its joint law, runs with the loop in C and in Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

import mujoco
import mujoco.rollout
import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.solids import Block, Post
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene

GROUND, OBSTACLE = 1, 2
"""Collision classes: end spheres meet the ground, the links' capsules the obstacles, and links never each other."""


def _text(*numbers: float) -> str:
    return " ".join(f"{float(x):.17g}" for x in numbers)


def _quaternion(rotation: FloatArray) -> FloatArray:
    result = np.zeros(4)
    mujoco.mju_mat2Quat(result, np.ascontiguousarray(rotation, dtype=float).reshape(9))
    return result


def mjcf(
    scene: Scene,
    cone: Literal["pyramidal", "elliptic"] = "pyramidal",
    integrator: Literal["Euler", "RK4"] = "Euler",
    contacts: bool = True,
    rolling: bool = False,
) -> str:
    """The robot and its world as MJCF; all that is not said here is MuJoCo's default.

    Link k + 1 hangs on link k by a yaw hinge about z of link k and, `axis_offset_m` behind it, a pitch hinge about its
    own y. Friction is isotropic (`mu_along`); rolling friction, a length in MuJoCo, is mu_V times the radius (P1 (60)).
    Every joint has two motors that obey tau = ctrl - K_P angle - K_D rate, so that with ctrl = K_P ref + K_D ref' they
    are the PD law (P1 (68), (69)) but for its cos(pitch) in the yaw's damping; `exact_law` has that, too.
    """
    robot, ground = scene.robot, scene.ground
    root = Element("mujoco")
    SubElement(root, "compiler", angle="radian", autolimits="true")
    option = SubElement(
        root, "option", timestep=_text(scene.solver.step_s), gravity=_text(*ground.gravity), cone=cone,
        integrator=integrator,
    )  # fmt: skip
    if not contacts:
        SubElement(option, "flag", contact="disable")
    world = SubElement(root, "worldbody")
    dimension = 6 if rolling else 3
    friction = _text(ground.mu_along, 0.0, ground.mu_rolling * robot.radius_m)
    SubElement(
        world, "geom", name="ground", type="plane", size="0 0 1", condim=str(dimension), friction=friction,
        contype=str(GROUND), conaffinity="0",
    )  # fmt: skip
    _obstacles(world, scene)
    motors = Element("actuator")
    gains = scene.joint_controller.kp, scene.joint_controller.kd
    body = world
    pose, _ = initial_state(scene)
    for k in range(robot.n_links):
        at = pose[0, :3] if k == 0 else (robot.link_length_m, 0.0, 0.0)
        body = SubElement(body, "body", name=f"link{k}", pos=_text(*at))
        inertia = (robot.axial_inertia_kg_m2, robot.inertia_kg_m2, robot.inertia_kg_m2)
        SubElement(body, "inertial", pos="0 0 0", mass=_text(robot.mass_kg), diaginertia=_text(*inertia))
        if k == 0:
            SubElement(body, "freejoint")
        else:
            joint = 0.5 * (robot.link_length_m + robot.axis_offset_m)
            for name, axis, x, kp, kd in zip(
                ("yaw", "pitch"), ("0 0 1", "0 1 0"), (-joint, robot.axis_offset_m - joint), *gains, strict=True
            ):
                hinge = {"name": f"{name}{k}", "axis": axis, "pos": _text(x, 0, 0)}
                SubElement(body, "joint", type="hinge", **hinge)
                SubElement(
                    motors, "general", joint=f"{name}{k}", biastype="affine", gainprm="1", biasprm=_text(0, -kp, -kd)
                )
        arm = robot.contact_half_length_m
        for end in (-arm, arm):
            SubElement(
                body, "geom", type="sphere", size=_text(robot.radius_m), pos=_text(end, 0, 0), condim=str(dimension),
                friction=friction, contype="0", conaffinity=str(GROUND),
            )  # fmt: skip
        if scene.obstacles:
            SubElement(
                body, "geom", name=f"capsule{k}", type="capsule", size=_text(robot.radius_m),
                fromto=_text(-arm, 0, 0, arm, 0, 0), condim="1", friction="0 0 0", contype="0",
                conaffinity=str(OBSTACLE),
            )  # fmt: skip
    root.append(motors)
    return tostring(root, encoding="unicode")


def _obstacles(world: Element, scene: Scene) -> None:
    """Posts as tall capsules (MuJoCo's fast collision with capsules), blocks as boxes."""
    for obstacle in scene.obstacles:
        slippery = obstacle.friction == 0.0
        common = {
            "condim": "1" if slippery else "3", "friction": _text(obstacle.friction, 0, 0), "contype": str(OBSTACLE),
            "conaffinity": "0",
        }  # fmt: skip
        for solid in obstacle_solids(obstacle):
            if isinstance(solid, Post):
                ends = _text(solid.x, solid.y, solid.low - solid.radius, solid.x, solid.y, solid.high)
                SubElement(world, "geom", type="capsule", size=_text(solid.radius), fromto=ends, **common)
            elif isinstance(solid, Block):
                turn = _text(*_quaternion(solid.rotation))
                SubElement(
                    world, "geom", type="box", size=_text(*solid.half), pos=_text(*solid.centre), quat=turn, **common
                )
            else:
                raise NotImplementedError(f"no peer for {type(solid).__name__}")


def build(scene: Scene, **options: object) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Model and data at the start of `scene`; `options` are those of `mjcf`."""
    model = mujoco.MjModel.from_xml_string(mjcf(scene, **options))  # type: ignore[arg-type]
    data = mujoco.MjData(model)
    set_state(data, *initial_state(scene))
    mujoco.mj_forward(model, data)
    return model, data


def set_state(data: mujoco.MjData, pose: FloatArray, twist: FloatArray) -> None:
    """Take over poses (n, 7) and twists (n, 6) of links whose joints are closed, as in `Snapshot`."""
    n = len(pose)
    turn = np.zeros((n, 9))
    for matrix, quaternion in zip(turn, pose[:, 3:], strict=True):
        mujoco.mju_quat2Mat(matrix, quaternion)
    turn = turn.reshape(n, 3, 3)
    data.qpos[:7] = pose[0]
    data.qvel[:3] = twist[0, :3]
    data.qvel[3:6] = turn[0].T @ twist[0, 3:]
    for k in range(n - 1):
        between = turn[k].T @ turn[k + 1]
        yaw, pitch = np.arctan2(-between[0, 1], between[1, 1]), np.arctan2(-between[2, 0], between[2, 2])
        rate = turn[k].T @ (twist[k + 1, 3:] - twist[k, 3:])
        data.qpos[7 + 2 * k : 9 + 2 * k] = yaw, pitch
        data.qvel[6 + 2 * k : 8 + 2 * k] = rate[2], rate[1] * np.cos(yaw) - rate[0] * np.sin(yaw)


def commands(scene: Scene, reference: JointReference, steps: int) -> FloatArray:
    """What the motors get at the beginning of every step, (steps, 2 (n - 1)): K_P ref + K_D ref'."""
    kp, kd = np.array(scene.joint_controller.kp), np.array(scene.joint_controller.kd)
    begin = (np.arange(steps) + 1e-6) * scene.solver.step_s
    knot = np.searchsorted(reference.time, begin, side="right") - 1
    return (kp * reference.angle[knot] + kd * reference.rate[knot]).reshape(steps, -1)


def exact_law(
    scene: Scene, wanted: Callable[[float], tuple[FloatArray, FloatArray]]
) -> Callable[[mujoco.MjModel, mujoco.MjData], None]:
    """A control callback: the PD law with omega_h = alpha_h' cos(alpha_v) (P1 (67)); `wanted` gives angle and rate."""
    kp, kd = np.array(scene.joint_controller.kp), np.array(scene.joint_controller.kd)

    def control(model: mujoco.MjModel, data: mujoco.MjData) -> None:
        q, rate = data.qpos[7:].reshape(-1, 2), data.qvel[6:].reshape(-1, 2)
        angle, angle_rate = wanted(data.time)
        omega = rate.copy()
        omega[:, 0] *= np.cos(q[:, 1])
        # The motors' own law stands in the model: only what differs from it is commanded.
        data.ctrl[:] = (kp * angle + kd * (angle_rate - omega + rate)).reshape(-1)

    return control


def centres(model: mujoco.MjModel, data: mujoco.MjData) -> FloatArray:
    """Centres of gravity of the links at the present state, (n, 3)."""
    mujoco.mj_kinematics(model, data)
    return data.xpos[1:].copy()


def roll_out(
    scene: Scene, reference: JointReference, steps: int, **options: object
) -> tuple[mujoco.MjModel, FloatArray, float]:
    """Take `steps` steps with the loop in C; returns the model, all states (steps, ...) and the CPU time, s.

    `reference` has a knot at every step; `options` are those of `mjcf`.
    """
    model, data = build(scene, **options)
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    first = np.zeros(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, data, first, spec)
    states = np.zeros((1, steps, len(first)))
    control = commands(scene, reference, steps)[None]
    begin = time.process_time()
    mujoco.rollout.rollout(model, data, first[None], control, state=states, skip_checks=False)
    return model, states[0], time.process_time() - begin


def link_track(model: mujoco.MjModel, states: FloatArray, link: int) -> FloatArray:
    """Centre of gravity of a 0-based link at every given state of `roll_out`, (k, 3)."""
    data = mujoco.MjData(model)
    track = np.zeros((len(states), 3))
    for row, state in zip(track, states, strict=True):
        mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        mujoco.mj_kinematics(model, data)
        row[:] = data.xpos[link + 1]
    return track
