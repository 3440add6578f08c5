"""Edits of a scene that a run adopts while it is running; all others wait for the next run."""

from __future__ import annotations

from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.edits import changed_keys, get_value, with_values
from snakestudio.model.fields import Frozen, fixed_values
from snakestudio.model.scene import Scene

_PARTS = (
    "title",
    "description",
    "source",
    "gait",
    "controller",
    "ground",
    "joint_controller",
    "actuator",
    "obstacles",
    "path",
    "strain",
    "support",
)
_KEYS = ("solver.tolerance", "solver.max_iterations", "solver.error_tolerance", "run.duration_s")


def live_scene(before: Scene, after: Scene) -> tuple[Scene, list[str]]:
    """Return the scene with which a run of `before` continues after an edit, and the dotted keys it does not adopt.

    Whether the engine supports the changes is not checked here.
    """
    live = after.model_copy(
        update={
            name: getattr(before, name) for name in type(after).model_fields if name not in _PARTS
        }
    )
    live = live.model_copy(
        update={
            name: _live_part(getattr(before, name), getattr(after, name))
            for name in ("model", "controller", "actuator")
        }
    )
    old, new = GAIT_KINDS[before.gait.kind], GAIT_KINDS[after.gait.kind]
    if new.make is not old.make or not new.readable(
        after.gait
    ):  # angles can be blended, torques cannot
        live = live.model_copy(update={"gait": before.gait})
    elif type(before.gait) is type(after.gait):
        live = live.model_copy(update={"gait": _live_part(before.gait, after.gait)})
    changed = changed_keys(live, after)
    taken = {key: get_value(after, key) for key in changed if key in _KEYS}
    if taken:
        live = with_values(live, taken)
    return live, [key for key in changed if key not in taken]


def _live_part(before: Frozen, after: Frozen) -> Frozen:
    """`before` with those values of `after` that can change during a run."""
    return after.model_copy(update=fixed_values(before)) if type(before) is type(after) else before
