"""A learned controller: a small neural network steers the gait along the path of the scene.

snakestudio run learned_path_following.toml --plugin learned_path_following.py

train_path_following.py has written the network, learned_path_following.npz. What it sees and does
is that of the environment SnakeStudio/PathFollowing-v0, in the same order.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio.control.path_projection import projected
from snakestudio.model.track import track
from snakestudio.plugin import (
    AngleController,
    ControllerFields,
    ControllerKind,
    Fields,
    Snapshot,
    value,
)

Array = NDArray[np.float64]

with np.load(Path(__file__).with_suffix(".npz")) as arrays:
    NETWORK: dict[str, Array] = dict(arrays)
LAYERS = sum(name.startswith("weight") for name in NETWORK)
# s, s, m, rad/s: those of the environment
PERIOD = 0.1
RESPONSE = 0.5
AHEAD = 0.6
RATE_LIMIT = 3.0


def policy(observation: Array) -> Array:
    """The action of the network: amplitude (rad), frequency (Hz) and offset (rad) of the gait."""
    x: Array = np.clip((observation - NETWORK["mean"]) * NETWORK["scale"], -10.0, 10.0)
    for layer in range(LAYERS):
        x = NETWORK[f"weight_{layer}"] @ x + NETWORK[f"bias_{layer}"]
        if layer < LAYERS - 1:
            x = np.tanh(x)
    low, high = NETWORK["low"], NETWORK["high"]
    action: Array = low + 0.5 * (np.clip(x, -1.0, 1.0) + 1.0) * (high - low)
    return action


class LearnedFields(ControllerFields):
    """A learned policy follows the path."""

    uses = ("gait", "path")

    kind: Literal["learned_path_following"] = "learned_path_following"
    offset_scale: float = value(
        1.0, ge=0, le=2, live=True, help="Factor of the offset that the policy asks for"
    )


class LearnedPathFollowing(AngleController):
    """Asks the policy every 0.1 s, and moves the joints steadily to what it makes of the gait."""

    needs = Fields.POSE | Fields.JOINTS | Fields.TORQUE
    channels = ("cross_track_m", "amplitude_rad", "frequency_hz", "offset_rad")

    def begin(self) -> None:
        """Start with the gait of the scene."""
        wave = self.scene.waves.yaw
        self.amplitude_rad = wave.amplitude
        self.frequency_hz = wave.omega / (2 * math.pi)
        self.offset_rad = wave.offset
        self.phase = 0.0
        self.rest = self.start - self.wave()
        self.before = self.start
        self.target = self.start
        self.asked_at = -math.inf
        self.along = math.nan
        self.centre = np.full(2, math.nan)
        self.cross_track_m = 0.0

    def wave(self) -> Array:
        """Joint angles of the gait."""
        wave = self.scene.waves.yaw
        turn = self.phase + wave.phase + wave.phase_shift * np.arange(self.n_joints)
        angles: Array = self.amplitude_rad * np.sin(turn) + self.offset_rad
        return angles

    def angles(self, time: Array, snapshot: Snapshot) -> Array:
        """Joint angles over a control period of the scene."""
        if time[0] - self.asked_at >= PERIOD - 1e-9:
            self.asked_at = float(time[0])
            self.ask(snapshot)
        share = np.clip((time - self.asked_at) / PERIOD, 0.0, 1.0)[:, None]
        angles: Array = self.before + share * (self.target - self.before)
        return angles

    def ask(self, snapshot: Snapshot) -> None:
        """Ask the policy, and let the gait follow."""
        action = policy(self.observation(snapshot))
        action[2] *= self.fields.offset_scale
        share = 1.0 - math.exp(-PERIOD / RESPONSE)
        self.amplitude_rad += share * (float(action[0]) - self.amplitude_rad)
        self.frequency_hz += share * (float(action[1]) - self.frequency_hz)
        self.offset_rad += share * (float(action[2]) - self.offset_rad)
        self.phase += 2 * math.pi * self.frequency_hz * PERIOD
        self.rest = self.rest * (1.0 - share)
        largest = RATE_LIMIT * PERIOD
        self.before = self.target
        self.target = self.before + np.clip(
            np.clip(self.wave() + self.rest, -1, 1) - self.before, -largest, largest
        )

    def observation(self, snapshot: Snapshot) -> Array:
        """What the policy sees, as the environment has it."""
        centre = snapshot.centre_of_mass[:2]
        path = track(self.scene.path)
        sight = projected(path, centre, None if math.isnan(self.along) else self.along, AHEAD)
        velocity = np.zeros(2) if math.isnan(self.along) else (centre - self.centre) / PERIOD
        self.centre = centre
        self.along = sight.along
        self.cross_track_m = sight.cross
        off = snapshot.heading - sight.direction
        turn = path.course(sight.along + AHEAD)[2] - sight.direction
        cos, sin = math.cos(sight.direction), math.sin(sight.direction)
        return np.concatenate(
            [
                snapshot.joint_angle,
                snapshot.joint_rate,
                snapshot.joint_torque,
                [
                    math.sin(self.phase),
                    math.cos(self.phase),
                    self.amplitude_rad,
                    self.frequency_hz,
                    self.offset_rad,
                ],
                [
                    sight.cross,
                    math.sin(off),
                    math.cos(off),
                    math.atan2(math.sin(turn), math.cos(turn)),
                ],
                [cos * velocity[0] + sin * velocity[1], cos * velocity[1] - sin * velocity[0]],
            ]
        )


KIND: Any = ControllerKind(
    fields=LearnedFields, make=LearnedPathFollowing, title="Learned path following", tools=("path",)
)
