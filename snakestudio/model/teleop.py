"""What somebody at the controls wants of the robot, as numbers without a robot: speed, turn, amplitude and gait."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from snakestudio.model.gaits import GAITS, unsuitable
from snakestudio.model.motion import GaitFields
from snakestudio.model.scene import Scene

OWN_GAIT = "scene"
"""What the scene's own gait is called among those of the library."""


@dataclass(frozen=True, slots=True)
class TeleopCommand:
    """A wish; how far and how fast the joints follow it, the scene's controller says.

    Raises `ValueError` if a number is not finite or beyond its range: nothing else may ever reach a
    robot.
    """

    speed: float = 0.0
    """Share of the highest gait frequency, -1 to 1; negative: backwards. 0: the wave stands
    still."""

    turn: float = 0.0
    """Share of the largest joint offset, -1 to 1; positive: to the left."""

    amplitude: float = 1.0
    """Share of the gait's amplitude, 0 to 1."""

    gait: str | None = None
    """Name of a gait of the library; None: the scene's own."""

    @property
    def note(self) -> str:
        """What a recording says when the first command comes."""
        return "The robot is steered by hand"

    def __post_init__(self) -> None:
        for name, least in (("speed", -1.0), ("turn", -1.0), ("amplitude", 0.0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and least <= value <= 1.0):
                raise ValueError(f"{name} = {value} is not a number from {least:g} to 1")

    @property
    def still(self) -> bool:
        """Whether the robot shall neither move on nor turn."""
        return self.speed == 0.0 and self.turn == 0.0

    def stilled(self) -> TeleopCommand:
        """The same without speed and turn: amplitude and gait stay, for changing them would move the joints."""
        return replace(self, speed=0.0, turn=0.0)


@dataclass(frozen=True, slots=True)
class JointTargets:
    """Angles that another program asks for; how fast the joints go there, the scene's controller says.

    Raises `ValueError` if one is infinite or beyond a thousand turns: nothing of that kind may ever
    reach a robot.
    """

    angles: tuple[float, ...]
    """Of all joint axes, rad; NaN for an axis that keeps its target."""

    @property
    def note(self) -> str:
        """What a recording says when the first targets come."""
        return "Another program gives the joints their targets"

    def __post_init__(self) -> None:
        for angle in self.angles:
            if not (math.isnan(angle) or abs(angle) < 2000.0 * math.pi):
                raise ValueError(f"{angle} is not an angle of a joint")


SteerCommand = TeleopCommand | JointTargets
"""What can be asked of a run or robot while it goes on."""

NEUTRAL = TeleopCommand()
"""Stand still, in the scene's own gait."""


def steerable_gaits(scene: Scene) -> tuple[str, ...]:
    """What the scene's robot can be switched to: its own gait first, then those of the library that it can do.

    A planar model has no vertical wave, and no joint goes beyond its stops.
    """
    names = [entry.name for entry in GAITS if not unsuitable(entry, scene)]
    return (OWN_GAIT, *names)


def gait_called(scene: Scene, name: str | None) -> GaitFields | None:
    """The gait that is meant by `TeleopCommand.gait`, going ahead; None if the scene's robot has no such gait.

    The scene's own gait goes ahead as it stands in the scene. Those of the library go towards link
    1: where the head is the last link, they run the other way round in time.
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
