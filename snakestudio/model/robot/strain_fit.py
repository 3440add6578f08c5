"""Inverse of discretisation: the strain law, and the continuous body, of a chain that follows a gait."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import numpy as np

from snakestudio.errors import Problem, SceneError
from snakestudio.model.controllers import GaitAlone
from snakestudio.model.motion import StraightStart, Wave
from snakestudio.model.registry import FORMULATIONS
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.joint_axes import by_joint, cardan_axes, joints
from snakestudio.model.robot.joint_strain import joint_motion
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.robot.robot import Robot
from snakestudio.model.robot.strain import Formulas
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.robot.support import Friction, Rings
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.model.scene import Scene

_EXACT = 16
"""Points of Gauss's rule over a link's length used to evaluate the fit."""


def _seen_from_head(wave: Wave, robot: Robot, flips: bool) -> Wave:
    """Return the wave by joints counted from the head, joint j at X = j h: A sin(omega t + j delta + phase) + offset.

    From link n, with x towards link 1 and unchanged z, the order of the joints is reversed; the yaw
    changes its sign, the pitch does not.
    """
    if robot.head == "first":
        return wave._replace(phase=wave.phase - wave.phase_shift)
    sign = -1.0 if flips else 1.0
    phase = wave.phase + (robot.n_links - 1) * wave.phase_shift
    return wave._replace(
        amplitude=sign * wave.amplitude,
        phase=phase,
        phase_shift=-wave.phase_shift,
        offset=sign * wave.offset,
    )


def _number(value: float) -> str:
    """Exact representation of a value in a formula."""
    text = repr(value)
    return f"({text})" if value < 0.0 else text


def _curvature(wave: Wave, h: float, travels: bool) -> str:
    """K(X, t) = a sin(w t + k X + p) + c, whose integral over h around X = j h is the wave's angle of joint j.

    The integral of the sine over h is h sin(delta/2) / (delta/2) times its value in the middle. If the
    law has a speed V_o = w/k, k s = k X + w t replaces both terms.
    """
    half = 0.5 * wave.phase_shift
    parts = []
    if wave.amplitude != 0.0:
        factor = half / math.sin(half) if half != 0.0 else 1.0
        k = wave.phase_shift / h
        phase = f"{_number(k)}*s" if travels else f"{_number(wave.omega)}*t + {_number(k)}*X"
        parts.append(f"{_number(wave.amplitude * factor / h)}*sin({phase} + {_number(wave.phase)})")
    if wave.offset != 0.0:
        parts.append(_number(wave.offset / h))
    return " + ".join(parts) or "0"


def strain_of_gait(scene: Scene) -> tuple[Formulas, Beam]:
    """Return the strain law of a gait, and the body that has it: joint angles are the integrals of its curvature.

    With h the length of a link, k = delta/h, a = (A/h) (delta/2) / sin(delta/2), p = phase - delta
    and c = psi/h, K_Z is a sin(w t + k X + p) + c; K_Y follows likewise from the pitch wave. Phase
    shifts that differ by whole turns are equivalent.

    A pattern that a snake can follow along its body moves with V_o = w/k, forward if that is negative;
    the law contains that speed if it fits both waves (K_t = V_o K'). Abscissas are measured from the
    head, whichever link it is.
    """
    robot = scene.robot
    of_body = scene.waves
    h = robot.link_length_m
    waves = []
    pitch = (
        of_body.pitch if scene.model.spatial else of_body.pitch._replace(amplitude=0.0, offset=0.0)
    )
    for wave, flips in ((of_body.yaw, True), (pitch, False)):
        turn = 2.0 * math.pi
        shift = wave.phase_shift - turn * round(wave.phase_shift / turn)
        waves.append(_seen_from_head(wave._replace(phase_shift=shift), robot, flips))
    moving = [wave for wave in waves if wave.amplitude != 0.0 and wave.omega != 0.0]
    still = [
        wave
        for wave in waves
        if wave.amplitude != 0.0 and wave.omega == 0.0 and wave.phase_shift != 0.0
    ]
    speeds = [
        wave.omega * h / wave.phase_shift if wave.phase_shift else math.inf for wave in moving
    ]
    travels = (
        bool(speeds)
        and not still
        and all(math.isfinite(v) and abs(v - speeds[0]) <= 1e-12 * abs(speeds[0]) for v in speeds)
    )
    # Round cross-sections of the links' radius, as heavy as the links.
    radius = robot.radius_m
    beam = Beam(
        length_m=robot.length,
        radius_m=radius,
        density_kg_m3=robot.mass_kg / (h * math.pi * radius**2),
        group="SE3" if _curvature(waves[1], h, False) != "0" else "SE2",
    )
    law = Formulas(
        k_z_per_m=_curvature(waves[0], h, travels),
        k_y_per_m=_curvature(waves[1], h, travels),
        speed_m_s=_number(speeds[0]) if travels else "",
    )
    return law, beam


def fit_error(scene: Scene, law: Formulas, beam: Beam) -> float:
    """Largest difference between the joint angles of the gait and of the law over a period of each wave, rad."""
    robot = scene.robot
    of_body = scene.waves
    periods = [
        2.0 * math.pi / abs(wave.omega)
        for wave in (of_body.yaw, of_body.pitch)
        if wave.omega != 0.0
    ]
    t = np.linspace(0.0, max(periods, default=1.0), 101)
    axes = cardan_axes(robot.n_joints)
    angles = joint_motion(StrainLaw(law, beam), beam.length_m, robot.n_links, axes, t, _EXACT)[0]
    worst = 0.0
    for kind, wave, mirrored in (("yaw", of_body.yaw, -1.0), ("pitch", of_body.pitch, 1.0)):
        angle = by_joint(angles, axes, kind, robot.n_joints)
        if robot.head == "last":
            angle = angle[:, ::-1] * mirrored
        here = joints(scene.body.axes, kind)
        expected = (
            wave.amplitude * np.sin(wave.omega * t[:, None] + here * wave.phase_shift + wave.phase)
            + wave.offset
        )
        worst = max(worst, float(np.abs(angle[:, here] - expected).max(initial=0.0)))
    return worst


def as_continuum(
    scene: Scene, base_dir: Path | None = None, contacts: Literal["friction", "rings"] | None = None
) -> Scene:
    """Return the scene of a continuous body equivalent to a chain's scene, moving as the gait prescribes.

    Friction per unit length is that of the links divided by their length; the body starts at the head
    link. Parts that do not apply to a continuous body (obstacles, controllers) are omitted; the robot
    is retained, so that the chain can be restored.

    Raises `SceneError` if the scene already has a continuous body, has no gait, or has an unreadable
    start.

    Parameters
    ----------
    base_dir : Path, optional
        Folder that relative paths in the scene refer to.
    contacts : {"friction", "rings"}, optional
        Contacts of the body; by default friction, or rings for a body that leaves the plane.
    """
    problems = []
    if scene.body.strained:
        problems.append(
            Problem(
                "error",
                "model.kind",
                "the robot already is a continuous body",
                "choose a model with links",
            )
        )
    if scene.gives_torques:
        problems.append(
            Problem(
                "error",
                "gait.kind",
                "the gait gives torques, so no strain law can be fitted to its angles",
                'set it to "lateral_undulation"',
            )
        )
    elif not scene.gait.of_waves or scene.waves.envelope or scene.waves.vertical != "pitch":
        what = "the gait is not made of yaw and pitch waves of uniform amplitude, so no strain law can be fitted"
        problems.append(
            Problem("error", "gait.kind", what, 'set it to "lateral_undulation" or "two_waves"')
        )
    if not scene.controller.uses_gait:
        problems.append(
            Problem(
                "error",
                "controller.kind",
                "the joints follow no gait, so no strain law can be fitted",
                'set it to "none"',
            )
        )
    if problems:
        raise SceneError.of(problems)
    law, beam = strain_of_gait(scene)
    if contacts is None:
        contacts = "rings" if beam.group == "SE3" and law.speed_m_s else "friction"
    robot = scene.robot
    ground = scene.ground
    period = scene.control.period_s
    h = robot.link_length_m
    support: Friction | Rings = Rings()
    if contacts == "friction":
        support = Friction(
            viscous_along_ns_per_m2=ground.viscous_along_ns_per_m / h,
            viscous_across_ns_per_m2=ground.viscous_across_ns_per_m / h,
        )
    pose, _ = initial_state(scene, base_dir)
    head = pose[robot.head_index]
    heading = float(roll_pitch_yaw(head[None, 3:])[0, 2]) + (
        math.pi if robot.head == "last" else 0.0
    )
    start = StraightStart(
        x_m=float(head[0]) - 0.5 * h * math.cos(heading),
        y_m=float(head[1]) - 0.5 * h * math.sin(heading),
        heading_deg=math.degrees(heading),
    )
    step = period / math.ceil(period * scene.run.log_rate_hz * (1 - 1e-9))
    return scene.model_copy(
        update={
            "title": f"{scene.title or 'A chain of links'}, as a continuous body"[:200],
            "model": FORMULATIONS["continuum_beam"].fields(),
            "beam": beam,
            "strain": law,
            "support": support,
            "obstacles": (),
            "controller": GaitAlone(),
            "control": scene.control.model_copy(
                update={"soft_start_deg": 0.0, "set_point_period_s": 0.0, "start_delay_s": 0.0}
            ),
            "solver": scene.solver.model_copy(update={"step_s": step}),
            "start": start,
        }
    )
