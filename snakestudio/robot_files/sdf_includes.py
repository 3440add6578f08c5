"""Included files of SDF: each ``<include>`` is replaced by the model that it names."""

from __future__ import annotations

import os
from pathlib import Path

from snakestudio.inputs import ROBOT, InputError, read_bytes
from snakestudio.robot_files.elements import Element, parse_xml
from snakestudio.robot_files.files import MissingFileError, resolved
from snakestudio.robot_files.reading import Reading

DEEPEST = 16
"""Largest depth of nested models, and of frames attached to frames."""

_MOST_MODELS = 500

_LIGHTS = ("sun",)
_GROUND = "ground_plane"
"""Models of Gazebo's library that are on no user's disk."""

_NAMED = ("link", "model", "joint", "frame", "gripper", "plugin")
"""Elements of a model that a merge moves to the including model; it ignores all others, such as <static>."""

_AXES_IN_JOINT = 1.045
"""Versions below this one are at most 1.4, where the axes of a joint are in the frame of its model."""


def version_of(root: Element) -> float:
    """Return the version of a file, with the minor version as hundredths: 1.1 for 1.10.

    Raises `InputError` if the attribute is not a version.
    """
    try:
        major, _, minor = root.get("version", "1.6").partition(".")
        return int(major) + 0.01 * int(minor.split(".")[0] or 0)
    except ValueError:
        raise InputError(
            f'{root.location}: "{root.get("version")}" is not a version of SDF', "correct it"
        ) from None


def replace_includes(root: Element, reading: Reading) -> None:
    """Replace all includes in a file, and write the axes of SDF 1.4 in the notation of later versions.

    Raises `InputError` if the models are nested too deeply, or are too many.
    """
    _Includes(reading).replace(root, reading.folder, version_of(root) < _AXES_IN_JOINT, 0)


class _Includes:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._models = 0
        self._elements = 0

    def replace(self, holder: Element, folder: Path, old_axes: bool, depth: int) -> None:
        """Replace the includes in a file, a world or a model."""
        if depth > DEEPEST:
            raise InputError(
                f"its models are nested more than {DEEPEST} deep", "reduce the nesting"
            )
        children = []
        for child in holder.children:
            if child.tag == "include":
                with self._reading.problems.collected():
                    children += self._included(child, holder, folder, depth)
                continue
            if child.tag in ("model", "world"):
                self._count_model()
                self.replace(child, folder, old_axes, depth + 1)
            elif child.tag == "joint" and old_axes:
                _place_axes_in_model(child)
            children.append(child)
        holder.children = children

    def _count_model(self) -> None:
        self._models += 1
        if self._models > _MOST_MODELS:
            raise InputError(
                f"it has more than {_MOST_MODELS} models", "check whether they include each other"
            )

    def _included(
        self, include: Element, holder: Element, folder: Path, depth: int
    ) -> list[Element]:
        """Return the elements that replace an include."""
        uri = include.text_of("uri")
        name = uri.rstrip("/").rpartition("/")[2].lower().replace(" ", "_").replace("%20", "_")
        if name in _LIGHTS:
            return []
        if name == _GROUND:
            return [_ground_plane(include)]
        try:
            path = _model_file(uri, folder)
        except InputError:
            if holder.tag == "model":
                raise InputError(
                    f'{include.location}: there is no model "{uri}" in the folder of the file or near it',
                    "add it",
                ) from None
            self._reading.notes.append(
                f"The included model {uri} was not found near the file and was ignored."
            )
            return []
        root = parse_xml(read_bytes(path, ROBOT), ROBOT)
        models = root.all("model")
        if not models:
            self._reading.notes.append(f"The included file {uri} has no model and was ignored.")
            return []
        if len(models) > 1:
            self._reading.notes.append(
                f"The included file {uri} has {len(models)} models; only the first one was read."
            )
        model = models[0]
        own_folder = path.parent
        for element in model.iter():
            element.file = path.name if own_folder == folder else f"{own_folder.name}/{path.name}"
            self._elements += 1
            if element.tag == "uri" and own_folder != self._reading.folder:
                element.text = _from_folder(element.text, own_folder, self._reading.folder)
        if self._elements > ROBOT.values:
            raise InputError(
                f"its included models have more than {ROBOT.values} elements",
                "check whether they include each other",
            )
        self._count_model()
        self.replace(model, own_folder, version_of(root) < _AXES_IN_JOINT, depth + 1)
        _apply_overrides(include, model)
        if include.get("merge").lower() in ("true", "1"):
            if holder.tag == "world" and model.find("link") is not None:
                raise InputError(
                    f"{include.location}: the links of a model cannot be merged into a world",
                    'remove merge="true"',
                )
            return self._merged(model, holder)
        return [model]

    def _merged(self, model: Element, holder: Element) -> list[Element]:
        """Return the content of a merged model, with a frame in place of the model's own frame."""
        name = f"_merged__{model.get('name')}__model__"
        pose = model.find("pose") or Element("pose", line=model.line)
        relative = pose.get("relative_to") or pose.get("frame")
        outer = "world" if holder.tag == "world" else "__model__"
        frame = Element(
            "frame",
            {"name": name, "attached_to": canonical_link(model)},
            model.line,
            [
                Element(
                    "pose",
                    {**pose.attributes, "relative_to": relative or outer},
                    pose.line,
                    text=pose.text or "0 0 0 0 0 0",
                )
            ],
            file=model.file,
        )
        placement = model.get("placement_frame")
        if placement:
            frame.attributes["placement_frame"] = placement
        moved = [child for child in model.children if child.tag in _NAMED or ":" in child.tag]
        for child in moved:
            _refer_to_frame(child, name)
        return [frame, *moved]


def _model_file(uri: str, folder: Path) -> Path:
    """SDF file of a model, which can be named by its folder: the newest one in its ``model.config``, or ``model.sdf``.

    Raises `InputError` if it does not exist, or its name leads out of the searched folders.
    """
    if uri.endswith((".sdf", ".world")):
        return resolved(uri, folder)
    base = uri.rstrip("/")
    try:
        config = resolved(f"{base}/model.config", folder)
    except MissingFileError:
        return resolved(f"{base}/model.sdf", folder)
    files = parse_xml(read_bytes(config, ROBOT), ROBOT).all("sdf")
    newest = max(files, key=version_of, default=None)
    return resolved(f"{base}/{newest.text.strip() if newest is not None else 'model.sdf'}", folder)


def canonical_link(model: Element) -> str:
    """Return the name of the link to which the frame of a model is attached, within the model; "" if it has no link."""
    if model.get("canonical_link"):
        return model.get("canonical_link")
    link = model.find("link")
    if link is not None:
        return link.get("name")
    for inner in model.all("model"):
        name = canonical_link(inner)
        if name:
            return f"{inner.get('name')}::{name}"
    return ""


def _refer_to_frame(element: Element, frame: str) -> None:
    """Replace references to the frame of a merged model, written or implied, by references to `frame`."""

    def refer(holder: Element | None, attribute: str, implied: bool = False) -> None:
        if holder is None:
            return
        value = holder.get(attribute)
        if value == "__model__" or (implied and not value):
            holder.attributes[attribute] = frame

    pose = element.find("pose")
    if element.tag in ("link", "model"):
        if pose is None:
            pose = Element("pose", line=element.line)
            element.children.append(pose)
        if not pose.get("frame"):
            refer(pose, "relative_to", implied=True)
        refer(pose, "frame")
        return
    refer(pose, "relative_to")
    refer(pose, "frame")
    if element.tag == "frame":
        refer(element, "attached_to", implied=True)
    if element.tag == "joint":
        for end in element.all("parent", "child"):
            if end.text.strip() == "__model__":
                end.text = frame
        for axis in element.all("axis", "axis2"):
            direction = axis.find("xyz")
            refer(direction, "expressed_in")
            parent_frame = axis.find("use_parent_model_frame")
            if parent_frame is not None and parent_frame.text.strip() in ("true", "1"):
                axis.children.remove(parent_frame)
                if direction is not None and not direction.get("expressed_in"):
                    direction.attributes["expressed_in"] = frame


def _apply_overrides(include: Element, model: Element) -> None:
    """Apply the name, pose, placement frame, static flag and plug-ins of an include to its model."""
    if include.text_of("name"):
        model.attributes["name"] = include.text_of("name")
    if include.text_of("placement_frame"):
        model.attributes["placement_frame"] = include.text_of("placement_frame")
    for tag in ("pose", "static"):
        override = include.find(tag)
        if override is not None:
            model.children = [child for child in model.children if child.tag != tag]
            model.children.append(override)
    known = ("uri", "name", "placement_frame", "pose", "static")
    model.children += [child for child in include.children if child.tag not in known]


def _place_axes_in_model(joint: Element) -> None:
    for axis in joint.all("axis", "axis2"):
        if axis.find("use_parent_model_frame") is None:
            axis.children.append(Element("use_parent_model_frame", line=axis.line, text="true"))


def _from_folder(uri: str, own_folder: Path, folder: Path) -> str:
    """Return the name of a file of an included model, relative to the folder of the including file."""
    text = uri.strip()
    if not text or "://" in text or Path(text).is_absolute():
        return uri
    relative = os.path.relpath(own_folder, folder).replace(os.sep, "/")
    return (
        f"model://{own_folder.name}/{text}" if relative.startswith("..") else f"{relative}/{text}"
    )


def _ground_plane(include: Element) -> Element:
    """Return the ground of Gazebo's library, with its friction."""

    def element(tag: str, *children: Element, text: str = "", **attributes: str) -> Element:
        return Element(tag, attributes, include.line, list(children), text)

    friction = element("ode", element("mu", text="100"), element("mu2", text="50"))
    collision = element(
        "collision",
        element("geometry", element("plane", element("normal", text="0 0 1"))),
        element("surface", element("friction", friction)),
        name="collision",
    )
    model = element(
        "model",
        element("static", text="true"),
        element("link", collision, name="link"),
        name=_GROUND,
    )
    _apply_overrides(include, model)
    return model
