"""Random edits of any scene in one table, for the tests of undo, files and crashes.

An entry is a function of a scene and of hypothesis' `draw` that returns the scene after an edit of
the program, or None if it does not apply. New kinds of edit are added to `EDITS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from hypothesis import strategies as st

from snakestudio.errors import SceneError
from snakestudio.model.edits import (
    add_obstacle,
    remove_obstacles,
    transform,
    with_path,
    with_value,
    with_values,
)
from snakestudio.model.edits.align import Side, aligned, distributed
from snakestudio.model.edits.arrays import ArrayPlan, arrayed
from snakestudio.model.edits.bending import bent_robot
from snakestudio.model.edits.groups import free_group_name, with_group
from snakestudio.model.edits.pose import gait_robot, moved_robot, straight_robot, turned_robot
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.obstacles.circles import Circle, Circles
from snakestudio.model.obstacles.importing import as_cylinders, with_imported
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from tests.strategies import numbers, obstacles, texts

__all__ = ["EDITS", "Edit", "edited"]

Draw = Callable[[st.SearchStrategy[Any]], Any]
Edit = Callable[[Scene, Draw], Scene | None]

_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "title": texts,
    "description": texts,
    "robot.name": texts,
    "robot.mass_kg": numbers(0.01, 10),
    "ground.mu_along": numbers(0, 2),
    "ground.slope_deg": numbers(0, 40),
    "gait.amplitude_deg": numbers(0, 60),
    "gait.offset_deg": numbers(-20, 20),
    "control.start_delay_s": numbers(0, 1),
    "solver.max_iterations": st.integers(1, 5000),
    "run.duration_s": numbers(0.1, 100),
    "start.x_m": numbers(-5, 5),
    "start.heading_deg": numbers(-360, 360),
}
_KINDS = {
    "model.kind": [
        "planar_nonsmooth",
        "spatial_nonsmooth",
        "planar_lagrangian",
        "planar_nonholonomic",
    ],
    "gait.kind": ["lateral_undulation", "two_waves"],
    "start.kind": ["straight", "gait"],
}
_OF_OBSTACLES: dict[str, st.SearchStrategy[Any]] = {
    "x_m": numbers(-5, 5),
    "y_m": numbers(-5, 5),
    "name": texts,
    "group": st.sampled_from(["", "left", "right", 'a "b"']),
    "locked": st.booleans(),
    "hidden": st.booleans(),
    "friction": numbers(0, 2),
}


def _some(scene: Scene, draw: Draw) -> list[int]:
    """Draw some obstacles, at least one."""
    return draw(
        st.lists(st.integers(0, len(scene.obstacles) - 1), min_size=1, max_size=4, unique=True)
    )  # type: ignore[no-any-return]


def a_value(scene: Scene, draw: Draw) -> Scene | None:
    key = draw(st.sampled_from(sorted(_VALUES)))
    return with_value(scene, key, draw(_VALUES[key]))


def a_kind(scene: Scene, draw: Draw) -> Scene | None:
    key = draw(st.sampled_from(sorted(_KINDS)))
    return with_value(scene, key, draw(st.sampled_from(_KINDS[key])))


def a_new_obstacle(scene: Scene, draw: Draw) -> Scene | None:
    if len(scene.obstacles) >= 30:
        return None
    (obstacle,) = scene_from_dict({"format": 1, "obstacles": [draw(obstacles)]}).obstacles
    return add_obstacle(scene, obstacle)


def fewer_obstacles(scene: Scene, draw: Draw) -> Scene | None:
    return remove_obstacles(scene, _some(scene, draw)) if scene.obstacles else None


def moved_obstacles(scene: Scene, draw: Draw) -> Scene | None:
    return (
        transform.move(scene, _some(scene, draw), (draw(numbers(-1, 1)), draw(numbers(-1, 1)), 0.0))
        if scene.obstacles
        else None
    )


def turned_obstacles(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.obstacles:
        return None
    pivot = (draw(numbers(-1, 1)), draw(numbers(-1, 1)), 0.0)
    return transform.turn(
        scene, _some(scene, draw), draw(st.sampled_from("xyz")), draw(numbers(-7, 7)), pivot
    )


def scaled_obstacles(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.obstacles:
        return None
    factors = (draw(numbers(0.3, 3)), draw(numbers(0.3, 3)), draw(numbers(0.3, 3)))
    return transform.scale(scene, _some(scene, draw), factors, (draw(numbers(-1, 1)), 0.0, 0.0))


def an_array(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.obstacles or len(scene.obstacles) >= 20:
        return None
    pattern = draw(st.sampled_from(["row", "grid", "staggered", "ring", "random"]))
    counts = {"count": 3, "columns": 2, "rows": 2, "spacing_m": draw(numbers(0.1, 2))}
    return arrayed(scene, ArrayPlan(pattern=pattern, **counts), _some(scene, draw)[:2]).scene


def lined_up(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.obstacles:
        return None
    side = draw(st.sampled_from(get_args(Side)))
    return aligned(scene, _some(scene, draw), side)


def spread_out(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.obstacles:
        return None
    by: Literal["centres", "gaps"] = draw(st.sampled_from(["centres", "gaps"]))
    return distributed(scene, _some(scene, draw), draw(st.sampled_from(["x", "y"])), by)


def grouped(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.obstacles:
        return None
    return with_group(
        scene, _some(scene, draw), draw(st.sampled_from(["", free_group_name(scene), "left"]))
    )


def another_place(scene: Scene, draw: Draw) -> Scene | None:
    shift = (draw(numbers(-1, 1)), draw(numbers(-1, 1)), 0.0)
    return (
        moved_robot(scene, shift)
        if draw(st.booleans())
        else turned_robot(scene, (0.0, 0.0, 1.0), shift[0], (0, 0, 0))
    )


def another_shape(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.body.jointed:
        return None
    if draw(st.booleans()):
        return bent_robot(
            scene, draw(st.integers(0, scene.robot.n_links - 2)), draw(numbers(-1, 1))
        )
    return draw(st.sampled_from([straight_robot, gait_robot]))(scene)


def values_of_obstacles(scene: Scene, draw: Draw) -> Scene | None:
    if not scene.obstacles:
        return None
    name = draw(st.sampled_from(sorted(_OF_OBSTACLES)))
    value = draw(_OF_OBSTACLES[name])
    return with_values(scene, {f"obstacles[{i + 1}].{name}": value for i in _some(scene, draw)})


def another_order(scene: Scene, draw: Draw) -> Scene | None:
    return scene.model_copy(update={"obstacles": tuple(draw(st.permutations(scene.obstacles)))})


def a_path(scene: Scene, draw: Draw) -> Scene | None:
    points = draw(
        st.lists(
            st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=5, unique=True
        )
    )
    return with_path(scene, GroundPath(waypoints_m=tuple((float(x), float(y)) for x, y in points)))


def an_import(scene: Scene, draw: Draw) -> Scene | None:
    if len(scene.obstacles) >= 30:
        return None
    circles = Circles(
        (Circle(draw(numbers(-5, 5)), draw(numbers(-5, 5)), draw(numbers(0.01, 1)), "line 1"),),
        "m",
        "",
    )
    return with_imported(scene, as_cylinders(circles, "m", 1.0, "imported"))


EDITS: dict[str, Edit] = {
    "value": a_value,
    "kind": a_kind,
    "add": a_new_obstacle,
    "remove": fewer_obstacles,
    "move": moved_obstacles,
    "turn": turned_obstacles,
    "scale": scaled_obstacles,
    "array": an_array,
    "align": lined_up,
    "distribute": spread_out,
    "group": grouped,
    "robot placed": another_place,
    "robot bent": another_shape,
    "values of obstacles": values_of_obstacles,
    "order": another_order,
    "path": a_path,
    "import": an_import,
}
"""All pure edits of a scene."""


def edited(scene: Scene, name: str, draw: Draw) -> Scene | None:
    """Return the scene after an edit; None if it does not apply or is refused with a message."""
    try:
        return EDITS[name](scene, draw)
    except SceneError:
        return None
