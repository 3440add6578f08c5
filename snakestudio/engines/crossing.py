"""Detection of links that pass through a body within one step, which contacts cannot detect, from their paths.

A link that touches a body has its axis one link radius outside the body, and the body's half
thickness further from the body's middle. Only a link that moves further than that in a step can
come out on the other side: otherwise a contact pushes it back, however deep it is after the step.
If a link moves more than half of that distance, the step is checked: the axis is moved along its
path in small parts, and must not enter the core of the body.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.checks import shorter_step
from snakestudio.engines.planar_obstacles import fits_the_plane
from snakestudio.errors import Problem
from snakestudio.kernels.axes import X
from snakestudio.model.by_identity import by_identity
from snakestudio.model.obstacles.outlines import corners, plan_boxes
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid
from snakestudio.model.obstacles.walls import as_wall
from snakestudio.model.robot.chain import chain, middles
from snakestudio.model.robot.joint_axes import in_a_row
from snakestudio.model.rotations import matrices, rotation
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import GROUND
from snakestudio.model.world import Ground

CORE = 0.1
"""Half thickness of a body's core relative to that of the body."""

_MOST_PARTS = 10_000
"""Largest number of parts that a step is divided into: a link that moves a thousand times the
thickness of a wall has diverged anyway."""

_GROUND = 1e-9
"""Height up to which a solid's lower end counts as on the ground, so that no link passes below it, m."""

_UPWARD = 0.5
"""Smallest vertical component of the normal of a face that counts as a top face, or with the
opposite sign as a bottom face."""

_OPPOSITE = -0.05
"""Cosine below which two faces count as opposite: a body is crossed from one to the other."""

_ROUNDING = 1e-9
"""Margin by which distances from a core are reduced, m."""

_PHASES = 12
"""Number of phases of a gait at which its speeds are evaluated."""


class Body(Protocol):
    """A body that a link can pass through."""

    @property
    def middle(self) -> FloatArray:
        """Its middle seen from above, (2,), m."""
        ...

    @property
    def reach(self) -> float:
        """Distance from the middle to the farthest point, seen from above, m."""
        ...

    @property
    def thin(self) -> float:
        """Half of its smallest thickness, m; 0 if it has a sharp edge."""
        ...

    @property
    def core_reach(self) -> float:
        """Upper bound of the distance from the middle to the farthest point of its core, seen from above, m."""
        ...

    @property
    def part(self) -> float:
        """Distance along a link's path between two checks, m."""
        ...

    def holds(self, ends: FloatArray) -> NDArray[np.bool_]:
        """Return whether axes with these ends ((..., 2, 3), m) enter its core, (...)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Core:
    """A `Body` whose core is bounded by planes, `outwards` @ point <= `offset`; see `_cores`."""

    middle: FloatArray
    reach: float
    thin: float
    part: float
    outwards: FloatArray
    """Vector outwards, not necessarily of unit length, m. Shape (m, 3)."""

    offset: FloatArray
    """Offset, m. Shape (m, 3)."""

    radius: float
    """Radius of an upright cylinder about `middle` that also bounds the core, m; infinite without
    one."""

    @property
    def core_reach(self) -> float:
        return min(self.radius, self.reach)

    def holds(self, ends: FloatArray) -> NDArray[np.bool_]:
        first, second = np.moveaxis(ends, -2, 0)
        begin = self.offset - first @ self.outwards.T
        change = self.offset - second @ self.outwards.T - begin
        with np.errstate(divide="ignore", invalid="ignore"):
            at = -begin / change
        enters = np.where(change > 0.0, at, 0.0).max(axis=-1, initial=0.0)
        leaves = np.where(change < 0.0, at, 1.0).min(axis=-1, initial=1.0)
        held: NDArray[np.bool_] = (enters <= leaves) & ~((change == 0.0) & (begin < 0.0)).any(
            axis=-1
        )
        if not self.radius < math.inf:
            return held
        x, y, _ = np.moveaxis(first, -1, 0) - np.append(self.middle, 0.0).reshape(
            3, *([1] * (first.ndim - 1))
        )
        dx, dy, _ = np.moveaxis(second - first, -1, 0)
        nearest = np.clip(-(x * dx + y * dy) / np.maximum(dx**2 + dy**2, 1e-300), enters, leaves)
        return np.asarray(held & (np.hypot(x + nearest * dx, y + nearest * dy) < self.radius))


class _Terrain:
    """A height field of an obstacle as a `Body`; its core is the region well below the surface.

    The heights are read when a link first moves far enough to be checked.
    """

    thin = 0.0

    def __init__(
        self, obstacle: Obstacle, number: int, base_dir: Path | None, radius: float
    ) -> None:
        self._obstacle = obstacle
        self._number = number
        self._base_dir = base_dir
        self._radius = radius
        low, high = plan_boxes((obstacle,))
        self.middle = 0.5 * (low + high)[0]
        self.reach = 0.5 * float(np.linalg.norm(high - low))
        self.core_reach = self.reach

    @cached_property
    def _relief(self) -> Relief:
        relief = obstacle_solids(self._obstacle, self._base_dir)[self._number]
        assert isinstance(relief, Relief)
        return relief

    @property
    def part(self) -> float:
        return 0.25 * min(self._relief.dx, self._relief.dy)

    def holds(self, ends: FloatArray) -> NDArray[np.bool_]:
        relief = self._relief
        first, second = np.moveaxis(ends, -2, 0)
        length = float(np.linalg.norm(second - first, axis=-1).max())
        share = np.linspace(0.0, 1.0, min(math.ceil(length / self.part), 200) + 1)
        points = np.stack([first + own * (second - first) for own in share], axis=-2)
        x, y, z = np.moveaxis((points - relief.origin) @ rotation(relief.yaw), -1, 0)
        surface = relief.surface(x, y)
        # height above the ground, which fills everything lower
        above = np.maximum(surface + relief.origin[2], 0.0)
        sunk = surface - z
        inside = (sunk > (1.0 - CORE) * np.minimum(self._radius, 0.5 * above)) & (above > 0.0)
        return np.asarray(inside.any(axis=-1))


@dataclass(frozen=True, slots=True)
class Crossing:
    """A link that passed through an obstacle or `GROUND`, its distance in the step, and the safe distance, m."""

    link: int
    obstacle: int
    distance: float
    safe_distance: float

    def message(self, scene: Scene) -> str:
        """Return a message with the link, the obstacle and the remedy."""
        step = scene.solver.step_s
        what = f"link {self.link + 1} passes through {_label(scene, self.obstacle)}"
        if self.distance > self.safe_distance:
            return (
                f"{what}: it moves {1e3 * self.distance:.3g} mm in the step, but contact is certain only up to "
                f"{1e3 * self.safe_distance:.3g} mm. Reduce solver.step_s from {step:g} to "
                f"{_rounded_down(step * self.safe_distance / self.distance):.2g}."
            )
        own = scene.ground.obstacle_damping_ns_per_m
        return (
            f"{what}, whose damping does not stop it. Increase ground.obstacle_damping_ns_per_m from {own:g} to "
            f"{max(10.0 * own, Ground().obstacle_damping_ns_per_m):g}, or slow the robot down."
        )


class Crossings:
    """Detects links that pass through bodies.

    Parameters
    ----------
    bodies : iterable of (int, Body)
        Bodies with the 0-based numbers of their obstacles.
    half, radius : float
        Half length of a link's axis, and the distance of its surface from the axis, m.
    pushed : bool
        Whether contacts push links back; if they only decelerate links, these pass through in steps
        of any length.
    """

    def __init__(
        self,
        bodies: Iterable[tuple[int, Body]] = (),
        half: float = 0.0,
        radius: float = 0.0,
        pushed: bool = True,
    ) -> None:
        self._half = half
        self._least = 0.5 if pushed else 0.0
        self._bodies = list(bodies)
        self._middle = np.array([body.middle for _, body in self._bodies]).reshape(-1, 2)
        self._reach = np.array([body.reach for _, body in self._bodies])
        self._core_reach = np.array([body.core_reach for _, body in self._bodies])
        self._safe_distances = radius + np.array([body.thin for _, body in self._bodies])
        self.safe_distance = float(self._safe_distances.min(initial=math.inf))
        """Distance up to which a link cannot miss a body in a step, m."""
        self.limit = 0.5 * self.safe_distance
        """Distance of all links up to which a step need not be checked, m."""

    @property
    def thinnest(self) -> int:
        """The obstacle that `safe_distance` belongs to."""
        return self._bodies[int(self._safe_distances.argmin())][0]

    def first(self, q_before: FloatArray, q_after: FloatArray) -> Crossing | None:
        """Return the first crossing of links between two states of a step; None if there is none.

        Parameters
        ----------
        q_before, q_after : (n, 3) or (n, 7) arrays
            x, y, theta of planar links, or positions and quaternions.
        """
        before, after = _ends(q_before, self._half), _ends(q_after, self._half)
        moved = after - before
        distance = np.linalg.norm(moved, axis=2).max(axis=1)
        apart = np.linalg.norm(before.mean(axis=1)[:, None, :2] - self._middle, axis=2)
        near = (distance[:, None] > self._least * self._safe_distances) & (
            apart <= self._reach + self._half + distance[:, None]
        )
        link, body_index = np.nonzero(near)
        # Most of these links pass the core at a distance: no point of an axis moves further than
        # one of its ends.
        away = _away(before[link, :, :2], self._middle[body_index])
        near[link, body_index] = away <= self._core_reach[body_index] + distance[link] + _ROUNDING
        first = None
        soonest = math.inf
        for b in np.flatnonzero(near.any(axis=0)):
            obstacle, body = self._bodies[b]
            links = np.flatnonzero(near[:, b])
            parts = min(max(math.ceil(float(distance[links].max()) / body.part), 1), _MOST_PARTS)
            share = np.linspace(0.0, 1.0, parts + 1)[:, None, None, None]
            inside = body.holds(before[links] + share * moved[links])
            inside &= ~inside[0]  # a link that starts inside has not come from outside
            when = np.where(inside.any(axis=0), inside.argmax(axis=0), parts + 1)
            nearest = int(when.argmin())
            if when[nearest] <= parts and when[nearest] / parts < soonest:
                soonest = float(when[nearest] / parts)
                first = Crossing(
                    int(links[nearest]),
                    obstacle,
                    float(distance[links[nearest]]),
                    float(self._safe_distances[b]),
                )
        return first


def crossings(scene: Scene, base_dir: Path | None = None, pushed: bool = True) -> Crossings:
    """Return the `Crossings` of all obstacles of a scene; for planar models, obstacles have unlimited height.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    pushed : bool
        See `Crossings`.
    """
    robot = scene.robot
    bodies: list[tuple[int, Body]] = []
    if scene.model.spatial:
        # a link entirely below this has fallen through
        radius = robot.radius_m
        up = np.array([[0.0, 0.0, 1.0]])
        bodies.append(
            (
                GROUND,
                _Core(np.zeros(2), math.inf, radius, radius, up, np.full(1, -radius), math.inf),
            )
        )
    for number, obstacle in enumerate(scene.obstacles):
        if scene.model.spatial:
            reliefs, cores = _spatial_cores(obstacle)
            bodies += [(number, _Terrain(obstacle, k, base_dir, robot.radius_m)) for k in reliefs]
            bodies += [(number, core) for core in cores]
        elif fits_the_plane(obstacle):
            for low, high, cores in _planar_cores(obstacle):
                if low < 2.0 * robot.radius_m and high > 0.0:
                    bodies += [(number, core) for core in cores]
    return Crossings(bodies, robot.contact_half_length_m, robot.radius_m, pushed)


def likely_crossings(
    scene: Scene, base_dir: Path | None, velocity: FloatArray, turning: FloatArray
) -> list[Problem]:
    """Return the problem of links that may cross an obstacle in a step, by their start velocity or the gait.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    velocity, turning : (n, 2 or 3), (n,) or (n, 3) arrays
        Velocities of the links at the start, m/s and rad/s.
    """
    if not scene.obstacles:
        return []
    watch = crossings(scene, base_dir)
    step = scene.solver.step_s
    half = scene.robot.contact_half_length_m
    turns = np.abs(turning) if turning.ndim == 1 else np.linalg.norm(turning, axis=1)
    starting = float((np.linalg.norm(velocity, axis=1) + half * turns).max(initial=0.0))
    speed, what = max(
        (starting, "at the start"), (_gait_speed(scene, watch.safe_distance), "in the gait")
    )
    distance = step * speed
    if not distance > watch.safe_distance:
        return []
    longest = watch.safe_distance / speed
    return [
        Problem(
            "warning",
            "solver.step_s",
            f"a link moves up to {1e3 * distance:.3g} mm in a step of {step:g} s {what}, but contact with "
            f"{_label(scene, watch.thinnest)} is certain only up to {1e3 * watch.safe_distance:.3g} mm, so it may "
            "pass through",
            f"set it to at most {_rounded_down(longest):.2g} s",
            obstacles=(watch.thinnest,),
            fixes=shorter_step(scene, longest),
        )
    ]


def _gait_speed(scene: Scene, safe_distance: float) -> float:
    """Return the largest speed of the links' ends relative to the robot that the gait requires, m/s; 0 if it is small.

    The momenta of the links of a free robot add up to zero, so the rigid part of the motion is
    subtracted.
    """
    robot = scene.robot
    n = scene.robot.n_links
    if not scene.controller.uses_gait or n < 2:
        return 0.0
    of_body = scene.waves
    waves = [wave for _, wave in of_body.of_kinds[: 2 if scene.model.spatial else 1]]
    rate = of_body.factor * sum(abs(wave.amplitude * wave.omega) for wave in waves)
    if (
        rate * robot.link_length_m * (0.25 * n * n + 1.0) * scene.solver.step_s < safe_distance
    ):  # an upper bound
        return 0.0
    half = np.array([link.contact_half_length for link in robot.links])[:, None]
    joints = np.arange(n - 1.0)
    span = 1e-5 / max(abs(wave.omega) for wave in waves)
    fastest = 0.0
    for phase in np.linspace(0.0, 2.0 * math.pi, _PHASES, endpoint=False):
        points = []
        for late in (0.0, span):
            angles = {}
            for kind, wave in zip(("yaw", of_body.vertical), waves, strict=False):
                angles[kind] = of_body.angles(wave, joints, phase + late * wave.omega + wave.phase)
            centre, turns = chain(
                np.eye(3), in_a_row(angles, scene.body.axes), robot, scene.body.axes
            )
            middle = middles(centre, turns, robot)
            reach = half * (turns @ [1.0, 0.0, 0.0])
            points.append(np.concatenate([middle - reach, middle + reach]))
        at = points[0] - points[0].mean(axis=0)
        moved = (points[1] - points[0]) / span
        spin = np.linalg.pinv((at**2).sum() * np.eye(3) - at.T @ at) @ np.cross(at, moved).sum(
            axis=0
        )
        rest = moved - moved.mean(axis=0) - np.cross(spin, at)
        fastest = max(fastest, float(np.linalg.norm(rest, axis=1).max()))
    return fastest


def _label(scene: Scene, obstacle: int) -> str:
    if obstacle == GROUND:
        return "the ground"
    own = scene.obstacles[obstacle]
    return f"obstacle {obstacle + 1} ({own.name or shape_of(own).mention})"


def _rounded_down(step: float) -> float:
    """Return a step (s) rounded down to two digits."""
    digits = 10.0 ** (math.floor(math.log10(step)) - 1)
    return math.floor(step / digits) * digits


@by_identity
def _spatial_cores(obstacle: Obstacle) -> tuple[list[int], list[_Core]]:
    """Return the 0-based indices of an obstacle's height fields, and the cores of its other solids; reads no file."""
    solids = obstacle_solids(shape_of(obstacle).without_files(obstacle))
    reliefs = [k for k, solid in enumerate(solids) if isinstance(solid, Relief)]
    return reliefs, [
        core
        for solid in solids
        if not isinstance(solid, Relief)
        for core in _cores(solid, upright=False)
    ]


@by_identity
def _planar_cores(obstacle: Obstacle) -> list[tuple[float, float, list[_Core]]]:
    """Return the lowest and highest height of each solid of an upright obstacle, m, and its cores."""
    rows = []
    for solid in map(as_wall, obstacle_solids(obstacle)):
        assert solid is not None
        heights = (
            np.array([solid.low, solid.high]) if isinstance(solid, Post) else corners(solid).T[2]
        )
        rows.append((float(heights.min()), float(heights.max()), _cores(solid, upright=True)))
    return rows


def _cores(solid: Solid, upright: bool) -> list[_Core]:
    """Return the regions of a solid that links must not enter; with `upright`, links are at the height of the solid.

    If a link is in the core, contacts would push it out on the other side. So the core is the
    region that is about as deep behind one face as behind an opposite one, and deep behind all
    others: for a box, a thin box in its middle. The bottom face of a solid on the ground does not
    count, because no link passes below it.
    """
    if isinstance(solid, Post):
        flat = not upright and 0.5 * solid.high < solid.radius
        thin = 0.5 * solid.high if flat else solid.radius
        top = np.array([solid.high - (1.0 - CORE) * min(solid.radius, 0.5 * solid.high)])
        up = np.array([[0.0, 0.0, 1.0]])
        radius = solid.radius - (1.0 - CORE) * thin
        some = slice(0 if upright else 1)
        return [
            _Core(
                np.array([solid.x, solid.y]),
                solid.radius,
                thin,
                CORE * thin,
                up[some],
                top[some],
                radius,
            )
        ]
    assert not isinstance(solid, Relief)
    normal, offset, centre = _faces(solid)
    points = corners(solid)
    heights = points.T[2]
    up = normal.T[2]
    standing = not upright and float(heights.min()) <= _GROUND
    side = abs(up) < _UPWARD if upright else ~(standing & (up < -_UPWARD))
    normal = normal[side]
    offset = offset[side]
    if standing:
        normal = np.concatenate([normal, [[0.0, 0.0, -1.0]]])
        offset = np.concatenate([offset, [0.0]])
        centre[2] = 0.5 * float(heights.max())
    behind = offset - normal @ centre  # depth of the middle behind the faces
    reach = float(np.linalg.norm(points[:, :2] - centre[:2], axis=1).max())
    cores: list[_Core] = []
    thinnest = math.inf
    pairs = [
        (0.5 * float(behind[i] + behind[j]), i, j) for i, j in combinations(range(len(normal)), 2)
    ]
    for thin, i, j in sorted(pairs):
        cosine = float(normal[i] @ normal[j])
        parallel = cosine < -1.0 + 1e-9
        if (
            cosine > _OPPOSITE or thin <= 0.0 or (parallel and thin > thinnest)
        ):  # contained in the core of the thinnest pair
            continue
        thinnest = min(thinnest, thin) if parallel else thinnest
        others = np.setdiff1d(np.arange(len(normal) - standing), [i, j])
        above = standing & (normal[others].T[2] > _UPWARD)
        skin = (1.0 - CORE) * np.where(above, min(thin, centre[2]), thin)
        # About as deep behind the one as behind the other (within a tenth), and inside at all.
        mix = np.array([[1.0 + CORE, CORE - 1.0], [CORE - 1.0, 1.0 + CORE], [1.0, 1.0]])
        outwards = np.concatenate([mix @ normal[[i, j]], normal[others]])
        limits = np.concatenate(
            [mix @ offset[[i, j]] - [0.0, 0.0, 2.0 * CORE * thin], offset[others] - skin]
        )
        least = thin if parallel else 0.0
        cores.append(_Core(centre[:2], reach, least, CORE * thin, outwards, limits, math.inf))
    return cores


def _faces(solid: Block | Prism) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return outward normals (m, 3) of a convex solid, offsets of its planes along them (m,), m, and a point inside."""
    if isinstance(solid, Block):
        normal = np.concatenate([solid.rotation.T, -solid.rotation.T])
        return normal, normal @ solid.centre + np.tile(solid.half, 2), solid.centre.copy()
    corner = solid.profile
    turn = solid.rotation
    x, z = (np.roll(corner, -1, axis=0) - corner).T
    flat = np.column_stack([z, 0.0 * x, -x]) / np.hypot(x, z)[:, None]
    local = np.concatenate([flat, [[0, 1, 0], [0, -1, 0]]])
    x, z = corner.T
    behind = np.concatenate([flat.T[0] * x + flat.T[2] * z, np.full(2, solid.half_width)])
    centre = solid.origin + turn @ [x.mean(), 0.0, 0.5 * z.max()]
    normal = local @ turn.T
    return normal, behind + normal @ solid.origin, centre


def _away(ends: FloatArray, point: FloatArray) -> FloatArray:
    """Return the distances of points ((k, 2), m) from the lines between pairs of ends ((k, 2, 2), m), (k,), m."""
    begin, end = ends.swapaxes(0, 1)
    along = end - begin
    to = point - begin
    share = (to * along).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-300)
    away: FloatArray = np.linalg.norm(to - share.clip(0.0, 1.0)[:, None] * along, axis=1)
    return away


def _ends(q: FloatArray, half: float) -> FloatArray:
    """Return the ends of the axes of links, (n, 2, 3), m; `q` as in `Crossings.first`."""
    zero = np.zeros(len(q))
    if q.shape[1] == 3:
        x, y, theta = q.T
        axis = np.column_stack([np.cos(theta), np.sin(theta), zero])
        middle = np.column_stack([x, y, zero])
    else:
        axis = matrices(q[:, 3:])[..., X]
        middle = q[:, :3]
    return np.stack([middle - half * axis, middle + half * axis], axis=1)
