"""Validation of states from files against the engine's own, before compiled code without bounds checks uses them.

For any content of a run file, the kernels get arrays of the sizes and types that they were compiled
for, finite numbers, and indices within their arrays; otherwise a `StateError` is raised, and the
run is computed again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.base import Checkpoint, Engine
from snakestudio.engines.row_buffers import BODY, LINK
from snakestudio.errors import StateError
from snakestudio.model.fields import fixed_values
from snakestudio.model.reference import JointReference, StrainReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import ContactState

T = TypeVar("T", bound=Any)  # a NamedTuple of arrays

MAX_CAPACITY = 1 << 18
"""Largest capacity of a state for contacts, or for sums of contacts."""

_FIXED = ("robot", "beam", "start", "control")
"""Parts of a scene that cannot change during a run."""

STATE = 4
"""Index of a `ContactState` in the keys of contacts, behind link, obstacle, feature and step, in
engines that save it there."""


def demand(holds: bool) -> None:
    """Require a property of a saved state.

    Raises `StateError` if it does not hold.
    """
    if not holds:
        raise StateError("The saved state of this run is damaged.")


def within(values: NDArray[Any], low: int, high: int) -> None:
    """Require that integers are at least `low` and below `high`."""
    demand(not values.size or bool(values.min() >= low and values.max() < high))


def check_checkpoint(checkpoint: Any, engine: Engine, scene: Scene) -> None:
    """Require that a checkpoint belongs to this engine by kind, scene and reference; `restore` checks the state.

    Raises `StateError` if it does not.

    Parameters
    ----------
    scene : Scene
        The scene at the time of the checkpoint. The parts that determine all sizes cannot have
        changed.
    """
    own = engine.checkpoint()
    demand(isinstance(checkpoint, Checkpoint) and checkpoint.kind == own.kind)
    demand(isinstance(checkpoint.state, tuple) and len(checkpoint.state) == 3)
    _, saved, reference = checkpoint.state
    demand(
        saved == scene
        and all(getattr(saved, name) == getattr(engine.scene, name) for name in _FIXED)
    )
    demand(fixed_values(saved.model) == fixed_values(engine.scene.model))
    demand(saved.solver.step_s == engine.scene.solver.step_s)
    if reference is not None or isinstance(own.state[2], StrainReference):
        check_reference(reference, engine)


def agreeing(state: Any, like: T, growing: Iterable[tuple[int, tuple[str, ...]]] = ()) -> T:
    """Return a copy of `state` after checking that its layout is that of `like`.

    Raises `StateError` if an array has another type or size, or a number is not finite.

    Parameters
    ----------
    state : NamedTuple of arrays
        The saved state.
    like : NamedTuple of arrays
        The present state of the engine.
    growing : sequence of (int, tuple of str), optional
        Axes that grow during a run, each with the arrays that have the same length along it.
    """
    demand(type(state) is type(like))
    grown = {name: axis for axis, names in growing for name in names}
    for name, own in like._asdict().items():
        array = getattr(state, name)
        demand(
            isinstance(array, np.ndarray) and array.dtype == own.dtype and array.ndim == own.ndim
        )
        sizes = zip(array.shape, own.shape, strict=True)
        demand(
            all(
                size == expected
                for axis, (size, expected) in enumerate(sizes)
                if axis != grown.get(name)
            )
        )
        demand(array.dtype.kind != "f" or bool(np.isfinite(array).all()))
    for axis, names in growing:
        lengths = {getattr(state, name).shape[axis] for name in names}
        demand(len(lengths) == 1 and 1 <= max(lengths) <= MAX_CAPACITY)
    copy: T = state._replace(
        **{name: np.array(array, order="C") for name, array in state._asdict().items()}
    )
    return copy


def check_contacts(
    state: Any, contacts: int, counters: tuple[int, int], n_links: int, n_obstacles: int
) -> None:
    """Require that contacts and their sums refer to existing links and obstacles, and fit into the arrays.

    Parameters
    ----------
    contacts : int
        Index of the number of contacts in `state.counts`.
    counters : (int, int)
        Indices of the numbers of contact sums in `state.counts`, of row and call.

    Raises
    ------
    StateError
    """
    within(state.counts, 0, 1 << 62)
    within(state.stick, 0, len(ContactState))
    within(state.counts[[contacts]], 0, len(state.contact) + 1)
    present = state.contact[: int(state.counts[contacts])]
    for count, keys in zip(counters, state.slot_key, strict=True):
        within(state.counts[count : count + 1], 0, len(keys) + 1)
        used = keys[: int(state.counts[count])]
        within(used[:, LINK], 0, n_links)
        within(used[:, BODY], 0, n_obstacles)
        if keys.shape[1] > 4:
            within(used[:, STATE], 0, len(ContactState))
    for column, count in zip((3, 4), counters, strict=True):
        within(present[:, column], -1, max(1, int(state.counts[count])))


def check_reference(reference: Any, engine: Engine) -> None:
    """Require that an engine can be advanced under a reference.

    Raises `StateError` if it has other sizes, or numbers that are not finite.
    """
    like = engine.checkpoint().state[2]
    if not isinstance(like, StrainReference):
        demand(isinstance(reference, JointReference))
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(
            ("angle", "rate", "acceleration"), (len(engine.schema.axes),)
        )
    else:
        demand(isinstance(reference, StrainReference))
        points = reference.abscissa
        demand(
            isinstance(points, np.ndarray)
            and points.ndim == 1
            and len(points) in range(3, MAX_CAPACITY, 2)
        )
        demand(np.array_equal(points, np.linspace(0.0, like.abscissa[-1], len(points))))
        shapes = {
            f.name: getattr(like, f.name).shape[1:]
            for f in fields(like)
            if f.name not in ("time", "abscissa")
        }
        shapes |= dict.fromkeys(("strain", "rate", "acceleration"), (len(points), 6))
    time = reference.time
    demand(isinstance(time, np.ndarray) and time.dtype == np.float64 and time.ndim == 1)
    demand(len(time) >= (2 if isinstance(reference, JointReference) else 1))
    demand(bool(np.isfinite(time).all() and (np.diff(time) > 0.0).all()))
    commanded = isinstance(reference, JointReference) and reference.torque is not None
    demand(commanded == (isinstance(reference, JointReference) and engine.scene.gives_torques))
    if commanded:
        shapes["torque"] = shapes["angle"]
    for name, shape in shapes.items():
        array = getattr(reference, name)
        demand(
            isinstance(array, np.ndarray)
            and array.dtype == np.float64
            and array.shape == (len(time), *shape)
        )
        # The speed is NaN where contacts alone determine it, and so is an angle next to a torque
        # command.
        demand(
            bool(np.isfinite(array).all())
            or name in ("speed", "travel")
            or (commanded and name != "torque")
        )
