"""Implicit parts of MJCF files: included files, default classes, and representations of rotations."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import ROBOT, InputError, read_bytes
from snakestudio.robot_files.description import Placement
from snakestudio.robot_files.elements import Element, float_of, parse_xml, vector_of
from snakestudio.robot_files.files import resolved
from snakestudio.robot_files.reading import Reading
from snakestudio.robot_files.rotations import (
    about,
    from_axes,
    from_quaternion,
    rounded_angles,
    snapped,
    turn_between,
)

_MOST_INCLUDES = 50


def with_included(root: Element, reading: Reading) -> Element:
    """The root element with <include> elements replaced by the contents of the included files.

    Raises `InputError` if a file is missing, outside the robot file's folder, or includes
    itself.
    """
    pending = [root]
    files = 0
    while pending:
        element = pending.pop()
        children: list[Element] = []
        for child in element.children:
            if child.tag != "include":
                children.append(child)
                continue
            files += 1
            if files > _MOST_INCLUDES:
                raise InputError(
                    f"it includes more than {_MOST_INCLUDES} files",
                    "check whether they include each other",
                )
            name = child.get("file")
            included = parse_xml(read_bytes(resolved(name, reading.folder), ROBOT), ROBOT)
            if any(e.tag == "include" and e.get("file") == name for e in included.iter()):
                raise InputError(f'"{name}" includes itself', "remove the <include>")
            pending.append(included)
            children.append(included)
        element.children = children
        pending += [child for child in children if child not in pending]
    # The root element of an included file is replaced by its contents.
    queue = [root]
    while queue:
        element = queue.pop()
        flat: list[Element] = []
        waiting = list(reversed(element.children))
        while waiting:
            child = waiting.pop()
            if child.tag in ("mujocoinclude", "mujoco"):
                waiting += reversed(child.children)
            else:
                flat.append(child)
        element.children = flat
        queue += flat
    return root


_WITH_DEFAULTS = ("contact", "equality", "tendon", "actuator")


def with_defaults(root: Element) -> Element:
    """The root element whose elements have the missing values of their default classes.

    Raises `InputError` if a class does not exist.
    """
    classes = _classes(root)

    def complete(element: Element, tag: str, child_class: str) -> None:
        name = element.get("class") or child_class
        if name not in classes:
            raise InputError(
                f'{element.place}: there is no default class "{name}"', "define it in <default>"
            )
        element.attributes = {**classes[name].get(tag, {}), **element.attributes}

    for group in root.all("asset"):
        for element in group.all("mesh"):
            complete(element, "mesh", "")
    for group in root.all(*_WITH_DEFAULTS):
        for element in group.children:
            inherited = group.tag if group.tag in ("equality", "tendon") else element.tag
            complete(element, inherited, "")
    pending = [(element, "") for element in root.all("worldbody")]
    while pending:
        element, child_class = pending.pop()
        child_class = element.get("childclass") or child_class
        for child in element.children:
            if child.tag in ("joint", "geom"):
                complete(child, child.tag, child_class)
        pending += [(child, child_class) for child in element.all("body", "frame")]
    return root


def _classes(root: Element) -> dict[str, dict[str, dict[str, str]]]:
    """Default values by class and tag; those of the class "" apply to all elements."""
    classes: dict[str, dict[str, dict[str, str]]] = {"": {}}
    for top in root.all("default"):
        pending = [(top, classes[""], True)]
        while pending:
            element, above, first = pending.pop()
            values = {tag: dict(attributes) for tag, attributes in above.items()}
            for child in element.children:
                if child.tag != "default":
                    values.setdefault(child.tag, {}).update(child.attributes)
            if first:
                classes[""] = values
            classes[element.get("class") or ("main" if first else "")] = values
            pending += [(child, values, False) for child in element.all("default")]
    return classes


def without_frames(root: Element, compiler: Compiler, reading: Reading) -> dict[int, Placement]:
    """Replace <frame> elements by their contents.

    Returns
    -------
    dict
        Pose of the frames around an element in its body, by `id` of the element; without an entry there are none.
    """
    outer: dict[int, Placement] = {}
    pending = root.all("worldbody")
    while pending:
        element = pending.pop()
        flat: list[Element] = []
        waiting = list(reversed(element.children))
        while waiting:
            child = waiting.pop()
            if child.tag != "frame":
                flat.append(child)
                continue
            inside = outer.get(id(child), Placement()).then(compiler.placement(child, reading))
            outer.update((id(inner), inside) for inner in child.children)
            waiting += reversed(child.children)
        element.children = flat
        pending += element.all("body")
    return outer


class Compiler:
    """Settings of <compiler> for the rest of the file."""

    def __init__(self, root: Element) -> None:
        values = Element("compiler")
        for element in root.all("compiler"):
            values.attributes.update(element.attributes)
        if values.get("coordinate", "local") == "global":
            raise InputError(
                'the file uses coordinate="global", which MuJoCo no longer reads',
                "convert it with an old MuJoCo",
            )
        self.degrees = values.get("angle", "degree") != "radian"
        self.sequence = values.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or set(self.sequence.lower()) - set("xyz"):
            raise InputError(f'eulerseq is "{self.sequence}"', "use three of x, y and z")
        self.auto_limits = values.get("autolimits", "true") != "false"
        self.mesh_folder = values.get("meshdir") or values.get("assetdir")
        self.strip = values.get("strippath", "false") == "true"
        self.from_geometry = values.get("inertiafromgeom", "auto")
        self.groups = vector_of(
            values.get("inertiagrouprange", "0 5"), 2, "<compiler> inertiagrouprange"
        )
        self.balance = values.get("balanceinertia", "false") == "true"
        self.least_mass, self.least_inertia, self.total_mass = (
            float_of(values.get(name, "0"), f"<compiler> {name}")
            for name in ("boundmass", "boundinertia", "settotalmass")
        )

    def angle(self, value: float) -> float:
        """Convert an angle of the file to rad."""
        return math.radians(value) if self.degrees else value

    def placement(self, element: Element, reading: Reading) -> Placement:
        """Pose of an element, from `pos` and any representation of a rotation."""
        position = vector_of(element.get("pos", "0 0 0"), 3, f"{element.place} pos")
        return Placement(position, self.rotation(element, reading))

    def rotation(self, element: Element, reading: Reading) -> FloatArray:
        """Rotation of an element; the identity if it has none."""
        where = element.place
        if text := element.get("quat"):
            return from_quaternion(*vector_of(text, 4, f"{where} quat"))
        if text := element.get("axisangle"):
            *turned, angle = vector_of(text, 4, f"{where} axisangle")
            if not np.any(turned):
                raise InputError(f"{where}: the axis of axisangle is 0 0 0", "set its direction")
            angles, changed = rounded_angles([self.angle(angle)])
            if changed:
                reading.record_rounding(element.get("name") or where)
            return snapped(about(turned, float(angles[0])))
        if text := element.get("euler"):
            euler_angles = [self.angle(value) for value in vector_of(text, 3, f"{where} euler")]
            angles, changed = rounded_angles(euler_angles)
            if changed:
                reading.record_rounding(element.get("name") or where)
            result = np.eye(3)
            for letter, angle in zip(self.sequence, angles, strict=True):
                turn = about(np.eye(3)["xyz".index(letter.lower())], float(angle))
                result = result @ turn if letter.islower() else turn @ result
            return snapped(result)
        if text := element.get("xyaxes"):
            values = vector_of(text, 6, f"{where} xyaxes")
            if np.linalg.norm(np.cross(values[:3], values[3:])) < 1e-12:
                raise InputError(
                    f"{where}: the two vectors of xyaxes are parallel", "set two directions"
                )
            return from_axes(values[:3], values[3:])
        if text := element.get("zaxis"):
            axis = vector_of(text, 3, f"{where} zaxis")
            size = np.linalg.norm(axis)
            if size < 1e-12:
                raise InputError(f"{where}: zaxis is 0 0 0", "set its direction")
            return snapped(turn_between(np.array([0.0, 0.0, 1.0]), axis / size))
        return np.eye(3)
