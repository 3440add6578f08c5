"""Torques in the joints of the smooth planar models: motors up to a largest torque, springs, dampers, and stops."""

from __future__ import annotations

from snakestudio.kernels._jit import inlined
from snakestudio.kernels.smooth_robot import SmoothJoints

__all__ = ["controlled_torque", "limited", "passive_torque"]


@inlined
def limited(joints: SmoothJoints, k: int, torque: float) -> float:
    """A torque of joint `k` as far as its motor can exert it."""
    return min(max(torque, -joints.most[k]), joints.most[k])


@inlined
def controlled_torque(joints: SmoothJoints, k: int, error: float, rate_error: float) -> float:
    """What the motor of joint `k` exerts under PD control, K_P (phi_ref - phi) + K_D (phi_ref' - phi'), N m."""
    return limited(joints, k, joints.kp[k] * error + joints.kd[k] * rate_error)


@inlined
def passive_torque(joints: SmoothJoints, k: int, angle: float, rate: float) -> float:
    """What spring, damper and stops of joint `k` exert, N m."""
    torque = -joints.spring[k] * (angle - joints.rest[k]) - joints.damper[k] * rate
    beyond = angle - min(max(angle, joints.lower[k]), joints.upper[k])
    return torque - joints.stop_stiffness * beyond if beyond != 0.0 else torque
