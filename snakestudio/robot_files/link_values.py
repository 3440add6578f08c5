"""Sizes, masses, inertias and friction of the links of an aligned chain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.alignment import Alignment
from snakestudio.robot_files.chain import Chain
from snakestudio.robot_files.description import Geometry
from snakestudio.robot_files.notes import Change, Effect, Notes
from snakestudio.robot_files.problems import Problems, ProblemsError
from snakestudio.robot_files.reading import names_text
from snakestudio.robot_files.rolling import rolling_coefficient
from snakestudio.robot_files.solids import moments
from snakestudio.robot_files.tree import Segment, unknown_radius

_LARGEST_PART = 1.5
"""Largest inertia, as a multiple of that of the mass concentrated at the corners of the link."""

_SMALLEST_PART = 0.02
"""Smallest inertia, as a fraction of the capsule's."""

_TRIANGLE = 1.02
_COARSE = 20.0
"""Ratio of the size of a mesh to the joint distance above which it is in millimetres."""

_NOTEWORTHY = 0.1
_ORDER = 10.0
"""Ratio of inertias from which units or sizes are suspect."""

_THINNEST = 0.02
"""Smallest radius that is estimated from an inertia, as a fraction of the length."""

_ALIKE = 2.5
"""Ratio of the transverse inertia to that of the estimated cylinder above which nothing is estimated."""

_STEEP = 0.7
"""Cosine of the angle to an axis of the link from which a direction counts as along that axis."""


@dataclass(slots=True)
class LinkValues:
    """Values of a link as in a scene; m, kg, kg m^2."""

    length: float
    radius: float
    half: float
    """Contact half-length."""

    mass: float
    inertia: float
    axial: float
    centre: float
    """Position of the centre of mass from the middle."""

    mu: tuple[float, float] | None
    """Coefficients along and across, if the file has them."""

    wheels: bool
    name: str
    mu_rolling: float | None = None
    """Rolling friction coefficient, if the file has one."""
    has_geometry: bool = True
    """Whether its radius is that of its geometry."""


@dataclass(slots=True)
class _Shape:
    """Bounding box of the geometry of a link in its frame, m."""

    low: FloatArray
    high: FloatArray
    exact: tuple[float, float] | None
    """Radius and half length of a single capsule along the link."""

    kinds: set[str]


def link_values(
    chain: Chain, alignment: Alignment, notes: Notes, radius: float | None = None
) -> list[LinkValues]:
    """Return the values of all links.

    Raises `InputError` if links have no length or no mass, or their radius is unknown.

    Parameters
    ----------
    radius : float, optional
        Radius of links without geometry, m.
    """
    shapes = [
        _shape(segment, frame, alignment.spacing, notes)
        for segment, frame in zip(chain.segments, alignment.frames, strict=True)
    ]
    spans = _spans(chain, alignment, shapes, radius)
    radii = _radii(chain, alignment, shapes, [length for _, length in spans], radius, notes)
    problems = Problems()
    result = []
    for segment, frame, shape, (rear, length), own in zip(
        chain.segments, alignment.frames, shapes, spans, radii, strict=True
    ):
        with problems.collected():
            result.append(_values(segment, frame, shape, rear, length, own, notes))
    problems.check()
    return result


def _radii(
    chain: Chain,
    alignment: Alignment,
    shapes: list[_Shape | None],
    lengths: list[float],
    chosen: float | None,
    notes: Notes,
) -> list[float]:
    """Return the radius of each link: from its geometry, as chosen, like the other links, or from its inertia.

    Raises `ProblemsError` if there is none of these.
    """
    result = [_radius(shape) for shape in shapes]
    usual = float(np.median([radius for radius in result if radius])) if any(result) else None
    parts = [
        None if radius else segment.inertial
        for radius, segment in zip(result, chain.segments, strict=True)
    ]
    inertial = [
        None if part is None else _radius_from(frame.T @ part.inertia @ frame, part.mass, length)
        for part, frame, length in zip(parts, alignment.frames, lengths, strict=True)
    ]
    any_geometry = any(result)
    if not any_geometry and any(inertial):
        usual = float(np.median([radius for radius in inertial if radius]))
    unknown = []
    for k, segment in enumerate(chain.segments):
        if result[k]:
            continue
        own = None if any_geometry else inertial[k]
        radius = chosen or own or usual
        if radius is None:
            unknown.append(segment.name)
            continue
        how = (
            "was chosen"
            if chosen
            else "is estimated from its length and inertia"
            if own
            else "is estimated from the other links"
        )
        notes.add(
            segment.name,
            f"has no geometry; its radius of {1e3 * radius:.3g} mm {how}",
            "no geometry",
        )
        result[k] = radius
    if unknown:
        have = "has" if len(unknown) == 1 else "have"
        raise ProblemsError(
            [
                unknown_radius(
                    f"{names_text(unknown)} {have} no geometry, and no inertia of a cylinder of that length"
                )
            ]
        )
    return [radius or 0.0 for radius in result]


# --- geometry -------------------------------------------------------------------------------------


def _shape(segment: Segment, frame: FloatArray, spacing: float, notes: Notes) -> _Shape | None:
    solid = [g for g in segment.geometries if g.solid]
    shapes = [g for g in solid if g.collides] or solid
    primitives = [g for g in shapes if g.kind != "mesh"]
    if not primitives and any(g.kind != "mesh" for g in solid):
        primitives = [g for g in solid if g.kind != "mesh"]
    shapes = primitives or shapes
    if not shapes:
        return None
    lows = []
    highs = []
    for geometry in shapes:
        scale = 1.0
        if geometry.kind == "mesh" and spacing and max(geometry.size) > _COARSE * spacing:
            scale = 1e-3
            notes.add(
                segment.name,
                f"its mesh {geometry.file} was interpreted in millimetres",
                "millimetres",
            )
        centre = frame.T @ geometry.placement.position
        half = scale * _half_box(geometry, frame.T @ geometry.placement.rotation)
        lows.append(centre - half)
        highs.append(centre + half)
    exact = _capsule_of_parts(shapes, frame)
    if len(shapes) == 1 and shapes[0].kind in ("capsule", "sphere"):
        direction = frame.T @ shapes[0].placement.rotation[:, 2]
        if shapes[0].kind == "sphere":
            exact = shapes[0].size[0], 0.0
        elif abs(direction[0]) > 1 - 1e-9:
            exact = shapes[0].size[0], shapes[0].size[1]
    return _Shape(np.min(lows, axis=0), np.max(highs, axis=0), exact, {g.kind for g in shapes})


def _capsule_of_parts(shapes: list[Geometry], frame: FloatArray) -> tuple[float, float] | None:
    """Radius and half length of a cylinder along the link with a sphere at each end; None for other shapes."""
    barrels = [g for g in shapes if len(g.size) == 2]
    balls = [g for g in shapes if len(g.size) == 1]
    if len(barrels) != 1 or len(balls) != 2 or len(shapes) != 3:
        return None
    radius, half = barrels[0].size
    axis = barrels[0].placement.rotation[:, 2]
    gaps = [ball.placement.position - barrels[0].placement.position for ball in balls]
    ends = sorted(float(gap @ axis) for gap in gaps)
    fits = [abs(ball.size[0] - radius) for ball in balls] + [
        abs(ends[0] + half),
        abs(ends[1] - half),
    ]
    fits += [abs(float(np.linalg.norm(gap)) - half) for gap in gaps]
    along = abs(float(frame[:, 0] @ axis)) > 1 - 1e-9
    return (radius, half) if along and max(fits) < 1e-9 + 1e-6 * radius else None


def _half_box(geometry: Geometry, turn: FloatArray) -> FloatArray:
    """Return half sizes of the bounding box of a shape along the axes of the link."""
    if len(geometry.size) == 3:
        half: FloatArray = np.abs(turn) @ np.array(geometry.size)
        return half
    radius = geometry.size[0]
    if geometry.kind == "sphere":
        return np.full(3, radius)
    along = np.abs(turn[:, 2])
    if geometry.kind == "capsule":
        return radius + along * geometry.size[1]
    return radius * np.sqrt(np.clip(1.0 - along**2, 0.0, 1.0)) + along * geometry.size[1]


def _radius(shape: _Shape | None) -> float | None:
    if shape is None:
        return None
    if shape.exact is not None:
        return shape.exact[0]
    _, y, z = 0.5 * (shape.high - shape.low)
    return float(0.5 * (y + z)) or None


def _spans(
    chain: Chain, alignment: Alignment, shapes: list[_Shape | None], radius: float | None
) -> list[tuple[FloatArray, float]]:
    """Return the start of each link, and its length.

    A joint with separate yaw and pitch axes is in the middle between them. The free end of the first and
    of the last link is as far from the middle of its geometry as the joint.
    """
    joints = alignment.joints
    frames = alignment.frames
    last = len(frames) - 1
    result: list[tuple[FloatArray, float]] = []
    inner = [
        float((after.rear - before.front) @ frame[:, 0])
        + 0.5 * (before.axis_offset + after.axis_offset)
        for before, after, frame in zip(joints[:-1], joints[1:], frames[1:-1], strict=True)
    ]
    usual = float(np.median(inner)) if inner else 0.0
    for k, frame in enumerate(frames):
        if 0 < k < last:
            length = inner[k - 1]
            if length <= 0:
                raise InputError(
                    f'link "{chain.segments[k].name}" has no length between its joints',
                    "correct the joints' origins",
                )
            behind = joints[k - 1]
            result.append((behind.front - 0.5 * behind.axis_offset * frame[:, 0], length))
            continue
        if k == 0:
            joint = joints[0].rear + 0.5 * joints[0].axis_offset * frame[:, 0]
        else:
            joint = joints[-1].front - 0.5 * joints[-1].axis_offset * frame[:, 0]
        sign = -1.0 if k == 0 else 1.0
        shape = shapes[k]
        inertial = chain.segments[k].inertial
        half = 0.0
        if shape is not None:
            half = sign * float(0.5 * (shape.low[0] + shape.high[0]) - joint @ frame[:, 0])
        if half <= 0.1 * usual and inertial is not None:
            half = sign * float((inertial.centre - joint) @ frame[:, 0])
        length = 2.0 * half
        if length <= 0.2 * usual or length <= 0.0:
            length = usual or 2.0 * (_radius(shape) or radius or 0.0)
        if length <= 0.0:
            name = chain.segments[k].name
            reason = f"{name} has no geometry, and its centre of mass is at its joint"
            raise ProblemsError([unknown_radius(reason)])
        if shape is not None and "mesh" in shape.kinds:
            length = float(f"{length:.6g}")  # meshes have single precision
        if usual and abs(length - usual) < 1e-6 * usual:
            length = usual
        result.append((joint - length * frame[:, 0] if k == 0 else joint, length))
    return result


# --- masses ---------------------------------------------------------------------------------------


def _values(
    segment: Segment,
    frame: FloatArray,
    shape: _Shape | None,
    rear: FloatArray,
    length: float,
    radius: float,
    notes: Notes,
) -> LinkValues:
    name = segment.name
    inertial = segment.inertial
    if inertial is None or inertial.mass <= 0:
        raise InputError(f'link "{name}" has no mass', "give it an <inertial> with a mass")
    middle = rear + 0.5 * length * frame[:, 0]
    about_axes = frame.T @ inertial.inertia @ frame
    radius, half = _capsule(name, shape, middle, frame, length, radius, notes)
    wheels = _wheels(segment, frame, middle, radius, notes)
    if wheels is not None:
        radius = wheels
    if radius <= 0.0:
        raise InputError(f'the geometry of link "{name}" has a radius of 0', "correct its size")
    centre = frame.T @ (inertial.centre - middle)
    aside = math.hypot(centre[1], centre[2])
    change = Change(Effect.MASS_MOVED, inertial.mass * aside)
    if aside > max(_NOTEWORTHY * radius, 1e-4):
        notes.add(
            name,
            f"its centre of mass is {1e3 * aside:.3g} mm off its axis, and was moved to the axis",
            "mass aside",
            change,
        )
    else:
        notes.changes.append(change)
    along = float(centre[0])
    if abs(along) < 1e-9 + 1e-6 * length:
        along = 0.0
    if abs(along) > 0.5 * length + half + radius:
        notes.add(
            name,
            f"its centre of mass is {1e3 * along:.3g} mm from its middle, outside of it; 0 was used",
            "outside",
            Change(Effect.MASS_MOVED, inertial.mass * abs(along)),
        )
        along = 0.0
    inertia, axial = _inertias(name, inertial.mass, about_axes, radius, half, length, notes)
    return LinkValues(
        length,
        radius,
        half,
        inertial.mass,
        inertia,
        axial,
        along,
        _friction(segment, frame, notes),
        wheels is not None,
        name,
        rolling_coefficient(segment, radius, notes),
        _radius(shape) is not None,
    )


def _capsule(
    name: str,
    shape: _Shape | None,
    middle: FloatArray,
    frame: FloatArray,
    length: float,
    radius: float,
    notes: Notes,
) -> tuple[float, float]:
    """Return the radius and contact half-length of a link."""
    if shape is None or _radius(shape) is None:
        return radius, max(0.0, 0.5 * length - radius)
    if shape.exact is not None:
        return shape.exact
    reach = float(0.5 * (shape.high[0] - shape.low[0]))
    offset = float(0.5 * (shape.low[0] + shape.high[0]) - middle @ frame[:, 0])
    half = min(max(0.0, reach - radius), 0.5 * length)
    kinds = " and ".join(sorted(shape.kinds))
    if "mesh" in shape.kinds:
        # meshes have single precision
        radius = float(f"{radius:.6g}")
        half = float(f"{half:.6g}")
        notes.add(
            name, f"its mesh was replaced by a capsule of radius {1e3 * radius:.3g} mm", "capsule"
        )
    else:
        text = f"its {kinds} was replaced by a capsule of radius {1e3 * radius:.3g} mm"
        notes.add(name, text, f"capsule for {kinds}")
    if abs(offset) > max(_NOTEWORTHY * length, 1e-3):
        notes.add(
            name,
            f"its geometry is {1e3 * offset:.3g} mm from the middle between its joints, and was moved there",
            "off",
        )
    return radius, half


def _radius_from(inertia: FloatArray, mass: float, length: float) -> float | None:
    """Return the radius of a slender cylinder of this length with this inertia, m; None if there is none."""
    axial = float(inertia[0, 0])
    if axial <= 0 or mass <= 0:
        return None
    radius = math.sqrt(2.0 * axial / mass)
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    ratio = 0.5 * float(inertia[1, 1] + inertia[2, 2]) / across
    slender = _THINNEST * length < radius < 0.5 * length
    return radius if slender and 1.0 / _ALIKE < ratio < _ALIKE else None


def _inertias(
    name: str,
    mass: float,
    table: FloatArray,
    radius: float,
    half: float,
    length: float,
    notes: Notes,
) -> tuple[float, float]:
    """Return transverse and axial moments, kg m^2; those of the capsule if the file's are impossible."""
    reach = max(half + radius, 0.5 * length)
    largest = mass * (reach**2 + radius**2)
    axial = float(table[0, 0])
    transverse = float(0.5 * (table[1, 1] + table[2, 2]))
    own = mass * moments("capsule", (radius, max(half, 0.5 * length - radius, 1e-9)))
    capsule = float(own[0, 0])
    capsule_axial = float(own[2, 2])
    principal = np.sort(np.linalg.eigvalsh(0.5 * (table + table.T)))
    why = ""
    if principal[0] <= 0:
        why = "is not positive"
    elif principal[2] > _TRIANGLE * (principal[0] + principal[1]):
        why = "is impossible (one moment is larger than the other two together)"
    elif (
        transverse > _LARGEST_PART * largest
        or axial > 2.0 * _LARGEST_PART * mass * radius**2 + 0.1 * largest
    ):
        why = f"is larger than a body of {mass:.3g} kg and this size can have"
    elif transverse < _SMALLEST_PART * capsule or axial < _SMALLEST_PART * capsule_axial:
        why = f"is smaller than a body of {mass:.3g} kg and this size can have"
    if why:
        notes.add(
            name,
            f"its inertia of {transverse:.3g} kg m² (along its axis {axial:.3g}) {why}; that of a capsule was used"
            f" instead, {capsule:.3g} (along its axis {capsule_axial:.3g}){_factor(transverse, capsule)}",
            f"inertia {why[:12]}",
            _inertia_change(table, capsule_axial, capsule),
        )
        return capsule, capsule_axial
    unequal = 0.5 * abs(float(table[1, 1] - table[2, 2]))
    products = math.sqrt(float(table[0, 1] ** 2 + table[0, 2] ** 2 + table[1, 2] ** 2))
    left_out = max(unequal, products)
    change = _inertia_change(table, axial, transverse)
    if left_out > _NOTEWORTHY * transverse:
        notes.add(
            name,
            f"its inertia is not that of a body of revolution (up to {left_out:.3g} kg m² differ from the mean of"
            f" {transverse:.3g}); the mean was used",
            "unequal",
            change,
        )
    else:
        notes.changes.append(change)
    return transverse, axial


def _factor(inertia: float, capsule: float) -> str:
    """Return the remark on a difference by orders of magnitude."""
    ratio = max(inertia / capsule, capsule / inertia) if inertia > 0 else 0.0
    if ratio < _ORDER:
        return ""
    return f", which differs by a factor of {ratio:,.0f}: check the units and sizes of the file"


def _inertia_change(table: FloatArray, axial: float, transverse: float) -> Change:
    difference = table - np.diag([axial, transverse, transverse])
    return Change(Effect.INERTIA_CHANGED, float(np.linalg.norm(difference)))


def _wheels(
    segment: Segment, frame: FloatArray, middle: FloatArray, radius: float, notes: Notes
) -> float | None:
    """Return the radius of a link on passive wheels; None if it has no wheels that roll along it."""
    reaches = []
    for axis, geometries in segment.wheels:
        if abs((frame.T @ axis)[1]) < 0.7:
            notes.add(
                segment.name,
                "one of its wheels does not roll along the link, and is treated as fixed",
                "odd wheel",
            )
            continue
        for geometry in (g for g in geometries if g.size):
            low = (frame.T @ (middle - geometry.placement.position))[2]
            reaches.append(
                float(low + _half_box(geometry, frame.T @ geometry.placement.rotation)[2])
            )
        if not geometries:
            reaches.append(radius)
    if not reaches:
        return (
            radius if any(abs((frame.T @ axis)[1]) >= 0.7 for axis, _ in segment.wheels) else None
        )
    reach = max(reaches)
    if reach > radius * 1.001:
        notes.add(
            segment.name,
            f"its radius is {1e3 * reach:.3g} mm, down to the lowest point of its wheels",
            "wheel radius",
        )
        return reach
    return radius


def _friction(segment: Segment, frame: FloatArray, notes: Notes) -> tuple[float, float] | None:
    """Return the friction coefficients along and across of the geometry that touches the ground."""
    touching = [g for g in segment.geometries if g.collides and g.friction is not None]
    if segment.wheels:
        touching = [
            g for _, wheel in segment.wheels for g in wheel if g.friction is not None
        ] or touching
    if not touching:
        return None
    geometry = min(touching, key=lambda shape: _lowest(shape, frame))
    assert geometry.friction is not None
    first, second = geometry.friction
    if any(other.friction != geometry.friction for other in touching):
        notes.add(
            segment.name,
            f"its geometries have different friction; that of the lowest one was used ({first:g} and {second:g})",
            "several frictions",
        )
    if first != second and not _first_is_along(segment, geometry, frame, notes):
        first, second = second, first
    return min(first, 100.0), min(second, 100.0)


def _lowest(geometry: Geometry, frame: FloatArray) -> float:
    """Return the height of the lowest point of a geometry of a lying link, m; infinite if its size is unknown."""
    if not geometry.solid:
        return math.inf
    half = _half_box(geometry, frame.T @ geometry.placement.rotation)
    return float(geometry.placement.position @ frame[:, 2] - half[2])


def _first_is_along(segment: Segment, geometry: Geometry, frame: FloatArray, notes: Notes) -> bool:
    """Return whether the first friction coefficient acts along the link rather than across it."""
    if geometry.friction_axis is None:
        notes.add(
            segment.name,
            "the file has no direction for its two friction coefficients, so the first one acts along the link",
            "no friction direction",
        )
        return True
    along, _, up = np.abs(frame.T @ geometry.friction_axis)
    level = np.flatnonzero(up < _STEEP)
    if not level.size:
        notes.add(
            segment.name,
            "its friction direction (fdir1) is normal to the ground, so the first coefficient acts along the link",
            "steep friction direction",
        )
        return True
    if level[0] > 0:
        notes.add(
            segment.name,
            "its friction direction (fdir1) is normal to the ground if it is counted in the frame of its geometry,"
            " as in Gazebo, so it was counted in the frame of the link",
            "friction direction of the link",
        )
    return bool(along[level[0]] >= _STEEP)
