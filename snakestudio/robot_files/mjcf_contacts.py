"""Friction of contacts in MJCF files, combined from two geoms, or from an explicit pair, as MuJoCo does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.robot_files.elements import Element, float_of, vector_of

_FRICTION = (1.0, 0.005, 1e-4)
"""Sliding, torsional and rolling friction of geoms without a value."""

_PAIR_FRICTION = (1.0, 1.0, 0.005, 1e-4, 1e-4)
"""Two sliding, the torsional and two rolling frictions of explicit pairs without a value."""

_WIDE = 2.0
"""Smallest half size of a box that counts as the floor, m."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Friction of a contact."""

    along: float
    across: float
    torsional: float
    """m"""

    rolling: float
    """m"""


@dataclass(frozen=True, slots=True)
class _Geom:
    name: str
    body: str
    types: int
    meets: int
    """Bits of `contype` and `conaffinity`."""

    dim: int
    priority: int
    friction: tuple[float, ...]
    """Sliding, torsional and rolling."""

    @property
    def kind(self) -> tuple[object, ...]:
        """All values that count in contacts, without names."""
        return self.types, self.meets, self.dim, self.priority, self.friction


class Contacts:
    """Contacts between the robot and its surroundings.

    Parameters
    ----------
    root : Element
        Root element, with the values of default classes and without frames.
    override : bool
        Whether all contacts have the friction `o_friction`.
    """

    def __init__(self, root: Element, *, override: bool) -> None:
        self._override: FloatArray | None = None
        for option in root.all("option"):
            if override and option.get("o_friction"):
                self._override = _filled(
                    option.get("o_friction"), _PAIR_FRICTION, "<option> o_friction"
                )
        self._pairs: dict[frozenset[str], Element] = {}
        self._excluded: set[frozenset[str]] = set()
        for group in root.all("contact"):
            for pair in group.all("pair"):
                self._pairs[frozenset((pair.get("geom1"), pair.get("geom2")))] = pair
            for pair in group.all("exclude"):
                self._excluded.add(frozenset((pair.get("body1"), pair.get("body2"))))
        self._geoms: dict[int, _Geom] = {}
        robot: dict[object, _Geom] = {}
        floors: list[tuple[int, _Geom]] = []
        pending = [(element, "world", False) for element in reversed(root.all("worldbody"))]
        paired = {name for pair in self._pairs for name in pair}
        self._fixed: set[int] = set()
        while pending:
            body, name, moves = pending.pop()
            if not moves:
                self._fixed.add(id(body))
            for element in body.all("geom"):
                geom = _geom(element, name)
                self._geoms[id(element)] = geom
                if moves:
                    key: object = geom.kind
                    if geom.name in paired:
                        key = geom.name
                    elif self._excluded:
                        key = (geom.body, geom.kind)
                    robot.setdefault(key, geom)
                elif (rank := _floor_rank(element)) is not None and _collides(geom, paired):
                    floors.append((rank, geom))
            for child in reversed(body.all("body")):
                moving = moves or bool(child.all("joint", "freejoint"))
                pending.append((child, child.get("name") or f"line {child.line}", moving))
        self._robot = tuple(robot.values())
        self._floor = min(floors, key=lambda entry: entry[0])[1] if floors else None

    def is_fixed(self, body: Element) -> bool:
        """Return whether a body cannot move in the world."""
        return id(body) in self._fixed

    @property
    def has_floor(self) -> bool:
        """Whether the file has a floor, which can also be a height field or a large box."""
        return self._floor is not None

    def with_floor(self, element: Element) -> Touch | None:
        """Return the contact of a geom of the robot with the floor; None if they do not touch.

        Without a floor in the file, it is the contact with a floor that has the values of the geom.
        """
        geom = self._geoms[id(element)]
        if self._floor is not None:
            return self._touch(geom, self._floor)
        if not (geom.types or geom.meets):
            return None
        return self._limited(np.array(geom.friction)[[0, 0, 1, 2, 2]], geom.dim)

    def with_robot(self, element: Element) -> Touch | None:
        """Return the contact of a geom of the surroundings with the first geom of the robot that it touches."""
        geom = self._geoms[id(element)]
        touches = (self._touch(geom, other) for other in self._robot)
        return next((touch for touch in touches if touch is not None), None)

    def _touch(self, first: _Geom, second: _Geom) -> Touch | None:
        pair = self._pairs.get(frozenset((first.name, second.name))) if first.name else None
        if pair is not None:
            return self._of_pair(pair)
        if not self._meet(first, second):
            return None
        if first.priority == second.priority:
            dim = max(first.dim, second.dim)
            friction = np.maximum(first.friction, second.friction)
        else:
            leading = max(first, second, key=lambda geom: geom.priority)
            dim = leading.dim
            friction = np.array(leading.friction)
        return self._limited(friction[[0, 0, 1, 2, 2]], dim)

    def _of_pair(self, pair: Element) -> Touch:
        friction = _filled(pair.get("friction"), _PAIR_FRICTION, f"{pair.location} friction")
        return self._limited(
            friction, int(float_of(pair.get("condim", "3"), f"{pair.location} condim"))
        )

    def _limited(self, friction: FloatArray, dim: int) -> Touch:
        """Return the friction of a contact with 1, 3, 4 or 6 dimensions."""
        values = friction if self._override is None else self._override
        along, across, torsional, rolling, _ = (float(value) for value in values)
        if dim < 3:
            return Touch(0.0, 0.0, 0.0, 0.0)
        return Touch(along, across, torsional if dim > 3 else 0.0, rolling if dim > 4 else 0.0)

    def _meet(self, first: _Geom, second: _Geom) -> bool:
        if self._excluded and frozenset((first.body, second.body)) in self._excluded:
            return False
        return bool(first.types & second.meets or second.types & first.meets)


def _geom(element: Element, body: str) -> _Geom:
    where = element.location

    def integer(name: str, default: str) -> int:
        return int(float_of(element.get(name, default), f"{where} {name}"))

    friction = _filled(element.get("friction"), _FRICTION, f"{where} friction")
    return _Geom(
        element.get("name"),
        body,
        integer("contype", "1"),
        integer("conaffinity", "1"),
        integer("condim", "3"),
        integer("priority", "0"),
        tuple(float(value) for value in friction),
    )


def _collides(geom: _Geom, paired: set[str]) -> bool:
    return bool(geom.types or geom.meets) or geom.name in paired


def _floor_rank(element: Element) -> int | None:
    """Return the order in which geoms of the world count as the floor; None for other shapes."""
    kind = element.get("type", "sphere")
    if kind == "box":
        size = vector_of(element.get("size", "0"), (1, 2, 3), element.location)
        return 2 if len(size) == 3 and min(size[:2]) >= _WIDE else None
    return {"plane": 0, "hfield": 1}.get(kind)


def _filled(text: str, defaults: tuple[float, ...], what: str) -> FloatArray:
    """Return numbers, and the defaults of those that are omitted."""
    values = np.array(defaults)
    if text:
        own = vector_of(text, tuple(range(1, len(defaults) + 1)), what)
        values[: len(own)] = own
    return values
