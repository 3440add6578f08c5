"""Mapping between the axes of a robot profile and the joints of a scene, with a message for each mismatch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.errors import SceneError
from snakestudio.link.profile.schema import Profile
from snakestudio.model.robot import joint_axes
from snakestudio.model.robot.robot import Axis as JointAxis
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized, counted, listing, noun, numbered


class AxisMap:
    """Converts values of a profile's axes to arrays (m,) of a scene's joint axes and back.

    A joint axis that the profile does not move is stiff: its values are 0, and it gets no
    commands. Axes that the scene does not have are omitted.

    Parameters
    ----------
    axes : tuple of snakestudio.model.robot.robot.Axis
        Joint axes of the scene's robot.

    Attributes
    ----------
    moved : (m,) bool array
        Whether the profile moves each joint axis.
    """

    def __init__(self, profile: Profile, axes: tuple[JointAxis, ...]) -> None:
        self.n_axes = len(profile.axes)
        entry_of_axis = {axis: entry for entry, axis in enumerate(axes)}
        entries = [entry_of_axis.get(JointAxis(axis.joint - 1, axis.axis)) for axis in profile.axes]
        self._axes = np.array(
            [index for index, entry in enumerate(entries) if entry is not None], np.intp
        )
        self._entries = np.array([entry for entry in entries if entry is not None], np.intp)
        self.moved: BoolArray = np.zeros(len(axes), np.bool_)
        self.moved[self._entries] = True

    def joints(self, values: FloatArray) -> FloatArray:
        """Return values of the profile's axes as values of the scene's joint axes, (m,)."""
        joints = np.zeros(len(self.moved))
        joints[self._entries] = values[self._axes]
        return joints

    def axes(self, joints: FloatArray) -> FloatArray:
        """Return values (k, m) of the scene's joint axes as values of the profile's axes; 0 for the others."""
        values = np.zeros((len(joints), self.n_axes))
        values[:, self._axes] = joints[:, self._entries]
        return values


def last_joint(scene: Scene) -> int:
    """Return the number (from 1) of the last joint of a scene's robot that is not fixed; 0 if there is none."""
    return max((axis.joint + 1 for axis in scene.robot.axes), default=0)


def mismatches(profile: Profile, scene: Scene, base_dir: Path | None = None) -> tuple[str, ...]:
    """Return why a scene cannot drive the robot of a profile, as messages with a remedy; () if it can.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to. A table of angles that cannot be read
        is not checked.
    """
    if not scene.body.jointed:
        return (
            f"The scene's robot is a continuous body, but {profile.name} has joints. Open a scene with links.",
        )
    problems = []
    n_scene = last_joint(scene)
    n_profile = profile.n_joints
    if n_scene != n_profile:
        problems.append(
            f"{profile.name} moves {counted(n_profile, 'joint')}, but the scene's robot has {n_scene}. Open a scene "
            f"with {counted(n_profile + 1, 'link')}, or set robot.n_links = {n_profile + 1}."
        )
    problems += _axis_mismatches(profile, scene, min(n_scene, n_profile))
    if scene.gives_torques:
        problems.append(
            f"The scene's gait commands torques, but {profile.name} needs angles. Choose a gait that commands "
            'angles, such as gait.kind = "lateral_undulation".'
        )
    problems += _pitch_mismatches(profile, scene, min(n_scene, n_profile), base_dir)
    return tuple(problems)


def _axis_mismatches(profile: Profile, scene: Scene, n_joints: int) -> list[str]:
    """Return messages about joints whose axes differ in profile and scene, one for all joints that differ alike.

    A joint of two axes may be built without its pitch axis: it stays straight as long as the gait
    does not bend it in pitch. In a plane only the yaw axes count.
    """
    alike: dict[tuple[tuple[str, ...], tuple[str, ...], str], list[int]] = {}
    kinds_of_profile = profile.kinds_of_joints
    for joint in range(1, n_joints + 1):
        in_profile = kinds_of_profile.get(joint, ())
        in_scene, in_body = (
            joint_axes.kinds_of(axes, joint - 1) for axes in (scene.robot.axes, scene.body.axes)
        )
        extra = [kind for kind in in_profile if kind not in in_scene]
        missing = [
            kind
            for kind in in_body
            if kind not in in_profile and not _may_lack(kind, scene, joint - 1, in_profile)
        ]
        if extra or missing:
            remedy = _remedy(extra, missing)
            alike.setdefault((in_scene, in_profile, remedy), []).append(joint)
    return [
        f"{capitalized(numbered('joint', joints, 5))} {_turns(in_scene, len(joints))} in the scene, but {profile.name} "
        f"{_moves(in_profile, len(joints))}. {capitalized(remedy)}"
        for (in_scene, in_profile, remedy), joints in alike.items()
    ]


def _pitch_mismatches(
    profile: Profile, scene: Scene, n_joints: int, base_dir: Path | None
) -> list[str]:
    """Return a message if the gait bends joints in pitch whose pitch axes the profile omits."""
    if not scene.controller.uses_gait:
        return []
    kinds = profile.kinds_of_joints
    vertical, bent, file = _bent_up_and_down(scene, base_dir)
    without = [
        joint + 1
        for joint in bent
        if joint < n_joints and _may_lack(vertical, scene, joint, kinds.get(joint + 1, ()))
    ]
    if not without:
        return []
    if file:
        return [
            f"{file} bends {numbered('joint', without, 5)} up and down, but {profile.name} has no pitch "
            f"{noun(len(without), 'axis')} there. Set {'its' if len(without) == 1 else 'their'} pitch "
            "columns to 0, or add pitch to the axes of the profile."
        ]
    anywhere = any(vertical in each for each in kinds.values())
    which = (
        f"has no pitch axis at {numbered('joint', without, 5)}" if anywhere else "has no pitch axes"
    )
    return [
        f"The gait bends the joints up and down, but {profile.name} {which}. Choose a planar gait, or "
        f"set {scene.gait.wave_keys[1][0]} = 0."
    ]


def _bent_up_and_down(scene: Scene, base_dir: Path | None) -> tuple[str, list[int], str]:
    """Return the kind of the axes that bend up and down, the joints (0-based) that the gait bends there, and its file.

    The file is "" for a gait without one. A file that cannot be read bends no joints here: creating
    the controller reports it.
    """
    axes = scene.body.axes
    try:
        moved = scene.gait.moved_axes(scene, base_dir)
    except SceneError:
        return "pitch", [], ""
    if moved is not None:
        file = str(getattr(scene.gait, scene.gait.files[0])) if scene.gait.files else ""
        pitched = [
            axis.joint
            for axis, moves in zip(axes, moved, strict=True)
            if moves and axis.kind == "pitch"
        ]
        return "pitch", pitched, file
    waves = scene.waves
    bends = waves.pitch.amplitude or waves.pitch.offset
    return waves.vertical, joint_axes.joints(axes, waves.vertical).tolist() if bends else [], ""


def _may_lack(kind: str, scene: Scene, joint: int, in_profile: Sequence[str]) -> bool:
    """Return whether the profile may omit an axis of a joint (0-based) because it can be held straight."""
    in_scene = joint_axes.kinds_of(scene.body.axes, joint)
    return (
        kind == "pitch"
        and kind in in_scene
        and kind not in in_profile
        and "yaw" in in_scene
        and "yaw" in in_profile
    )


def _turns(kinds: Sequence[str], count: int) -> str:
    if not kinds:
        return "is fixed" if count == 1 else "are fixed"
    return f"{'turns' if count == 1 else 'turn'} about {listing(kinds)}"


def _moves(kinds: Sequence[str], count: int) -> str:
    """Return "moves its yaw axis", "moves their yaw and pitch axes" or "does not move it" for `count` joints."""
    if not kinds:
        return "does not move it" if count == 1 else "does not move them"
    axes = noun(max(len(kinds), count), "axis")
    return f"moves {'its' if count == 1 else 'their'} {listing(kinds)} {axes}"


def _remedy(extra: Sequence[str], missing: Sequence[str]) -> str:
    other = "open a scene of this robot (robot.joints and [[robot.joint]] give its axes)."
    if len(extra) == len(missing) == 1:
        return f'set axis = "{missing[0]}" in the profile instead of "{extra[0]}", or {other}'
    steps = []
    if missing:
        steps.append(f"add {listing(missing)} to the axes of the profile")
    if extra:
        steps.append(f"remove {listing(extra)} from the axes of the profile")
    return f"{listing(steps)}, or {other}"
