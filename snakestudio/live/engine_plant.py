"""Plant of an emulated robot on the ground: firmware drives the joints of an engine with a free base and contacts."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.engines.registry import largest_stable_step
from snakestudio.errors import UsageError
from snakestudio.link.emulator.plant import PlantState
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Emulation, Profile
from snakestudio.live.axes import last_joint
from snakestudio.model.robot.joint_axes import entry_of
from snakestudio.model.robot.overrides import JointOverride
from snakestudio.model.robot.robot import Actuator, JointController
from snakestudio.model.robot.robot import Axis as JointAxis
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.session.control_loop import EngineLoop

_PACE_S = 2.0
"""Time constant of the measured speed of the engine, s."""


class EnginePlant:
    """A `Plant` that moves a scene's robot with its engine.

    Gains, free play, saturation and lag of the joints are those of the profile's emulation and
    override the scene and its joint tables, so that the robot is the same with and without a
    ground. Its joint limits, if the scene has none, are beyond those of the profile. Springs,
    dampers and limits of single joints are the scene's. Links lack the inertia of the motors that
    turn with them: the lag is shortened in proportion to their smaller inertia, which keeps the
    damping; with the full lag, light joints would chatter in their free play.

    Joint axes that the profile does not have are held straight. The target of an axis without
    torque is its actual angle; if no axis has torque, only the friction of the gears acts. The
    target of a blocked axis is constant, and its servo holds it with its stiffness.

    Raises `UserError` if the scene cannot be run, or its robot does not match the profile.

    Parameters
    ----------
    scene : Scene
        Provides robot, ground, obstacles and start; its gait is ignored.
    base_dir : path, optional
        Folder that paths in the scene are relative to.
    """

    def __init__(self, scene: Scene, loaded: LoadedProfile, base_dir: Path | None = None) -> None:
        profile = loaded.profile
        self._scene = self.scene_of(scene, loaded)
        self._limp = self._scene.model_copy(update={"joint_controller": _limp(profile.emulation)})
        self._loop = EngineLoop(self._scene, base_dir)
        self._engine = self._loop.engine
        axes = self._scene.body.axes
        self._entries = np.array(
            [entry_of(axes, axis.joint - 1, axis.axis) for axis in profile.axes]
        )
        self._blocked = np.zeros(len(profile.axes), np.bool_)
        self._held = np.zeros(len(profile.axes))
        self._remainder = 0.0
        self._snapshot = self._engine.snapshot()
        self._state = self._plant_state()
        self._failure = ""
        self._pace = (0.0, 0.0)  # recent simulated and real time, s
        self._counted_at: float | None = None
        self._set_torque(False)

    @staticmethod
    def scene_of(scene: Scene, loaded: LoadedProfile) -> Scene:
        """Return the scene to run: with the profile's actuators, and time steps that are stable with them.

        Raises `UsageError` if the scene's robot has no joints, or other joints than the profile.
        """
        profile = loaded.profile
        emulation = loaded.profile.emulation
        if not scene.body.jointed:
            raise UsageError(
                f"{scene.title or 'The scene'} has a continuous body without joints. Use a scene with links."
            )
        n_joints = last_joint(scene)
        if profile.n_joints != n_joints:
            raise UsageError(
                f"{profile.name} has {profile.n_joints} joints, but the scene's robot has {n_joints}. Use a scene "
                f"with robot.n_links = {profile.n_joints + 1}."
            )
        present = set(scene.body.axes)
        missing = [
            axis for axis in profile.axes if JointAxis(axis.joint - 1, axis.axis) not in present
        ]
        if missing and not scene.model.spatial and missing[0].axis != "yaw":
            raise UsageError(
                f"{profile.name} has {missing[0].axis} axes, which the scene's model {scene.model.kind} does not have. "
                'Use a scene with model.kind = "spatial_nonsmooth".'
            )
        if missing:
            raise UsageError(
                f"{profile.name} has a {missing[0].axis} axis at joint {missing[0].joint}, which the scene's robot "
                "does not have. Use a scene of the same robot."
            )
        kp, kd = emulation.kp_nm_per_rad, emulation.kd_nms_per_rad
        controller = JointController(
            kp_nm_per_rad=kp, kd_nms_per_rad=kd, kp_pitch_nm_per_rad=kp, kd_pitch_nms_per_rad=kd
        )
        lightness = min(link.inertia for link in scene.robot.links) / emulation.inertia_kg_m2
        actuator = Actuator(
            free_play_deg=emulation.free_play_deg,
            max_torque_nm=emulation.max_torque_nm,
            time_constant_s=emulation.time_constant_s * min(1.0, lightness),
        )
        robot = scene.robot.model_copy(
            update={"joint": (*_without_motors(scene), *_stiff_joints(scene, profile))}
        )
        if robot.joint_limit_deg is None:
            robot = robot.model_copy(update={"joint_limit_deg": _stop_deg(profile)})
        return _stable(
            scene.model_copy(
                update={"robot": robot, "joint_controller": controller, "actuator": actuator}
            )
        )

    # ---------------------------------------------------------------------------------------- state

    @property
    def state(self) -> PlantState:
        """Newest state of the profile's axes."""
        return self._state

    @property
    def snapshot(self) -> Snapshot:
        """Newest snapshot of the robot."""
        return self._snapshot

    @property
    def pace(self) -> str:
        """Message if the engine is slower than real time or has failed; "" otherwise."""
        simulated, real = self._pace
        if self._failure:
            return self._failure
        if real < 0.5 * _PACE_S or simulated > 0.97 * real:
            return ""
        return f"the engine runs at {simulated / real:.2f} of real time"

    # ---------------------------------------------------------------------------------------- Plant

    def block(self, axes: BoolArray) -> None:
        """Block axes (m,) at their actual angles, and release the others."""
        self._held = np.where(axes & ~self._blocked, self._state.angle, self._held)
        self._blocked = axes.copy()

    def advance(
        self, dt: float, target: FloatArray, target_rate: FloatArray, enabled: BoolArray
    ) -> PlantState:
        """Advance in whole steps of the engine; the remainder is added to the next call. See `Plant.advance`."""
        self._count(dt)
        step = self._scene.solver.step_s
        self._remainder += dt
        steps = math.floor(self._remainder / step + 1e-6)
        if steps == 0 or self._failure:
            return self._state
        self._remainder -= steps * step
        enabled = enabled | self._blocked
        self._set_torque(bool(enabled.any()))
        span = steps * step
        rate = np.where(enabled, target_rate, self._state.rate)
        rate = np.where(self._blocked, 0.0, rate)
        begin = np.where(enabled, target - 0.5 * span * target_rate, self._state.angle)
        begin = np.where(self._blocked, self._held, begin)
        message = self._loop.hold(steps, self._of_all_axes(begin), self._of_all_axes(rate), None)
        if message:
            self._failure = f"the robot does not move: {message}"
        self._snapshot = self._engine.snapshot()
        self._state = self._plant_state()
        return self._state

    def _of_all_axes(self, values: FloatArray) -> FloatArray:
        """Return values of the profile's axes for all joint axes, 0 for the others."""
        result = np.zeros(len(self._scene.body.axes))
        result[self._entries] = values
        return result

    def _set_torque(self, on: bool) -> None:
        scene = self._scene if on else self._limp
        if self._engine.scene is not scene:
            self._engine.apply(scene)

    def _plant_state(self) -> PlantState:
        at = self._entries
        shot = self._snapshot
        return PlantState(shot.joint_angle[at], shot.joint_rate[at], shot.joint_torque[at])

    def _count(self, simulated: float) -> None:
        """Update simulated and real time with exponential weights of time constant `_PACE_S`."""
        now = time.monotonic()
        if self._counted_at is not None:
            passed = now - self._counted_at
            weight = math.exp(-passed / _PACE_S)
            self._pace = (weight * self._pace[0] + simulated, weight * self._pace[1] + passed)
        self._counted_at = now


def _without_motors(scene: Scene) -> tuple[JointOverride, ...]:
    """Return the scene's joint tables without the motor values that the profile sets."""
    motors = dict.fromkeys(
        ("kp_nm_per_rad", "kd_nms_per_rad", "max_torque_nm", "max_speed_deg_s", "free_play_deg")
    )
    return tuple(override.model_copy(update=motors) for override in scene.robot.joint)


def _stiff_joints(scene: Scene, profile: Profile) -> Iterator[JointOverride]:
    """Yield overrides that hold joint axes outside the profile stiffly, with and without torque."""
    moved = {JointAxis(axis.joint - 1, axis.axis) for axis in profile.axes}
    values = scene.axis_values
    for axis, kp, kd in zip(scene.body.axes, values.kp, values.kd, strict=True):
        if axis not in moved:
            only: Any = axis.kind
            yield JointOverride(
                index=axis.joint + 1, only=only, kp_nm_per_rad=float(kp), kd_nms_per_rad=float(kd)
            )


def _stop_deg(profile: Profile) -> float:
    """Return the mechanical stop of a real joint: the largest angle that the profile accepts as a measurement."""
    limits = profile.limits
    ends = [abs(each) for each in (limits.min_deg, limits.max_deg)]
    ends += [
        abs(each)
        for axis in profile.axes
        for each in (axis.min_deg, axis.max_deg)
        if each is not None
    ]
    return min(max(ends) + limits.margin_deg, 180.0) or 180.0


def _stable(scene: Scene) -> Scene:
    """Return the scene with joints that are stable for all gains: implicit in spatial models, else a smaller step."""
    solver = scene.solver
    if scene.model.spatial:
        return scene.model_copy(update={"solver": solver.model_copy(update={"joints": "implicit"})})
    finer = math.ceil(solver.step_s / largest_stable_step(scene))
    return scene.model_copy(
        update={"solver": solver.model_copy(update={"step_s": solver.step_s / max(1, finer)})}
    )


def _limp(emulation: Emulation) -> JointController:
    """Return the controller of joints without torque, which are only slowed by the friction of their gears."""
    drag = emulation.friction_nms_per_rad
    return JointController(
        kp_nm_per_rad=0.0, kd_nms_per_rad=drag, kp_pitch_nm_per_rad=0.0, kd_pitch_nms_per_rad=drag
    )
