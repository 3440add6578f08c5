"""Arrays of obstacles: rows, grids, staggered rows, rings and random fields of copies, as pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits.groups import free_group_name, obstacle_with, with_obstacles
from snakestudio.model.fields import Frozen, value
from snakestudio.model.obstacles.outlines import PlanBoxes, plan_boxes
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Post
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene

TRIES_EACH = 40
"""Random positions tried per requested obstacle before giving up."""

_BATCH = 512
"""Random positions compared with existing obstacles together."""


class Throw(NamedTuple):
    """Result of random placement."""

    places: list[tuple[int, tuple[float, float]]]
    """0-based index of the source of each obstacle, and its position (x, y), m."""

    tries: int
    """Number of random positions tried."""


def _radius(obstacle: Obstacle) -> float:
    """Return the radius of an obstacle that is round from above, m; 0 for others."""
    solids = () if shape_of(obstacle).files else obstacle_solids(obstacle)
    return solids[0].radius if len(solids) == 1 and isinstance(solids[0], Post) else 0.0


def _circles(obstacles: Sequence[Obstacle], boxes: PlanBoxes) -> tuple[FloatArray, FloatArray]:
    """Return the circles around obstacles: centres (n, 2) relative to their positions, and radii (n,), m."""
    places = np.array([(o.x_m, o.y_m) for o in obstacles])
    radii = np.array(
        [
            _radius(o) or 0.5 * float(np.linalg.norm(size))
            for o, size in zip(obstacles, boxes.high - boxes.low, strict=True)
        ]
    )
    return boxes.centre - places, radii


def _robot_distance(scene: Scene, pose: FloatArray, points: FloatArray) -> FloatArray:
    """Return the distance of points (m, 2) from the robot's links at `pose` (n, 7), seen from above, (m,), m."""
    w, x, y, z = pose[:, 3:].T
    radius, reach, middle = scene.body.sizes.of(len(pose))
    lengths = np.array([link.length for link in scene.robot.links])
    half = np.maximum(0.5 * lengths[np.minimum(np.arange(len(pose)), len(lengths) - 1)], reach)
    along = np.column_stack((1 - 2 * (y * y + z * z), 2 * (x * y + w * z)))
    axis = half[:, None] * along
    away = points[:, None] - (pose[:, :2] + middle[:, None] * along)
    fraction = np.clip(
        (away * axis).sum(axis=2) / np.maximum((axis * axis).sum(axis=1), 1e-12), -1.0, 1.0
    )
    return np.asarray(
        (np.linalg.norm(away - fraction[..., None] * axis, axis=2) - radius).min(axis=1)
    )


def _obstacle_distance(scene: Scene, boxes: PlanBoxes, points: FloatArray) -> FloatArray:
    """Distances of points (m, 2) from the obstacles: exact for round ones, otherwise from their boxes, (m,), m."""
    distance = np.full(len(points), np.inf)
    radius = np.array([_radius(o) for o in scene.obstacles])
    round_ones = radius > 0.0
    if round_ones.any():
        away = points[:, None] - boxes.centre[round_ones]
        distance = (np.hypot(away[..., 0], away[..., 1]) - radius[round_ones]).min(axis=1)
    if not round_ones.all():
        low, high = boxes.low[~round_ones], boxes.high[~round_ones]
        beyond = np.maximum(np.maximum(low - points[:, None], points[:, None] - high), 0.0)
        distance = np.minimum(distance, np.hypot(beyond[..., 0], beyond[..., 1]).min(axis=1))
    return distance


def throw_field(
    scene: Scene,
    sources: Sequence[Obstacle],
    count: int,
    middle: FloatArray,
    size: FloatArray,
    clearance: float,
    seed: int,
    base_dir: Path | None = None,
) -> Throw:
    """Random positions in a rectangle for copies of obstacles, clear of each other, of the scene and of the robot.

    Raises `SceneError` if the start of the robot is unknown.

    Parameters
    ----------
    sources : sequence of Obstacle
        A random one of them is placed at each position; an obstacle that is not round counts as the
        circle around it.
    count : int
        Number of requested obstacles; at most `TRIES_EACH` positions are tried for each.
    middle, size : (2,) arrays
        Centre and size of the rectangle that contains the positions, m.
    clearance : float
        Smallest distance of their circles from anything else, m.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    random = np.random.default_rng(seed)
    offsets, radii = _circles(sources, plan_boxes(sources))
    boxes = plan_boxes(scene.obstacles)
    pose = initial_state(scene, base_dir)[0]
    places: list[tuple[int, tuple[float, float]]] = []
    hit = np.empty((max(count, 0), 2))
    reach = np.empty(max(count, 0))
    tries = 0
    most = TRIES_EACH * count
    while len(places) < count and tries < most:
        # Rounded to a tenth of a millimetre before any check, so that the stored positions are the
        # checked ones.
        darts = np.round(middle + (random.random((_BATCH, 2)) - 0.5) * size, 4)
        kinds = random.integers(len(sources), size=_BATCH)
        centres = darts + offsets[kinds]
        least = radii[kinds] + clearance
        free = (_obstacle_distance(scene, boxes, centres) >= least) & (
            _robot_distance(scene, pose, centres) >= least
        )
        for k in range(min(_BATCH, most - tries)):
            tries += 1
            if not free[k]:
                continue
            n = len(places)
            away = hit[:n] - centres[k]
            if n and (np.hypot(away[:, 0], away[:, 1]) - reach[:n]).min() < least[k]:
                continue
            hit[n] = centres[k]
            reach[n] = radii[kinds[k]]
            places.append((int(kinds[k]), (float(darts[k, 0]), float(darts[k, 1]))))
            if len(places) == count:
                break
    return Throw(places, tries)


MOST = 5000
"""Largest number of copies in an array."""


class ArrayPlan(Frozen):
    """Layout of copies; the values that apply depend on the pattern."""

    pattern: Literal["row", "grid", "staggered", "ring", "random"] = value(
        "grid", label="Pattern", help="Layout of the copies"
    )
    count: int = value(
        5,
        label="Count",
        help="Number of obstacles, including the first",
        ge=1,
        le=MOST,
        slider=(1, 50),
    )
    spacing_m: float = value(
        0.5,
        label="Spacing",
        unit="m",
        help="Distance between neighbours",
        ge=-1e3,
        le=1e3,
        slider=(0, 2),
    )
    direction_deg: float = value(
        0.0,
        label="Direction",
        unit="°",
        help="Direction of the row, from the x axis",
        ge=-360,
        le=360,
        slider=(-180, 180),
    )
    columns: int = value(4, label="Columns", help="Number along x", ge=1, le=1000, slider=(1, 20))
    rows: int = value(3, label="Rows", help="Number along y", ge=1, le=1000, slider=(1, 20))
    spacing_x_m: float = value(
        0.5,
        label="Spacing, x",
        unit="m",
        help="Distance between columns",
        ge=-1e3,
        le=1e3,
        slider=(0, 2),
    )
    spacing_y_m: float = value(
        0.5,
        label="Spacing, y",
        unit="m",
        help="Distance between rows",
        ge=-1e3,
        le=1e3,
        slider=(0, 2),
    )
    radius_m: float = value(
        1.0,
        label="Ring radius",
        unit="m",
        help="Radius of the ring",
        gt=0,
        le=1e3,
        slider=(0.1, 5),
    )
    arc_deg: float = value(
        360.0,
        label="Arc",
        unit="°",
        help="Part of the circle to fill; 360 closes the ring",
        gt=0,
        le=360,
        slider=(30, 360),
    )
    turned: bool = value(
        True, label="Turn along", help="Turn each copy with its position on the ring"
    )
    length_m: float = value(
        3.0,
        label="Field, x",
        unit="m",
        help="Size of the field along x",
        gt=0,
        le=1e3,
        slider=(0.5, 10),
    )
    width_m: float = value(
        2.0,
        label="Field, y",
        unit="m",
        help="Size of the field along y",
        gt=0,
        le=1e3,
        slider=(0.5, 10),
    )
    clearance_m: float = value(
        0.15,
        label="Clearance",
        unit="m",
        help="Smallest distance to each other, to other obstacles and to the robot's start",
        ge=0,
        le=1e3,
        slider=(0, 1),
    )
    seed: int = value(
        1, label="Seed", help="Seed of the random field", ge=0, le=2**31, slider=(0, 100)
    )


PATTERNS = {
    "row": "Row",
    "grid": "Grid",
    "staggered": "Staggered rows",
    "ring": "Ring",
    "random": "Random field",
}
"""Patterns and their titles."""

PATTERN_FIELDS: dict[str, tuple[str, ...]] = {
    "row": ("count", "spacing_m", "direction_deg"),
    "grid": ("columns", "rows", "spacing_x_m", "spacing_y_m"),
    "staggered": ("columns", "rows", "spacing_x_m", "spacing_y_m"),
    "ring": ("count", "radius_m", "arc_deg", "turned"),
    "random": ("count", "length_m", "width_m", "clearance_m", "seed"),
}
"""Values of a plan that apply to each pattern."""


class Array(NamedTuple):
    """Result of `arrayed`."""

    scene: Scene
    """Scene with the copies at the end."""

    indices: tuple[int, ...]
    """0-based obstacles of the array, including the sources."""

    sentence: str
    """Summary of the array, with the number that fitted if not all did."""


def suited(plan: ArrayPlan, obstacles: Sequence[Obstacle]) -> ArrayPlan:
    """Return the plan with distances that suit copies of some obstacles, taken together.

    Parameters
    ----------
    obstacles : sequence of Obstacle
        At least one.
    """
    low, high = plan_boxes(obstacles).around(range(len(obstacles)))
    across, along = (min(1e3, float(f"{1.5 * size + 0.1:.2g}")) for size in (high - low).tolist())
    largest = max(across, along)
    return plan.model_copy(
        update={
            "spacing_m": across,
            "spacing_x_m": across,
            "spacing_y_m": along,
            "radius_m": min(1e3, float(f"{2 * largest:.2g}")),
            "length_m": min(1e3, float(f"{6 * largest:.2g}")),
            "width_m": min(1e3, float(f"{4 * largest:.2g}")),
        }
    )


def placements(plan: ArrayPlan) -> FloatArray:
    """Return the shifts x and y, m, and rotations, rad, of the copies of a regular pattern, (k, 3); the first is zero.

    A ring is to the left of the first: its centre is `radius_m` away towards smaller x.

    Raises `ValueError` for a random field, whose positions depend on the scene.
    """
    if plan.pattern == "row":
        k = np.arange(plan.count)
        ahead = plan.spacing_m * k
        towards = math.radians(plan.direction_deg)
        return np.column_stack((ahead * math.cos(towards), ahead * math.sin(towards), 0.0 * k))
    if plan.pattern in ("grid", "staggered"):
        row, column = (index.ravel() for index in np.mgrid[: plan.rows, : plan.columns])
        odd = 0.5 * (row % 2) if plan.pattern == "staggered" else 0.0 * row
        return np.column_stack(
            ((column + odd) * plan.spacing_x_m, row * plan.spacing_y_m, 0.0 * row)
        )
    if plan.pattern == "ring":
        closed = plan.arc_deg == 360.0
        steps = max(1, plan.count if closed else plan.count - 1)
        angle = math.radians(plan.arc_deg) * np.arange(plan.count) / steps
        return np.column_stack(
            (plan.radius_m * (np.cos(angle) - 1.0), plan.radius_m * np.sin(angle), angle)
        )
    raise ValueError("a random field has no fixed positions")


def _copy(obstacle: Obstacle, x: float, y: float, turn: float, number: int) -> Obstacle:
    """Copy of an obstacle at a position (m), rotated by an angle (rad); copies of named obstacles are numbered."""
    changes: dict[str, Any] = {
        "x_m": round(x, 6),
        "y_m": round(y, 6),
        "locked": False,
        "hidden": False,
    }
    if obstacle.name and number > 1:
        changes["name"] = f"{obstacle.name[: 79 - len(str(number))]} {number}"
    key = shape_of(obstacle).turn_key
    if turn and key:
        degrees = float(getattr(obstacle, key)) + math.degrees(turn)
        changes[key] = round(math.remainder(degrees, 360.0), 6)
    return obstacle_with(obstacle, **changes)


def arrayed(
    scene: Scene,
    plan: ArrayPlan,
    indices: Sequence[int] = (),
    fresh: Sequence[Obstacle] = (),
    base_dir: Path | None = None,
) -> Array:
    """Return the scene with an array of some of its obstacles, or of new ones, all in a new group.

    A regular pattern repeats several obstacles together, starting with those of the scene. A random
    field places a random one of them at each position; those of the scene stay, and the field is
    centred on them.

    Raises `ValueError` if there would be too many, or a position out of range
    (pydantic.ValidationError). Raises `SceneError` if the start of the robot in a random field is
    unknown.

    Parameters
    ----------
    indices : sequence of int
        0-based obstacles of the scene to copy.
    fresh : sequence of Obstacle
        Sources without `indices`; the first copies are at their positions.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    sources = [scene.obstacles[i] for i in indices] or list(fresh)
    if not sources:
        raise ValueError("There is nothing to copy.")
    count = plan.count if plan.pattern == "random" else len(sources) * _repeats(plan)
    if count > MOST:
        raise ValueError(f"The array would have {count} obstacles; it can have at most {MOST}.")
    middle = np.mean([(o.x_m, o.y_m) for o in sources], axis=0)
    if plan.pattern == "random":
        throw = throw_field(
            scene,
            sources,
            plan.count - (1 if indices else 0),
            middle,
            np.array([plan.length_m, plan.width_m]),
            plan.clearance_m,
            plan.seed,
            base_dir,
        )
        copies = [_copy(sources[s], x, y, 0.0, k + 2) for k, (s, (x, y)) in enumerate(throw.places)]
        sentence = _result_text(throw, len(copies) + (1 if indices else 0), plan.count)
    else:
        copies = _repeated(sources, plan, middle, skip_first=bool(indices))
        sentence = f"{len(copies) + len(indices)} obstacles"
    base = f"{sources[0].group or sources[0].name or shape_of(sources[0]).title} array"
    group = free_group_name(scene, base[:76])
    originals = {i for i in indices if not scene.obstacles[i].locked}
    unchanged = [
        obstacle_with(o, group=group) if i in originals else o
        for i, o in enumerate(scene.obstacles)
    ]
    n = len(unchanged)
    copies = [obstacle_with(o, group=group) for o in copies]
    return Array(
        with_obstacles(scene, (*unchanged, *copies)),
        (*sorted(indices), *range(n, n + len(copies))),
        sentence,
    )


def _repeats(plan: ArrayPlan) -> int:
    return plan.count if plan.pattern in ("row", "ring") else plan.columns * plan.rows


def _repeated(
    sources: list[Obstacle], plan: ArrayPlan, middle: FloatArray, *, skip_first: bool
) -> list[Obstacle]:
    copies = []
    for number, (dx, dy, angle) in enumerate(placements(plan).tolist(), start=1):
        if number == 1 and skip_first:
            continue
        turn = angle if plan.turned else 0.0
        c, s = math.cos(turn), math.sin(turn)
        for o in sources:
            x, y = o.x_m - middle[0], o.y_m - middle[1]
            copies.append(
                _copy(
                    o, middle[0] + dx + c * x - s * y, middle[1] + dy + s * x + c * y, turn, number
                )
            )
    return copies


def _result_text(throw: Throw, placed: int, requested: int) -> str:
    if placed == requested:
        return f"{placed} obstacles"
    return f"{placed} of {requested} fitted in {throw.tries} tries; increase the field or reduce the clearance"
