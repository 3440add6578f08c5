"""Links that went through a body within one step, which no contact can notice: found by the way they took.

A link that touches a body has its axis its own radius outside of it, and the body's half thickness
more away from the body's middle. Only one that goes further than that in a step can come out on the
other side: else a contact pushes it back, however deep the step has left it. Whoever goes half of
that way in a step has the step looked at: its axis is moved along in small parts, and must not
enter the core of the body.
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
from snakestudio.model.robot.chain import chain, middles
from snakestudio.model.robot.joint_axes import in_a_row
from snakestudio.model.rotations import matrices, rotation
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import GROUND
from snakestudio.model.world import Ground

CORE = 0.1
"""Half thickness of a body's core, beside that of the body."""

_MOST_PARTS = 10_000
"""Parts that a step is cut into at most: a link that goes a thousand times the thickness of a wall
is lost anyway."""

_GROUND = 1e-9
"""What begins no higher than this stands on the ground, which nobody can come from or leave
through, m."""

_UPWARD = 0.5
"""Least height component of the normal of a face that counts as one on top, or below if it is
negative."""

_OPPOSITE = -0.05
"""Cosine below which two faces look away from each other: a body is crossed from the one to the
other."""

_ROUNDING = 1e-9
"""Distances from a core are taken to be shorter by this, m."""

_PHASES = 12
"""Phases of a gait that its speeds are looked at in."""


class Body(Protocol):
    """What a link can go through."""

    @property
    def middle(self) -> FloatArray:
        """Where it is from above, (2,), m."""
        ...

    @property
    def reach(self) -> float:
        """From there to the farthest point, from above, m."""
        ...

    @property
    def thin(self) -> float:
        """Half of its least thickness, m; 0 where it runs out in an edge."""
        ...

    @property
    def core_reach(self) -> float:
        """From the middle to the farthest point of its core at most, from above, m."""
        ...

    @property
    def part(self) -> float:
        """Way after which a link on its way is looked at once more, m."""
        ...

    def holds(self, ends: FloatArray) -> NDArray[np.bool_]:
        """Whether axes with these ends ((..., 2, 3), m) enter its core, (...)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Core:
    """A `Body` with planes about its core, which is where `outwards` @ place <= `offset`; see `_cores`."""

    middle: FloatArray
    reach: float
    thin: float
    part: float
    outwards: FloatArray
    offset: FloatArray
    """`outwards` and `offset`: m; the vectors need not have unit length. Shape (m, 3)."""

    radius: float
    """Of an upright cylinder about `middle` that the core lies in, too, m; infinite if it is
    none."""

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
    """One of an obstacle's solids, a height field, as a `Body`: its core is what lies well below the surface.

    The heights are read once somebody goes far enough to have to be looked at.
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
        # of the ground, which fills what is lower
        above = np.maximum(surface + relief.origin[2], 0.0)
        sunk = surface - z
        inside = (sunk > (1.0 - CORE) * np.minimum(self._radius, 0.5 * above)) & (above > 0.0)
        return np.asarray(inside.any(axis=-1))


@dataclass(frozen=True, slots=True)
class Crossing:
    """A link that went through an obstacle or `GROUND`; its way in the step, and up to which nothing is crossed, m."""

    link: int
    obstacle: int
    way: float
    seen: float

    def sentence(self, scene: Scene) -> str:
        """What went through what, and the remedy."""
        step = scene.solver.step_s
        what = f"link {self.link + 1} goes through {_called(scene, self.obstacle)}"
        if self.way > self.seen:
            return (
                f"{what}: it moves {1e3 * self.way:.3g} mm in the step, but is sure to meet it only below "
                f"{1e3 * self.seen:.3g} mm; reduce solver.step_s from {step:g} to "
                f"{_rounded_down(step * self.seen / self.way):.2g}"
            )
        own = scene.ground.obstacle_damping_ns_per_m
        return (
            f"{what}, whose damping does not stop it; raise ground.obstacle_damping_ns_per_m from {own:g} to "
            f"{max(10.0 * own, Ground().obstacle_damping_ns_per_m):g}, or slow the robot down"
        )


class Crossings:
    """Looks out for links that go through bodies.

    Parameters
    ----------
    bodies : iterable of (int, Body)
        With the numbers of their obstacles, 0-based.
    half, radius : float
        Of a link: its axis from the middle to either end, and its surface from there, m.
    pushed : bool
        Whether contacts push links back; if they only brake them, these go through in steps of any
        length.
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
        self._seen = radius + np.array([body.thin for _, body in self._bodies])
        self.seen = float(self._seen.min(initial=math.inf))
        """A link that goes no further than this in a step meets whatever is in its way, m."""
        self.limit = 0.5 * self.seen
        """A step in which no link goes further than this need not be looked at, m."""

    @property
    def thinnest(self) -> int:
        """The obstacle that `seen` is that of."""
        return self._bodies[int(self._seen.argmin())][0]

    def found(self, q_before: FloatArray, q_after: FloatArray) -> Crossing | None:
        """The first crossing of links that went from the one state to the other in a step.

        Parameters
        ----------
        q_before, q_after : (n, 3) or (n, 7) arrays
            x, y, theta of planar links, or places and quaternions.
        """
        before, after = _ends(q_before, self._half), _ends(q_after, self._half)
        moved = after - before
        way = np.linalg.norm(moved, axis=2).max(axis=1)
        apart = np.linalg.norm(before.mean(axis=1)[:, None, :2] - self._middle, axis=2)
        near = (way[:, None] > self._least * self._seen) & (
            apart <= self._reach + self._half + way[:, None]
        )
        link, body_index = np.nonzero(near)
        # Most of these links pass beside the core: no point of an axis moves further than one of
        # its ends does.
        away = _away(before[link, :, :2], self._middle[body_index])
        near[link, body_index] = away <= self._core_reach[body_index] + way[link] + _ROUNDING
        first = None
        soonest = math.inf
        for b in np.flatnonzero(near.any(axis=0)):
            obstacle, body = self._bodies[b]
            links = np.flatnonzero(near[:, b])
            parts = min(max(math.ceil(float(way[links].max()) / body.part), 1), _MOST_PARTS)
            share = np.linspace(0.0, 1.0, parts + 1)[:, None, None, None]
            inside = body.holds(before[links] + share * moved[links])
            inside &= ~inside[0]  # what begins in there has not come from outside
            when = np.where(inside.any(axis=0), inside.argmax(axis=0), parts + 1)
            nearest = int(when.argmin())
            if when[nearest] <= parts and when[nearest] / parts < soonest:
                soonest = float(when[nearest] / parts)
                first = Crossing(
                    int(links[nearest]), obstacle, float(way[links[nearest]]), float(self._seen[b])
                )
        return first


def crossings(scene: Scene, base_dir: Path | None = None, pushed: bool = True) -> Crossings:
    """What looks out for links that go through any of a scene's obstacles; in the plane these are of any height.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    pushed : bool
        As `Crossings` has it.
    """
    robot = scene.robot
    bodies: list[tuple[int, Body]] = []
    if scene.model.spatial:
        # who is all below it has fallen through
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


def foreseen(
    scene: Scene, base_dir: Path | None, velocity: FloatArray, turning: FloatArray
) -> list[Problem]:
    """Whether links go so far in a step, as they start or by their gait, that they may go through an obstacle.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    velocity, turning : (n, 2 or 3), (n,) or (n, 3) arrays
        Of the links at the start, m/s and rad/s.
    """
    if not scene.obstacles:
        return []
    watch = crossings(scene, base_dir)
    step = scene.solver.step_s
    half = scene.robot.contact_half_length_m
    turns = np.abs(turning) if turning.ndim == 1 else np.linalg.norm(turning, axis=1)
    starting = float((np.linalg.norm(velocity, axis=1) + half * turns).max(initial=0.0))
    speed, what = max((starting, "as it starts"), (_gait_speed(scene, watch.seen), "by its gait"))
    way = step * speed
    if not way > watch.seen:
        return []
    longest = watch.seen / speed
    return [
        Problem(
            "warning",
            "solver.step_s",
            f"a link moves up to {1e3 * way:.3g} mm {what} in a step of {step:g} s, but is sure to meet "
            f"{_called(scene, watch.thinnest)} only below {1e3 * watch.seen:.3g} mm: it may go through it",
            f"set it to at most {_rounded_down(longest):.2g} s",
            obstacles=(watch.thinnest,),
            fixes=shorter_step(scene, longest),
        )
    ]


def _gait_speed(scene: Scene, seen: float) -> float:
    """Greatest speed of the links' ends about the robot as a whole that the gait asks for, m/s; 0 if it is small.

    A robot that nothing holds moves so that its links' momenta add up to nothing: what a rigid
    motion explains is left out.
    """
    robot = scene.robot
    n = scene.robot.n_links
    if not scene.controller.uses_gait or n < 2:
        return 0.0
    of_body = scene.waves
    waves = [wave for _, wave in of_body.of_kinds[: 2 if scene.model.spatial else 1]]
    rate = of_body.factor * sum(abs(wave.amplitude * wave.omega) for wave in waves)
    if (
        rate * robot.link_length_m * (0.25 * n * n + 1.0) * scene.solver.step_s < seen
    ):  # far beyond what can be
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


def _called(scene: Scene, obstacle: int) -> str:
    if obstacle == GROUND:
        return "the ground"
    own = scene.obstacles[obstacle]
    return f"obstacle {obstacle + 1} ({own.name or shape_of(own).mention})"


def _rounded_down(step: float) -> float:
    """A step (s) of two digits that is no longer."""
    digits = 10.0 ** (math.floor(math.log10(step)) - 1)
    return math.floor(step / digits) * digits


@by_identity
def _spatial_cores(obstacle: Obstacle) -> tuple[list[int], list[_Core]]:
    """Which solids of an obstacle are height fields (0-based), and the cores of the others; no file is read."""
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
    """Least and greatest height of each solid of an upright obstacle, m, and its cores."""
    found = []
    for solid in obstacle_solids(obstacle):
        assert isinstance(solid, Post | Block)
        heights = (
            np.array([solid.low, solid.high]) if isinstance(solid, Post) else corners(solid).T[2]
        )
        found.append((float(heights.min()), float(heights.max()), _cores(solid, upright=True)))
    return found


def _cores(solid: Solid, upright: bool) -> list[_Core]:
    """What a link must not enter of a solid; if it is `upright`, links are at whatever height it is.

    Where a link is in the core, contacts would push it out on the other side. So the core is what
    lies about as deep behind one face as behind another that looks away from it, and deep behind
    all others: of a box, a thin box in its middle. The lowest face of what stands there is the
    ground; nobody gets past a link by passing below.
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
    behind = offset - normal @ centre  # how deep the middle lies behind the faces
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
        ):  # whose core the thinnest one holds
            continue
        thinnest = min(thinnest, thin) if parallel else thinnest
        others = np.setdiff1d(np.arange(len(normal) - standing), [i, j])
        above = standing & (normal[others].T[2] > _UPWARD)
        skin = (1.0 - CORE) * np.where(above, min(thin, centre[2]), thin)
        # As deep behind the one as behind the other, but for a tenth, and in there at all.
        mix = np.array([[1.0 + CORE, CORE - 1.0], [CORE - 1.0, 1.0 + CORE], [1.0, 1.0]])
        outwards = np.concatenate([mix @ normal[[i, j]], normal[others]])
        limits = np.concatenate(
            [mix @ offset[[i, j]] - [0.0, 0.0, 2.0 * CORE * thin], offset[others] - skin]
        )
        least = thin if parallel else 0.0
        cores.append(_Core(centre[:2], reach, least, CORE * thin, outwards, limits, math.inf))
    return cores


def _faces(solid: Block | Prism) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Outward normals (m, 3) of a convex solid, where its planes are along them (m,), m, and a point in its middle."""
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
    """Distance of points ((k, 2), m) from the lines between pairs of ends ((k, 2, 2), m), (k,), m."""
    begin, end = ends.swapaxes(0, 1)
    along = end - begin
    to = point - begin
    share = (to * along).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-300)
    away: FloatArray = np.linalg.norm(to - share.clip(0.0, 1.0)[:, None] * along, axis=1)
    return away


def _ends(q: FloatArray, half: float) -> FloatArray:
    """Ends of the axes of links, (n, 2, 3), m; `q` as in `Crossings.found`."""
    zero = np.zeros(len(q))
    if q.shape[1] == 3:
        x, y, theta = q.T
        axis = np.column_stack([np.cos(theta), np.sin(theta), zero])
        middle = np.column_stack([x, y, zero])
    else:
        axis = matrices(q[:, 3:])[..., X]
        middle = q[:, :3]
    return np.stack([middle - half * axis, middle + half * axis], axis=1)
