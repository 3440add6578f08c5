"""The controllers as the window names them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CONTROLLERS", "ControllerInfo"]


@dataclass(frozen=True, slots=True)
class ControllerInfo:
    """How a controller is shown.

    Attributes
    ----------
    title : str
    help : str
        What it does, in a sentence.
    """

    title: str
    help: str


CONTROLLERS = {
    "none": ControllerInfo("None: the gait alone", "The joints do what the gait says, whatever happens."),
    "heading": ControllerInfo("Heading", "A small offset of all joints turns the robot to a heading and holds it."),
    "path_following": ControllerInfo(
        "Path following",
        "The robot heads for a point of the path ahead, comes onto the path and stays on it.",
    ),
    "leader_follower": ControllerInfo(
        "Leader and followers (P3)",
        "The head winds from side to side and every joint repeats what the head did; jams are resolved.",
    ),
    "strain_follower": ControllerInfo(
        "Strain law (P5)",
        "The joints follow the scene's strain law, as if the links were pieces of its continuous body.",
    ),
    "teleoperation": ControllerInfo(
        "Teleoperation",
        "Keys or a gamepad say how fast the gait runs and how it bends, or which one it is; without them, a program.",
    ),
}
"""By `scene.controller.kind`."""
