"""Gait parameters as actions: waves of yaw and pitch whose parameters follow the action."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.errors import UsageError
from snakestudio.gym.task import Entry
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.scene import Scene

_RESPONSE_S = 0.5
"""Time constant with which parameters follow an action, and the difference between start and wave
decays, s."""

_FREQUENCY, _SHIFT, _YAW, _PITCH, _OFFSET = PARAMETERS = (
    "frequency_hz",
    "phase_shift_rad",
    "yaw_amplitude_rad",
    "pitch_amplitude_rad",
    "offset_rad",
)
"""Names of the parameters that actions can set."""


class WaveDrive:
    """Waves of n worlds.

    yaw_i = a_i A_yaw sin(Phi + i delta) + offset, pitch_i = a_i A_pitch sin(r Phi + i s delta +
    lead), where i counts joints from 0, Phi is the integral of 2 pi f, and a_i (envelope), r (ratio
    of frequencies), s (ratio of phase shifts) and lead are those of the scene's gait. Parameters
    start with the values of the scene's gait and follow an action with a time constant of 0.5 s.

    Raises `UsageError` if the gait of the scene does not consist of waves, or the robot has no axes
    for a parameter.

    Parameters
    ----------
    actions : tuple of Entry
        Parameters that actions set, with their ranges; the others are those of the scene.
    dt : float
        Control period, s.
    """

    def __init__(self, scene: Scene, actions: tuple[Entry, ...], n: int, dt: float) -> None:
        if not scene.gait.of_waves:
            raise UsageError(
                f"Actions are parameters of a wave, and the gait of this scene ({scene.gait.kind}) does not consist of "
                'waves. Choose a scene whose gait is "lateral_undulation", "two_waves" or "compound_serpenoid".'
            )
        waves = scene.waves
        axes = scene.body.axes
        self._yaw: IndexArray = entries(axes, "yaw")
        self._pitch: IndexArray = entries(axes, waves.vertical)
        acted = {entry.name for entry in actions}
        for needed, available, kind in (
            (_YAW, self._yaw, "yaw"),
            (_PITCH, self._pitch, waves.vertical),
        ):
            if needed in acted and not len(available):
                raise UsageError(
                    f"The action has {needed}, but this robot has no {kind} axes. Choose another scene."
                )
        self._yaw_joints = joints(axes, "yaw").astype(np.float64)
        self._pitch_joints = joints(axes, waves.vertical).astype(np.float64)
        factors = np.array(waves.envelope or (1.0,) * scene.robot.n_joints)
        self._yaw_factor, self._pitch_factor = (
            factors[joints(axes, "yaw")],
            factors[joints(axes, waves.vertical)],
        )
        yaw, pitch = waves.yaw, waves.pitch
        self._lead = yaw.phase
        self._pitch_lead = pitch.phase
        self._pitch_offset = pitch.offset
        self._ratio = pitch.omega / yaw.omega if yaw.omega else 1.0
        self._shift_ratio = pitch.phase_shift / yaw.phase_shift if yaw.phase_shift else 1.0
        first = {
            _FREQUENCY: yaw.omega / (2.0 * math.pi),
            _SHIFT: yaw.phase_shift,
            _YAW: yaw.amplitude,
            _PITCH: pitch.amplitude,
            _OFFSET: yaw.offset,
        }
        self.actions = actions
        self._columns: IndexArray = np.array(
            [PARAMETERS.index(entry.name) for entry in actions], np.intp
        )
        ranges = {entry.name: entry for entry in actions}
        self._first: FloatArray = np.array(
            [
                min(max(value, ranges[name].low), ranges[name].high) if name in ranges else value
                for name, value in first.items()
            ]
        )
        self._gain = 1.0 - math.exp(-dt / _RESPONSE_S)
        self._dt = dt
        self._axes = len(axes)
        self._parameters: FloatArray = np.tile(self._first, (n, 1))
        self._phase: FloatArray = np.zeros(n)
        self._rest: FloatArray = np.zeros((n, self._axes))

    def begin(self, worlds: IndexArray, angle: FloatArray) -> None:
        """Start in some of the worlds, whose joint angles are `angle` ((n, m), rad)."""
        self._parameters[worlds] = self._first
        self._phase[worlds] = 0.0
        self._rest[worlds] = angle[worlds] - self._angles()[worlds]

    def joint_targets(self, action: FloatArray) -> FloatArray:
        """Advance the parameters towards `action` by one control period; return the joint angles, (n, m), rad."""
        own = self._parameters[:, self._columns]
        self._parameters[:, self._columns] = own + self._gain * (action - own)
        self._phase += 2.0 * math.pi * self._dt * self._parameters[:, PARAMETERS.index(_FREQUENCY)]
        self._rest *= 1.0 - self._gain
        return self._angles() + self._rest

    def _angles(self) -> FloatArray:
        _, shift, yaw, pitch, offset = self._parameters.T[:, :, None]
        phase = self._phase[:, None]
        angle = np.zeros((len(phase), self._axes))
        swing = yaw * self._yaw_factor * np.sin(phase + self._yaw_joints * shift + self._lead)
        angle[:, self._yaw] = swing + offset
        if len(self._pitch):
            turned = (
                self._ratio * phase
                + self._pitch_joints * (self._shift_ratio * shift)
                + self._pitch_lead
            )
            angle[:, self._pitch] = pitch * self._pitch_factor * np.sin(turned) + self._pitch_offset
        return angle

    def values(self) -> list[FloatArray]:
        """Return sine and cosine of the phase Phi, and the current values of the parameters that actions set."""
        phase = self._phase[:, None]
        return [np.sin(phase), np.cos(phase), self._parameters[:, self._columns]]
