"""Which axis of a robot profile is which joint of a scene: arrays there and back; what does not fit, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.link.profile.schema import Axis, Profile
from snakestudio.model.robot.robot import Axis as JointAxis
from snakestudio.model.scene import Scene

__all__ = ["AxisMap", "mismatches"]


class AxisMap:
    """The axes of a profile as arrays (m,) of a scene's joint axes.

    A joint axis that the profile does not move is stiff: it reads 0 and is never told anything. Axes that the scene
    does not have are left out.

    Parameters
    ----------
    profile : Profile
    axes : tuple of snakestudio.model.robot.robot.Axis
        Of the scene's robot.

    Attributes
    ----------
    moved : (m,) bool array
        Which joint axes the profile moves.
    """

    def __init__(self, profile: Profile, axes: tuple[JointAxis, ...]) -> None:
        self.n_axes = len(profile.axes)
        places = {axis: entry for entry, axis in enumerate(axes)}
        wanted = [places.get(JointAxis(axis.joint - 1, axis.axis)) for axis in profile.axes]
        self._axes = np.array([index for index, entry in enumerate(wanted) if entry is not None], np.intp)
        self._entries = np.array([entry for entry in wanted if entry is not None], np.intp)
        self.moved: BoolArray = np.zeros(len(axes), np.bool_)
        self.moved[self._entries] = True

    def joints(self, values: FloatArray) -> FloatArray:
        """Values of all axes of the profile as those of the scene's joint axes, (m,)."""
        found = np.zeros(len(self.moved))
        found[self._entries] = values[self._axes]
        return found

    def axes(self, joints: FloatArray) -> FloatArray:
        """Values (k, m) of the scene's joint axes as those of all axes of the profile; 0 for those it does not have."""
        found = np.zeros((len(joints), self.n_axes))
        found[:, self._axes] = joints[:, self._entries]
        return found


def mismatches(profile: Profile, scene: Scene) -> tuple[str, ...]:
    """Why the robot of a profile cannot be driven by a scene, a sentence each with its remedy; () if it can."""
    if not scene.body.jointed:
        return (
            f"The scene's robot is a continuous body, and {profile.name} has joints: open a scene with links.",
        )  # fmt: skip
    found = []
    wanted, there = scene.robot.n_joints, profile.n_joints
    if wanted != there:
        found.append(
            f"{profile.name} moves {_count(there, 'joint')}, the scene's robot has {wanted}: open a scene with "
            f"{_count(there + 1, 'link')}, or set robot.n_links = {there + 1}."
        )
    missing = _missing(profile.axes, min(wanted, there))
    if missing and len({axis.joint for axis in profile.axes}) == len(profile.axes):  # built so, and not forgotten
        bend = "bends" if len(missing) == 1 else "bend"
        found.append(
            f"No scene can drive {profile.name} yet: {_listed('joint', missing)} {bend} only up and down, and in scenes"
            " every joint bends sideways, too. It can be wiggled joint by joint."
        )
    elif missing:
        found.append(
            f"Nobody moves the yaw axis of {_listed('joint', missing)}: give the profile an axis for it, or open a "
            "scene with fewer links."
        )
    if scene.gives_torques:
        found.append(
            f"The scene's gait gives the joints torques, and {profile.name} is told angles: choose a gait of angles, "
            'such as gait.kind = "lateral_undulation".'
        )
    pitch = scene.waves.pitch
    if pitch.amplitude or pitch.offset:
        without = [joint for joint in range(1, min(wanted, there) + 1) if not _has(profile.axes, joint, "pitch")]
        if without and scene.controller.uses_gait:
            which = (
                "has no pitch axes" if not profile.has_pitch else f"has no pitch axis at {_listed('joint', without)}"
            )
            found.append(
                f"The gait bends the joints up and down, but {profile.name} {which}: choose a gait in the plane, or "
                f"set {scene.gait.wave_keys[1][0]} = 0."
            )
    return tuple(found)


def _has(axes: Sequence[Axis], joint: int, side: str) -> bool:
    return any(axis.joint == joint and axis.axis == side for axis in axes)


def _missing(axes: Sequence[Axis], n_joints: int) -> list[int]:
    """Joints (from 1) that bend neither way by anybody's doing, or only up and down."""
    return [joint for joint in range(1, n_joints + 1) if not _has(axes, joint, "yaw")]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(noun: str, numbers: Sequence[int]) -> str:
    """Numbers as in "joints 3, 4 and 7"; of many only the first few."""
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    if len(numbers) > 6:
        return f"{noun}s {', '.join(map(str, numbers[:5]))} and {len(numbers) - 5} more"
    return f"{noun}s {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
