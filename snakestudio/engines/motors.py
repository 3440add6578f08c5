"""The motors of the joints in the non-smooth models: what they make of a torque, the PD law's or a given one."""

from __future__ import annotations

import math
from typing import NamedTuple

from snakestudio.kernels._jit import inlined
from snakestudio.model.scene import Scene


class Motor(NamedTuple):
    """What is the same for all motors."""

    half_play: float
    """Half the free play, rad."""

    most: float
    """Torque at which it saturates, N m (inf: never)."""

    lag: float
    """Share of the way to the wanted torque that it goes in a step (1: all of it)."""

    implicit: bool
    """Whether it acts on the angle and rate at the end of the step."""


def make_motor(scene: Scene) -> Motor:
    """The motors of `scene`."""
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
def _wanted(
    motor: Motor, error: float, rate_error: float, kp: float, kd: float
) -> tuple[float, float]:
    """Torque that the PD law wants, and whether (1 or 0) it still depends on angle and rate.

    Within the free play the motor has no hold on the joint; beyond, the gear's teeth can only push.
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
def _lagged(motor: Motor, wanted: float, before: float) -> float:
    """What a motor with the torque `before` reaches in a step towards the one that is wanted, N m."""
    return before + motor.lag * (wanted - before) if motor.lag < 1.0 else wanted


@inlined
def given_torque(motor: Motor, torque: float, before: float) -> float:
    """Torque in a step of a motor that is told a torque, N m; free play has no part in it: there is no angle to lag."""
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
    """Torque of a motor in a step, and its drag D: the impulse is dt torque - D alpha'_E.

    The papers' torques are those at (q_M, u_A). The implicit ones follow angle and rate to the end
    of the step, the angle as alpha_M + dt/2 alpha'_E (as P1 (83) moves the links): they depend on
    the rate that is being solved for.

    Parameters
    ----------
    dt : float
        Step, s.
    kp, kd : float
        Gains, N m/rad and N m s/rad.
    error : float
        Angle at the midpoint less what it shall be, rad.
    rate, goal_rate : float
        Rate that is measured, at the beginning of the step, and that it shall be, rad/s.
    slope : float
        Of the measured rate by alpha'.
    before : float
        Torque in the step before, N m.

    Returns
    -------
    (float, float)
        N m and N m s/rad.
    """
    torque, follows = _wanted(motor, error, rate - goal_rate, kp, kd)
    reached = _lagged(motor, torque, before)
    if not motor.implicit or follows == 0.0:
        return reached, 0.0
    # torque = ... - K_P dt/2 alpha'_E - K_D alpha'_E slope instead of the rate that was measured
    return reached + motor.lag * kd * rate, dt * motor.lag * (0.5 * dt * kp + kd * slope)
