"""Joint motors of the non-smooth models: the torque that results from the PD law or from a torque command."""

from __future__ import annotations

import math
from typing import NamedTuple

from snakestudio.kernels._jit import inlined
from snakestudio.model.scene import Scene


class Motor(NamedTuple):
    """Properties common to all motors."""

    half_play: float
    """Half the free play, rad."""

    most: float
    """Saturation torque, N m (inf: no saturation)."""

    lag: float
    """Fraction of the difference to the requested torque that is covered in a step (1: no lag)."""

    implicit: bool
    """Whether the PD law uses the angle and rate at the end of the step."""


def make_motor(scene: Scene) -> Motor:
    """Return the motors of `scene`."""
    actuator = scene.actuator
    solver = scene.solver
    return Motor(
        half_play=0.5 * math.radians(actuator.free_play_deg),
        most=math.inf if actuator.max_torque_nm is None else actuator.max_torque_nm,
        lag=-math.expm1(-solver.step_s / actuator.time_constant_s)
        if actuator.time_constant_s > 0.0
        else 1.0,
        implicit=solver.joints == "implicit" and not scene.gives_torques,
    )


@inlined
def _requested(
    motor: Motor, error: float, rate_error: float, kp: float, kd: float
) -> tuple[float, float]:
    """Return the torque of the PD law, and whether (1 or 0) it still depends on angle and rate.

    Within the free play the motor does not act on the joint; beyond, the teeth of the gear can only
    push.
    """
    if motor.half_play > 0.0:
        if abs(error) <= motor.half_play:
            return 0.0, 0.0
        sign = 1.0 if error > 0.0 else -1.0
        torque = -kp * (error - sign * motor.half_play) - kd * rate_error
        if torque * sign >= 0.0:
            return 0.0, 0.0
    else:
        torque = -kp * error - kd * rate_error
    if torque > motor.most:
        return motor.most, 0.0
    if torque < -motor.most:
        return -motor.most, 0.0
    return torque, 1.0


@inlined
def _lagged(motor: Motor, requested: float, before: float) -> float:
    """Return the torque after a step of a motor with lag, from `before` towards the requested one, N m."""
    return before + motor.lag * (requested - before) if motor.lag < 1.0 else requested


@inlined
def commanded_torque(motor: Motor, torque: float, before: float) -> float:
    """Return the torque of a motor with a torque command in a step, N m; free play has no effect on it."""
    return _lagged(motor, min(max(torque, -motor.most), motor.most), before)


@inlined
def motor_torque(
    motor: Motor,
    dt: float,
    kp: float,
    kd: float,
    error: float,
    rate: float,
    goal_rate: float,
    slope: float,
    before: float,
) -> tuple[float, float]:
    """Return the torque of a motor in a step, and its drag D: the impulse is dt torque - D alpha'_E.

    The papers' torques are those at (q_M, u_A). Implicit torques follow angle and rate to the end
    of the step, the angle as alpha_M + dt/2 alpha'_E (as P1 (83) moves the links): they depend on
    the unknown rate.

    Parameters
    ----------
    dt : float
        Step, s.
    kp, kd : float
        Gains, N m/rad and N m s/rad.
    error : float
        Angle at the midpoint minus its reference, rad.
    rate, goal_rate : float
        Measured rate at the beginning of the step, and its reference, rad/s.
    slope : float
        Derivative of the measured rate with respect to alpha'.
    before : float
        Torque in the previous step, N m.

    Returns
    -------
    (float, float)
        N m and N m s/rad.
    """
    torque, follows = _requested(motor, error, rate - goal_rate, kp, kd)
    reached = _lagged(motor, torque, before)
    if not motor.implicit or follows == 0.0:
        return reached, 0.0
    # torque = ... - K_P dt/2 alpha'_E - K_D alpha'_E slope instead of the measured rate
    return reached + motor.lag * kd * rate, dt * motor.lag * (0.5 * dt * kp + kd * slope)
