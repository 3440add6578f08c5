"""Models, frames, and included files of SDF."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from snakestudio.inputs import ROBOT, InputError, read_bytes
from snakestudio.robot_files.description import Actuation, Geometry, Placement
from snakestudio.robot_files.elements import Element, float_of, parse_xml, vector_of
from snakestudio.robot_files.files import MissingFileError, resolved
from snakestudio.robot_files.reading import Reading
from snakestudio.robot_files.rotations import from_quaternion, from_rpy, rounded_angles

DEEPEST = 16
"""Largest depth of nested models, and of frames attached to frames."""

_MOST_MODELS = 500


@dataclass(slots=True)
class Model:
    """All links, joints and frames of a file, by full name ("model::link")."""

    links: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, tuple[Element, str]] = field(default_factory=dict)
    """Joints, each with the prefix of its model."""

    frames: dict[str, tuple[str, Placement]] = field(default_factory=dict)
    """Reference frame of each frame, and its pose in it."""

    attached: dict[str, str] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)
    motors: dict[str, Actuation] = field(default_factory=dict)
    old_axes: dict[str, bool] = field(default_factory=dict)
    models: int = 0


def version_of(root: Element) -> float:
    try:
        major, _, minor = root.get("version", "1.6").partition(".")
        return int(major) + 0.01 * int(minor.split(".")[0] or 0)
    except ValueError:
        raise InputError(
            f'{root.place}: "{root.get("version")}" is not a version of SDF', "correct it"
        ) from None


def collect(
    holder: Element,
    prefix: str,
    version: float,
    model: Model,
    reading: Reading,
    folder: Path,
    ground: list[Geometry],
    depth: int,
) -> None:
    """Collect the models of a world, a model or a file."""
    if depth > DEEPEST:
        raise InputError(f"its models are nested more than {DEEPEST} deep", "reduce the nesting")
    for element in holder.children:
        if element.tag == "model":
            _collect_model(
                element,
                element.get("name"),
                prefix,
                version,
                model,
                reading,
                folder,
                ground,
                depth,
                None,
            )
        elif element.tag == "include":
            _include(element, prefix, model, reading, folder, ground, depth)
        elif element.tag == "frame" and holder.tag == "world":
            _add_frame(element, prefix, model, reading)


def _include(
    element: Element,
    prefix: str,
    model: Model,
    reading: Reading,
    folder: Path,
    ground: list[Geometry],
    depth: int,
) -> None:
    uri = element.text_of("uri")
    short = uri.partition("://")[2].rstrip("/") or uri
    if short.split("/")[-1] == "sun":
        return
    if short.split("/")[-1] == "ground_plane":
        ground.append(Geometry("plane", (), friction=(1.0, 1.0), name="ground_plane"))
        return
    try:
        path = resolved(
            uri if uri.endswith((".sdf", ".world")) else f"{uri.rstrip('/')}/model.sdf", folder
        )
    except MissingFileError:
        reading.notes.append(
            f"The included model {uri} was not found near the file and was ignored."
        )
        return
    inner = parse_xml(read_bytes(path, ROBOT), ROBOT)
    for child in inner.all("model"):
        name = element.text_of("name") or child.get("name")
        _collect_model(
            child,
            name,
            prefix,
            version_of(inner),
            model,
            reading,
            path.parent,
            ground,
            depth + 1,
            element,
        )


def _collect_model(
    element: Element,
    name: str,
    prefix: str,
    version: float,
    model: Model,
    reading: Reading,
    folder: Path,
    ground: list[Geometry],
    depth: int,
    included: Element | None,
) -> None:
    model.models += 1
    if model.models > _MOST_MODELS:
        raise InputError(
            f"it has more than {_MOST_MODELS} models", "check whether they include each other"
        )
    inside = f"{prefix}{name}::"
    holder = included if included is not None and included.find("pose") is not None else element
    relative, placement = pose_of(holder, reading)
    outer = f"{prefix}__model__" if prefix else "world"
    model.frames[f"{inside}__model__"] = (
        scoped(relative, prefix) if relative else outer,
        placement,
    )
    model.frames[f"{prefix}{name}"] = (f"{inside}__model__", Placement())
    static = (included or element).text_of("static", element.text_of("static")) in ("true", "1")
    for link in element.all("link"):
        full = f"{inside}{link.get('name')}"
        if full in model.links:
            raise InputError(
                f'{link.place}: there are two links "{link.get("name")}"', "use unique names"
            )
        model.links[full] = link
        relative, placement = pose_of(link, reading)
        model.frames[full] = (
            scoped(relative, inside) if relative else f"{inside}__model__",
            placement,
        )
        if static:
            model.static.add(full)
    for joint in element.all("joint"):
        full = f"{inside}{joint.get('name')}"
        if full in model.joints:
            raise InputError(
                f'{joint.place}: there are two joints "{joint.get("name")}"',
                "use unique names",
            )
        model.joints[full] = joint, inside
        model.old_axes[full] = version < 1.045
        relative, placement = pose_of(joint, reading)
        child = scoped(joint.text_of("child"), inside)
        model.frames[full] = (scoped(relative, inside) if relative else child, placement)
    for frame in element.all("frame"):
        _add_frame(frame, inside, model, reading)
    for plugin in element.all("plugin"):
        _add_motor(plugin, inside, model)
    collect(element, inside, version, model, reading, folder, ground, depth + 1)


def _add_frame(frame: Element, prefix: str, model: Model, reading: Reading) -> None:
    full = f"{prefix}{frame.get('name')}"
    relative, placement = pose_of(frame, reading)
    attached = frame.get("attached_to")
    outer = f"{prefix}__model__" if prefix else "world"
    model.frames[full] = (
        scoped(relative or attached, prefix) if relative or attached else outer,
        placement,
    )
    if attached:
        model.attached[full] = scoped(attached, prefix)


def _add_motor(plugin: Element, prefix: str, model: Model) -> None:
    joint = plugin.text_of("joint_name") or plugin.text_of("jointName")
    if joint and "Position" in plugin.get("name") + plugin.get("filename"):
        gains = [plugin.text_of(key) for key in ("p_gain", "d_gain")]
        kp, kd = (float_of(text, f"{plugin.place} gain") if text else None for text in gains)
        model.motors[f"{prefix}{joint}"] = Actuation(kp, kd)
    elif joint:
        model.motors[f"{prefix}{joint}"] = Actuation()


def scoped(name: str, prefix: str) -> str:
    if name == "world":
        return name
    return f"{prefix}{name}"


def pose_of(element: Element, reading: Reading) -> tuple[str, Placement]:
    """Reference frame of the pose of an element, as written, and the pose in it."""
    pose = element.find("pose")
    if pose is None:
        return "", Placement()
    relative = pose.get("relative_to") or pose.get("frame")
    where = f"{element.place} pose"
    if not pose.text.strip():
        return relative, Placement()
    if pose.get("rotation_format") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = vector_of(pose.text, 7, where)
        return relative, Placement(np.array([x, y, z]), from_quaternion(qw, qx, qy, qz))
    values = vector_of(pose.text, 6, where)
    angles = np.radians(values[3:]) if pose.get("degrees") in ("true", "1") else values[3:]
    rpy, changed = rounded_angles(angles)
    if changed and element.get("name"):
        reading.record_rounding(element.get("name"))
    return relative, Placement(values[:3], from_rpy(rpy))


def placements_of(model: Model) -> dict[str, Placement]:
    """Poses of all frames in the world.

    Raises `InputError` if a pose is relative to a frame that does not exist, or to itself.
    """
    done = {"world": Placement()}
    for name in model.frames:
        trail = [name]
        while trail[-1] not in done:
            outer, _ = model.frames[trail[-1]]
            if outer not in model.frames and outer not in done:
                local_name = outer.rpartition("::")[2]
                raise InputError(
                    f'the pose of "{trail[-1]}" is relative to "{local_name}", which does not exist',
                    "correct it",
                )
            if outer in trail:
                raise InputError(
                    f'the pose of "{trail[-1]}" is relative to itself', "correct its relative_to"
                )
            trail.append(outer)
        for inner in reversed(trail[:-1]):
            outer, placement = model.frames[inner]
            done[inner] = done[outer].then(placement)
    return done
