"""Implicit parts of MJCF files: included files, default classes, and representations of rotations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import ROBOT, InputError, read_bytes
from snakestudio.model.rotations import quaternions
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
    """Return the root element with <include> elements replaced by the contents of the included files.

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
            for inner in included.iter():
                inner.file = name
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


_PARTIAL = (
    "friction",
    "solref",
    "solimp",
    "gear",
    "gainprm",
    "biasprm",
    "size",
    "damping",
    "stiffness",
)
"""Attributes of which an element can give the first numbers, and its class the others."""

_ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "pid")
_SHARED = (
    "gear",
    "ctrlrange",
    "ctrllimited",
    "forcerange",
    "forcelimited",
    "armature",
    "damping",
    "delay",
    "nsample",
)
"""Attributes of all these actuators; in a class they apply to the others too."""


class DefaultClasses:
    """Elements of <default> by class.

    Parameters
    ----------
    root : Element
        Root element.
    """

    def __init__(self, root: Element) -> None:
        self._layers: dict[str, list[Element]] = {"": []}
        self._written: dict[int, Element] = {}
        for top in root.all("default"):
            pending = [(top, self._layers[""], True)]
            while pending:
                element, above, first = pending.pop()
                layers = [*above, *(child for child in element.children if child.tag != "default")]
                if first:
                    self._layers[""] = layers
                self._layers[element.get("class") or ("main" if first else "")] = layers
                pending += [(child, layers, False) for child in element.all("default")]

    def layers(self, element: Element, child_class: str = "") -> list[Element]:
        """Return the elements of its class, outer classes first.

        Raises `InputError` if the class does not exist.
        """
        name = element.get("class") or child_class
        if name not in self._layers:
            raise InputError(
                f'{element.location}: there is no default class "{name}"', "define it in <default>"
            )
        return self._layers[name]

    def record(self, element: Element) -> None:
        """Record the attributes of an element before it is completed."""
        self._written[id(element)] = Element(
            element.tag, dict(element.attributes), element.line, file=element.file
        )

    def written(self, element: Element) -> Element:
        """Return the element as it is in the file."""
        return self._written.get(id(element), element)


def with_defaults(root: Element, classes: DefaultClasses) -> Element:
    """Return the root element whose elements have the missing values of their default classes.

    Raises `InputError` if a class does not exist.
    """

    def complete(element: Element, tag: str, child_class: str = "") -> None:
        merged: dict[str, str] = {}
        for layer in classes.layers(element, child_class):
            if layer.tag == tag:
                merged = _updated(merged, layer.attributes)
            elif tag in _ACTUATORS and layer.tag in _ACTUATORS:
                shared = {key: layer.attributes[key] for key in _SHARED if key in layer.attributes}
                merged = _updated(merged, shared)
        if tag in _ACTUATORS:
            classes.record(element)
        element.attributes = _updated(merged, element.attributes)

    for group in root.all("asset"):
        for element in group.all("mesh"):
            complete(element, "mesh")
    for group in root.all("contact", "equality", "tendon", "actuator"):
        for element in group.children:
            complete(element, group.tag if group.tag in ("equality", "tendon") else element.tag)
    pending = [(element, "") for element in root.all("worldbody")]
    while pending:
        element, child_class = pending.pop()
        child_class = element.get("childclass") or child_class
        for child in element.children:
            if child.tag in ("joint", "geom"):
                complete(child, child.tag, child_class)
        pending += [(child, child_class) for child in element.all("body", "frame")]
    return root


def _updated(outer: dict[str, str], inner: dict[str, str]) -> dict[str, str]:
    """Return the values of an inner class or element over those of an outer class."""
    result = {**outer, **inner}
    if "kv" in inner or "dampratio" in inner:
        for key in {"kv", "dampratio"} - set(inner):
            result.pop(key, None)
    for key in _PARTIAL:
        if key in outer and key in inner:
            own = inner[key].split()
            result[key] = " ".join([*own, *outer[key].split()[len(own) :]])
    return result


def with_replicas(root: Element, compiler: Compiler, reading: Reading) -> None:
    """Replace <replicate> elements by frames with copies of their contents.

    Each copy is offset and turned from the previous one. Raises `InputError` if copies have joints, because
    actuators and sensors would have to be copied too, or if there are too many.
    """
    copies = 0
    pending = [*root.all("worldbody")]
    ordered = []
    while pending:
        element = pending.pop()
        ordered.append(element)
        pending += element.children
    for element in reversed(ordered):  # nested ones first
        children: list[Element] = []
        for child in element.children:
            if child.tag != "replicate":
                children.append(child)
                continue
            if any(inner.tag in ("joint", "freejoint") for inner in child.iter()):
                raise InputError(
                    f"{child.location}: copies of joints by <replicate> are not supported",
                    "load the file in MuJoCo and save the compiled model",
                )
            number = int(float_of(child.get("count"), f"{child.location} count"))
            copies += max(number, 0) * sum(1 for _ in child.iter())
            if copies > ROBOT.values:
                raise InputError(
                    f"its <replicate> elements make more than {ROBOT.values} elements",
                    "choose a file of one robot",
                )
            children += _replicas(child, number, compiler, reading)
        element.children = children


def _replicas(
    element: Element, number: int, compiler: Compiler, reading: Reading
) -> Iterator[Element]:
    offset = vector_of(element.get("offset", "0 0 0"), 3, f"{element.location} offset")
    step = Placement(offset, compiler.rotation(element, reading))
    others = {
        name: value
        for name, value in element.attributes.items()
        if name not in ("count", "offset", "euler", "sep")
    }
    pose = Placement()
    for index in range(number):
        ending = f"{element.get('sep')}{index:0{len(str(number - 1))}d}"
        quaternion = quaternions(pose.rotation[None])[0]
        yield Element(
            "frame",
            {
                **others,
                "pos": " ".join(repr(float(value)) for value in pose.position),
                "quat": " ".join(repr(float(value)) for value in quaternion),
            },
            element.line,
            [_copy(child, ending) for child in element.children],
            file=element.file,
        )
        pose = pose.then(step)


def _copy(element: Element, ending: str) -> Element:
    attributes = dict(element.attributes)
    if attributes.get("name"):
        attributes["name"] += ending
    children = [_copy(child, ending) for child in element.children]
    return Element(element.tag, attributes, element.line, children, element.text, file=element.file)


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
        """Return the pose of an element, from `pos` and any representation of a rotation."""
        position = vector_of(element.get("pos", "0 0 0"), 3, f"{element.location} pos")
        return Placement(position, self.rotation(element, reading))

    def _turns(
        self, values: Sequence[float] | FloatArray, element: Element, reading: Reading
    ) -> FloatArray:
        """Return the angles in rad; rounded multiples of pi/2, such as 1.57, become exact."""
        if self.degrees:
            return np.radians(np.asarray(values, dtype=np.float64))
        angles, changed = rounded_angles(values)
        if changed:
            reading.record_rounding(element.get("name") or element.location)
        return angles

    def rotation(self, element: Element, reading: Reading) -> FloatArray:
        """Return the rotation of an element; the identity if it has none."""
        where = element.location
        if text := element.get("quat"):
            return from_quaternion(*vector_of(text, 4, f"{where} quat"))
        if text := element.get("axisangle"):
            *turned, angle = vector_of(text, 4, f"{where} axisangle")
            if not np.any(turned):
                raise InputError(f"{where}: the axis of axisangle is 0 0 0", "set its direction")
            angles = self._turns([angle], element, reading)
            return snapped(about(turned, float(angles[0])))
        if text := element.get("euler"):
            angles = self._turns(vector_of(text, 3, f"{where} euler"), element, reading)
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
