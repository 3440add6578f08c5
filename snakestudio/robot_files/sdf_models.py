"""Models and frames of SDF: links, joints and poses by full name, such as "model::link"."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

import numpy as np

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import Actuation, Placement, limit_of
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.reading import Reading, names_text
from snakestudio.robot_files.rotations import from_quaternion, from_rpy, rounded_angles
from snakestudio.robot_files.sdf_includes import DEEPEST, canonical_link

_TRUE = ("true", "1")

_GZ_GAINS = {"p_gain": "1", "i_gain": "0.1", "d_gain": "0.01", "cmd_max": "1000"}
"""Defaults of the system JointPositionController of Gazebo."""


@dataclass(slots=True)
class Model:
    """All links, joints and frames of a file, by full name ("model::link")."""

    links: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, tuple[Element, str]] = field(default_factory=dict)
    """Joints, each with the prefix of its model."""

    frames: dict[str, tuple[str, Placement]] = field(default_factory=dict)
    """Reference frame of each frame, and its pose in it."""

    placed_by: dict[str, str] = field(default_factory=dict)
    """Frames whose pose is not their own, but that of a frame in them: its name."""

    attached: dict[str, str] = field(default_factory=dict)
    """What a frame moves with: a link, joint, model or other frame."""

    static: set[str] = field(default_factory=set)
    """Links that do not move."""

    motors: dict[str, Actuation] = field(default_factory=dict)


def is_true(text: str) -> bool:
    """Return whether a flag is set."""
    return text.strip().lower() in _TRUE


def scoped(name: str, prefix: str) -> str:
    """Return the full name of a frame, link or joint that is named in the model with this prefix."""
    return name if name == "world" else f"{prefix}{name}"


def collect(holder: Element, prefix: str, model: Model, reading: Reading) -> None:
    """Collect the models of a world, a model or a file, and the frames and joints of a world.

    Two links or joints with the same name become problems.
    """
    for element in holder.children:
        if element.tag == "model":
            _collect_model(element, prefix, model, reading)
        elif holder.tag == "world":
            with reading.problems.collected():
                if element.tag == "frame":
                    _add_frame(element, prefix, model, reading)
                elif element.tag == "joint":
                    _add_joint(element, prefix, model, reading)


def _collect_model(element: Element, prefix: str, model: Model, reading: Reading) -> None:
    name = element.get("name")
    inside = f"{prefix}{name}::"
    own = f"{inside}__model__"
    relative = ""
    placement = Placement()
    with reading.problems.collected():
        relative, placement = pose_of(element, reading)
    outer = f"{prefix}__model__" if prefix else "world"
    model.frames[own] = (scoped(relative, prefix) if relative else outer, placement)
    if element.get("placement_frame"):
        model.placed_by[own] = scoped(element.get("placement_frame"), inside)
    model.frames[f"{prefix}{name}"] = (own, Placement())
    canonical = canonical_link(element)
    if canonical:
        model.attached[own] = model.attached[f"{prefix}{name}"] = f"{inside}{canonical}"
    static = is_true(element.text_of("static"))
    links = {link.get("name") for link in element.all("link")}
    for child in element.children:
        with reading.problems.collected():
            if child.tag == "link":
                _add_link(child, inside, static, model, reading)
            elif child.tag == "joint":
                _add_joint(child, inside, model, reading, links)
            elif child.tag == "frame":
                _add_frame(child, inside, model, reading)
            elif child.tag == "plugin":
                for joint, motor in motors_of(child, reading).items():
                    model.motors[f"{inside}{joint}"] = motor
    collect(element, inside, model, reading)


def _add_link(link: Element, inside: str, static: bool, model: Model, reading: Reading) -> None:
    full = f"{inside}{link.get('name')}"
    if full in model.links:
        raise InputError(
            f'{link.location}: there are two links "{link.get("name")}"', "use unique names"
        )
    model.links[full] = link
    model.frames[full] = (f"{inside}__model__", Placement())
    if static:
        model.static.add(full)
    relative, placement = pose_of(link, reading)
    model.frames[full] = (scoped(relative, inside) if relative else f"{inside}__model__", placement)


def _add_joint(
    joint: Element, inside: str, model: Model, reading: Reading, links: Container[str] = ()
) -> None:
    """Add a joint; one with the name of a link, as in old files, gets a separate frame, as in Gazebo."""
    full = f"{inside}{joint.get('name')}"
    if joint.get("name") in links:
        full += "_joint"
    if full in model.joints:
        raise InputError(
            f'{joint.location}: there are two joints "{joint.get("name")}"', "use unique names"
        )
    model.joints[full] = joint, inside
    child = scoped(joint.text_of("child"), inside)
    model.attached[full] = child
    model.frames[full] = (child, Placement())
    relative, placement = pose_of(joint, reading)
    model.frames[full] = (scoped(relative, inside) if relative else child, placement)


def _add_frame(frame: Element, prefix: str, model: Model, reading: Reading) -> None:
    full = f"{prefix}{frame.get('name')}"
    attached = frame.get("attached_to")
    outer = f"{prefix}__model__" if prefix else "world"
    model.attached[full] = scoped(attached, prefix) if attached else outer
    model.frames[full] = (outer, Placement())
    relative, placement = pose_of(frame, reading)
    relative = relative or attached
    model.frames[full] = (scoped(relative, prefix) if relative else outer, placement)
    if frame.get("placement_frame"):
        model.placed_by[full] = scoped(frame.get("placement_frame"), prefix)


def motors_of(plugin: Element, reading: Reading) -> dict[str, Actuation]:
    """Motors of the joints that a plug-in of Gazebo drives, by the name of the joint; none for other plug-ins.

    Raises `InputError` if a gain is not a number.
    """
    names = [each.text.strip() for each in plugin.all("joint_name", "jointName")]
    joints = [name for name in names if name]
    kind = plugin.get("name") + plugin.get("filename")
    if not joints or "position" not in kind.lower():
        return dict.fromkeys(joints, Actuation())
    defaults = _GZ_GAINS if "JointPositionController" in kind else {}
    kp, kd, torque, integral = (
        float_of(text, f"{plugin.location} {key}")
        if (text := plugin.text_of(key, default))
        else None
        for key, default in (
            (key, defaults.get(key, "")) for key in ("p_gain", "d_gain", "cmd_max", "i_gain")
        )
    )
    if integral:
        reading.notes.append(
            f"The integral gain of {integral:g} was ignored: {names_text(joints)}."
        )
    return dict.fromkeys(joints, Actuation(kp, kd, limit_of(torque)))


def pose_of(element: Element, reading: Reading) -> tuple[str, Placement]:
    """Reference frame of the pose of an element, as written, and the pose in it.

    Raises `InputError` if the pose is not six numbers, or seven for a quaternion.
    """
    pose = element.find("pose")
    if pose is None:
        return "", Placement()
    relative = pose.get("relative_to") or pose.get("frame")
    where = f"{element.location} pose"
    if not pose.text.strip():
        return relative, Placement()
    if pose.get("rotation_format") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = vector_of(pose.text, 7, where)
        return relative, Placement(np.array([x, y, z]), from_quaternion(qw, qx, qy, qz))
    values = vector_of(pose.text, 6, where)
    angles = np.radians(values[3:]) if is_true(pose.get("degrees")) else values[3:]
    rpy, changed = rounded_angles(angles)
    if changed and element.get("name"):
        reading.record_rounding(element.get("name"))
    return relative, Placement(values[:3], from_rpy(rpy))


def link_of(name: str, model: Model, joint: Element) -> str:
    """Return the link at an end of a joint, through frames, joints and models; "world" if it does not move.

    Raises `InputError` if there is none.
    """
    local_name = name.rpartition("::")[2] or name
    for _ in range(DEEPEST):
        if name in model.links or name == "world":
            return name
        if name not in model.attached:
            break
        name = model.attached[name]
    raise InputError(
        f'{joint.location}: there is no link "{local_name}"', "correct its <parent> and <child>"
    )


def placements_of(model: Model, reading: Reading) -> dict[str, Placement]:
    """Return the poses of all frames in the world.

    A pose relative to a frame that does not exist, or to itself, becomes a problem.
    """
    shifts: dict[str, Placement] = {}
    for name in sorted(model.placed_by, key=lambda name: -name.count("::")):
        with reading.problems.collected():
            shifts[name] = _placement_in(name, model, shifts).inverse()
    done = {"world": Placement()}
    for name in model.frames:
        trail = {name: None}
        last = name
        while last not in done:
            outer, _ = model.frames[last]
            error = _wrong_reference(last, outer, trail, model)
            if error is not None:
                reading.problems.record(error)
                done[last] = Placement()
                break
            trail[outer] = None
            last = outer
        for inner in [each for each in reversed(trail) if each not in done]:
            outer, placement = model.frames[inner]
            done[inner] = done[outer].then(placement).then(shifts.get(inner, Placement()))
    return done


def _wrong_reference(
    name: str, outer: str, trail: Container[str], model: Model
) -> InputError | None:
    owner = name.removesuffix("::__model__")
    if outer not in model.frames and outer != "world":
        local_name = outer.rpartition("::")[2]
        return InputError(
            f'the pose of "{owner}" is relative to "{local_name}", which does not exist',
            "correct it",
        )
    if outer in trail:
        return InputError(f'the pose of "{owner}" is relative to itself', "correct its relative_to")
    return None


def _placement_in(holder: str, model: Model, shifts: Mapping[str, Placement]) -> Placement:
    """Return the pose of the placement frame of a model in the frame of the model.

    Parameters
    ----------
    holder : str
        The frame of the model.
    shifts : mapping
        Frames of the models in it, in the frames that their poses describe.
    """
    frame = model.placed_by[holder]
    placement = Placement()
    for _ in model.frames:
        if frame == holder:
            return placement
        if frame not in model.frames:
            break
        outer, own = model.frames[frame]
        placement = own.then(shifts.get(frame, Placement())).then(placement)
        frame = outer
    raise InputError(
        f'the placement frame "{model.placed_by[holder].rpartition("::")[2]}" of'
        f' "{holder.removesuffix("::__model__")}" is not a frame of this model',
        "correct placement_frame",
    )


def most_axes(models: list[Element]) -> Element | None:
    """Return the model with the most joints that turn, including those of its nested models; None if there is none."""
    counts = [
        sum(
            joint.get("type") not in ("fixed", "prismatic")
            for joint in model.iter()
            if joint.tag == "joint"
        )
        for model in models
    ]
    best = max(counts, default=0)
    return models[counts.index(best)] if best > 0 else None
