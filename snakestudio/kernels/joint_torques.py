"""Torques in the joints of the smooth planar models: motors up to a largest torque, springs, dampers, and stops."""

from __future__ import annotations

from snakestudio.kernels._jit import inlined
from snakestudio.kernels.smooth_robot import SmoothJoints


@inlined
def limited(joints: SmoothJoints, k: int, torque: float) -> float:
    """A torque of joint `k` as far as its motor can exert it."""
    most: float = joints.most[k]
    return min(max(torque, -most), most)


@inlined
def passive_torque(joints: SmoothJoints, k: int, angle: float, rate: float) -> float:
    """What spring, damper and stops of joint `k` exert, N m."""
    torque: float = -joints.spring[k] * (angle - joints.rest[k]) - joints.damper[k] * rate
    beyond = angle - min(max(angle, joints.lower[k]), joints.upper[k])
    return torque - joints.stop_stiffness * beyond if beyond != 0.0 else torque
