"""Operator commands, independent of the robot: speed, turn, amplitude and gait, or joint targets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from snakestudio.model.gaits import GAITS, unsuitable
from snakestudio.model.motion import GaitFields
from snakestudio.model.scene import Scene

OWN_GAIT = "scene"
"""Name of the scene's gait among those of the library."""


@dataclass(frozen=True, slots=True)
class TeleopCommand:
    """Command of an operator; the scene's controller decides how far and how fast the joints follow it.

    Raises `ValueError` if a number is not finite or out of range, so that invalid values never reach a
    robot.
    """

    speed: float = 0.0
    """Fraction of the highest gait frequency, -1 to 1; negative: backwards. 0: the wave stops."""

    turn: float = 0.0
    """Fraction of the largest joint offset, -1 to 1; positive: to the left."""

    amplitude: float = 1.0
    """Fraction of the gait's amplitude, 0 to 1."""

    gait: str | None = None
    """Name of a gait of the library; None for that of the scene."""

    @property
    def note(self) -> str:
        """Text of the event in a recording for the first command."""
        return "The robot is steered by hand"

    def __post_init__(self) -> None:
        for name, least in (("speed", -1.0), ("turn", -1.0), ("amplitude", 0.0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and least <= value <= 1.0):
                raise ValueError(f"{name} = {value} is not a number from {least:g} to 1")

    @property
    def still(self) -> bool:
        """Whether the robot must neither advance nor turn."""
        return self.speed == 0.0 and self.turn == 0.0

    def stilled(self) -> TeleopCommand:
        """Return the command without speed and turn; amplitude and gait stay because changing them moves joints."""
        return replace(self, speed=0.0, turn=0.0)


@dataclass(frozen=True, slots=True)
class JointTargets:
    """Joint angles requested by another program; the scene's controller decides how fast the joints move to them.

    Raises `ValueError` if an angle is infinite or beyond a thousand turns, so that invalid values never
    reach a robot.
    """

    angles: tuple[float, ...]
    """Targets of all joint axes, rad; NaN for an axis that retains its target."""

    @property
    def note(self) -> str:
        """Text of the event in a recording for the first targets."""
        return "Another program sets the joint targets"

    def __post_init__(self) -> None:
        for angle in self.angles:
            if not (math.isnan(angle) or abs(angle) < 2000.0 * math.pi):
                raise ValueError(f"{angle} is not a joint angle")


SteerCommand = TeleopCommand | JointTargets
"""Command to a run or robot while it runs."""

NEUTRAL = TeleopCommand()
"""Neutral command: no motion, in the scene's gait."""


def steerable_gaits(scene: Scene) -> tuple[str, ...]:
    """Gaits that the scene's robot can switch to: that of the scene first, then suitable ones of the library.

    A planar model excludes vertical waves, and joint limits exclude larger angles. Gaits of other robots
    can be steered as the gait of the scene.
    """
    names = [entry.name for entry in GAITS if not (entry.robot or unsuitable(entry, scene))]
    return (OWN_GAIT, *names)


def gait_called(scene: Scene, name: str | None) -> GaitFields | None:
    """Return the forward gait for `TeleopCommand.gait`; None if it is not available to the scene's robot.

    The scene's gait is used unchanged. Gaits of the library move towards link 1; if the head is the
    last link, they run backwards in time.
    """
    if name is None or name == OWN_GAIT:
        return scene.gait if scene.gait.of_waves else None
    if name not in steerable_gaits(scene):
        return None
    gait = next(entry.gait for entry in GAITS if entry.name == name)
    if scene.robot.head == "first":
        return gait
    frequencies = [
        key
        for key in ("frequency_deg_s", "pitch_frequency_deg_s")
        if key in type(gait).model_fields
    ]
    return gait.model_copy(update={key: -getattr(gait, key) for key in frequencies})
