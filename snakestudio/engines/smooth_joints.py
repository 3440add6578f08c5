"""The joints of the smooth planar models, built from a Scene (without compiled code)."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels.smooth_robot import SmoothJoints
from snakestudio.model.robot.axis_values import axis_values
from snakestudio.model.robot.robot import Actuator
from snakestudio.model.scene import Scene


def yaw_values(scene: Scene, values: FloatArray) -> FloatArray:
    """Return the values of the yaw axes among those of all axes; each joint has one: (n - 1,)."""
    return np.ascontiguousarray(values[[axis.kind == "yaw" for axis in scene.body.axes]])


def is_linearized(scene: Scene) -> bool:
    """Return whether the joints are under feedback linearization, in models that support it."""
    return scene.joint_controller.law == "feedback_linearization" and not scene.gives_torques


def make_joints(scene: Scene, linearized: bool = False, stops: bool = True) -> SmoothJoints:
    """Return the joints of `scene`.

    Parameters
    ----------
    linearized : bool
        Whether they are under feedback linearization, with gains in 1/s^2 and 1/s.
    stops : bool
        Whether the stops of [robot] apply; those of joint tables always do, and so do the
        largest torques of motors.
    """
    none = np.zeros(scene.robot.n_joints)
    control = scene.joint_controller
    robot = scene.robot if stops else scene.robot.model_copy(update={"joint_limit_deg": None})
    values = axis_values(robot, control, Actuator(), scene.body.axes)
    kp, kd = yaw_values(scene, values.kp), yaw_values(scene, values.kd)
    if linearized:
        kp, kd = none + control.linearization_kp_per_s2, none + control.linearization_kd_per_s
    if scene.gives_torques:
        kp, kd = none, none
    return SmoothJoints(
        kp=kp,
        kd=kd,
        most=yaw_values(scene, values.max_torque),
        spring=yaw_values(scene, values.spring),
        damper=yaw_values(scene, values.damper),
        rest=yaw_values(scene, values.rest),
        lower=yaw_values(scene, values.lower),
        upper=yaw_values(scene, values.upper),
        stop_stiffness=scene.robot.joint_limit_stiffness_nm_per_rad,
    )


def has_passive_joints(joints: SmoothJoints) -> bool:
    """Return whether any joint has a spring, a damper or a stop."""
    stops = np.isfinite(joints.lower) | np.isfinite(joints.upper)
    return bool(np.any(stops | (joints.spring > 0.0) | (joints.damper > 0.0)))
