"""Torques in the joints of the smooth planar models: torque-limited motors, springs, dampers, joint limits."""

from __future__ import annotations

from snakestudio.kernels._jit import inlined
from snakestudio.kernels.smooth_robot import SmoothJoints


@inlined
def limited(joints: SmoothJoints, k: int, torque: float) -> float:
    """Clamp a torque to the limit of the motor of joint `k`."""
    most: float = joints.most[k]
    return min(max(torque, -most), most)


@inlined
def passive_torque(joints: SmoothJoints, k: int, angle: float, rate: float) -> float:
    """Torque of the spring, damper and limits of joint `k`, N m."""
    torque: float = -joints.spring[k] * (angle - joints.rest[k]) - joints.damper[k] * rate
    beyond = angle - min(max(angle, joints.lower[k]), joints.upper[k])
    return torque - joints.stop_stiffness * beyond if beyond != 0.0 else torque
