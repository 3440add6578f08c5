"""Calls of a task with checks of everything that its methods return, for single and vector environments."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.errors import SnakeStudioWarning, UsageError
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Entry, Task
from snakestudio.gym.task_state import TaskState
from snakestudio.model.target_limits import TargetLimits, beyond_text

_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "__init__": ("settings", "n"),
    "observation_entries": (),
    "observe": ("state",),
    "reward": ("state",),
    "done": ("state",),
    "info": ("state",),
    "action_entries": (),
    "joint_targets": ("action",),
    "begin": ("worlds", "state"),
    "update": ("state",),
    "draw": ("random",),
}
"""Arguments with which environments call the methods of a task, without `self`."""

_RESERVED = ("values", "failure", "reward_failure", "final_obs", "final_info")
"""Names in `info` that environments set."""


class Outcome(NamedTuple):
    """Result of a control period in n worlds."""

    terms: dict[str, FloatArray]
    """Terms of the reward by name, each (n,); the reward is their sum."""

    terminated: NDArray[np.bool_]
    """Whether the episode ends, (n,)."""

    values: dict[str, NDArray[Any]]
    """Additional values of `info` by name, each (n,)."""


def check_class(task: object) -> None:
    """Check that a class is a complete task.

    Raises `UsageError` if it is not; the message names the method and its arguments.
    """
    if not isinstance(task, type) or not issubclass(task, Task):
        raise UsageError(
            f"A task must be a subclass of snakestudio.gym.Task, not {task!r}. Derive the class from "
            "Task or WaveTask."
        )
    missing = sorted(task.__abstractmethods__)
    if missing:
        raise UsageError(
            f"{task.__name__} has no method {missing[0]}. Define {_call(missing[0])} in the class."
        )
    for name, arguments in _ARGUMENTS.items():
        method = inspect.getattr_static(task, name)
        bound = () if isinstance(method, staticmethod | classmethod) else (None,)
        try:
            inspect.signature(getattr(task, name)).bind(*bound, *arguments)
        except TypeError:
            raise UsageError(
                f"{task.__name__}.{name} cannot be called with the arguments of a task. "
                f"Define it as {_call(name)}."
            ) from None


def _call(method: str) -> str:
    return f"{method}({', '.join(('self', *_ARGUMENTS[method]))})"


class CheckedTask:
    """Task whose results are checked: shape, type, names and finite numbers.

    Raises `UsageError` if the task returns something else; the message names method and entry.
    """

    def __init__(self, kind: type[Task], settings: Settings, n: int) -> None:
        self._name = kind.__name__
        self.task = task = kind(settings, n)
        if not hasattr(task, "_velocity"):
            raise UsageError(
                f"{self._name}.__init__ does not create the task. Call super().__init__(settings, n) first."
            )
        self._warned = False
        self._limits = TargetLimits(task.scene.axis_values)
        self.observations = self._entries("observation_entries", task.observations)
        self.actions = self._entries("action_entries", task.actions)
        self.observation_bounds = _bounds(self.observations)
        self.action_bounds = _bounds(self.actions)

    def begin(
        self,
        worlds: IndexArray,
        state: TaskState,
        randoms: Sequence[np.random.Generator | None],
    ) -> None:
        """Start an episode in some of the worlds."""
        self.task.randoms = randoms
        self.task.begin(worlds, state)

    def draw(self, random: np.random.Generator) -> dict[str, Any]:
        """Draw scene values of an episode."""
        values = self.task.draw(random)
        if not isinstance(values, Mapping):
            raise self._wrong("draw", "a dict of scene values by dotted key", values)
        return dict(values)

    def command(self, action: object, shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        """Return joint targets at the start of a control period and their rates, each (n, m), rad and rad/s.

        The action is clipped to its space, with a warning if an angle is more than a full turn beyond
        it. Raises `UsageError` if its shape is wrong, it is not finite, or a task returns targets far
        beyond the range of a joint; nothing is changed then.
        """
        task = self.task
        values = checked_action(action, shape, self.action_bounds).reshape(task.n, -1)
        if not self._warned:
            self._warn_of_degrees(np.reshape(np.asarray(action, np.float64), values.shape) - values)
        targets = self._array("joint_targets", task.joint_targets(values), task.target.shape)
        targets = self._finite("joint_targets", targets, task.axes)
        for own in targets:
            axis = self._limits.first_beyond(own)
            if axis is not None:
                raise UsageError(beyond_text("joint_targets", task.axes[axis], float(own[axis])))
        return task.limited(targets)

    def _warn_of_degrees(self, beyond: FloatArray) -> None:
        """Warn once about angles that are more than a full turn beyond the action space, (n, k)."""
        for column in np.flatnonzero((np.abs(beyond) > 2.0 * math.pi).any(axis=0)).tolist():
            name = self.actions[column].name
            if name.endswith("_rad"):
                self._warned = True
                warnings.warn(
                    f"{name} of an action is more than a full turn beyond its bounds and was clipped. Actions are in "
                    "radians: convert degrees with np.radians.",
                    SnakeStudioWarning,
                    stacklevel=4,
                )
                return

    def observe(self, state: TaskState) -> FloatArray:
        """Return the observations within their bounds, (n, k)."""
        n = self.task.n
        result = self.task.observe(state)
        parts = result if isinstance(result, list | tuple) else [result]
        columns = []
        for number, part in enumerate(parts, start=1):
            array = self._numbers("observe", part)
            if array.ndim not in (1, 2) or len(array) != n:
                which = f"Array {number}" if len(parts) > 1 else "The array"
                raise UsageError(
                    f"{which} that {self._name}.observe returns has the shape {array.shape}. "
                    f"Its first index must be the world: ({n},) or ({n}, k)."
                )
            columns.append(array.reshape(n, -1))
        values = np.concatenate(columns, axis=1) if columns else np.zeros((n, 0))
        names = [entry.name for entry in self.observations]
        if values.shape[1] != len(names):
            raise UsageError(
                f"{self._name}.observe must return {len(names)} columns, one for each of "
                f"observation_entries (got {values.shape[1]})."
            )
        if np.isnan(values).any():
            self._finite("observe", values, names)
        clipped: FloatArray = np.clip(values, *self.observation_bounds)
        return clipped

    def evaluate(self, state: TaskState) -> Outcome:
        """Return the result of the finished control period, and start the next one."""
        task = self.task
        task.update(state)
        reward = task.reward(state)
        terms = self._named("reward", reward if isinstance(reward, Mapping) else {"reward": reward})
        if not terms:
            raise self._wrong("reward", f"an array of shape ({task.n},) or a dict of them", reward)
        for name, term in terms.items():
            terms[name] = self._finite("reward", term.astype(np.float64)[:, None], [name])[:, 0]
        done = np.asarray(task.done(state))
        if done.dtype != np.bool_:
            raise self._wrong("done", f"an array of {task.n} bools", done)
        info = task.info(state)
        if not isinstance(info, Mapping):
            raise self._wrong("info", f"a dict of arrays of shape ({task.n},)", info)
        values = self._named("info", info)
        for name in values:
            if name in terms:
                raise UsageError(
                    f'{self._name}.info and reward have the same name "{name}". Rename one of them.'
                )
        return Outcome(terms, self._array("done", done, (task.n,)), values)

    def _entries(self, method: str, entries: tuple[Any, ...]) -> tuple[Entry, ...]:
        """Return checked entries."""
        checked: dict[str, Entry] = {}
        for entry in entries:
            try:
                name, low, high = entry
                valid = isinstance(name, str) and bool(low < high) and np.isfinite(high - low)
            except (TypeError, ValueError):
                valid = False
            if not valid:
                raise UsageError(
                    f"{self._name}.{method}: {entry!r} is not a valid entry. Give "
                    "Entry(name, low, high) with finite numbers and low < high."
                )
            if name in checked:
                raise UsageError(
                    f'{self._name}.{method} has two entries named "{name}". Rename one of them.'
                )
            checked[name] = Entry(name, float(low), float(high))
        if not checked:
            raise UsageError(f"{self._name}.{method} returns no entries. Return at least one.")
        return tuple(checked.values())

    def _named(self, method: str, values: Mapping[Any, Any]) -> dict[str, NDArray[Any]]:
        """Return checked values for `info`."""
        checked = {}
        for name, value in values.items():
            if not isinstance(name, str) or name.startswith("_") or name in _RESERVED:
                raise UsageError(
                    f"{self._name}.{method} cannot use the name {name!r}. Choose another one."
                )
            numbers = self._numbers(method, value, f" for {name}")
            checked[name] = self._array(method, numbers, (self.task.n,), f" for {name}")
        return checked

    def _numbers(self, method: str, value: object, of: str = "") -> NDArray[Any]:
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.asarray(None)
        if array.dtype.kind not in "biuf":
            raise self._wrong(method, "arrays of real numbers", value, of)
        return array

    def _array(
        self, method: str, value: object, shape: tuple[int, ...], of: str = ""
    ) -> NDArray[Any]:
        array = self._numbers(method, value, of)
        if array.shape != shape:
            raise UsageError(
                f"{self._name}.{method} must return an array of shape {shape}{of}, the world first "
                f"(got {array.shape})."
            )
        return array

    def _finite(self, method: str, values: NDArray[Any], names: Sequence[str]) -> FloatArray:
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            world, column = wrong[0].tolist()
            raise UsageError(
                f"{self._name}.{method} returned {values[world, column]} for {names[column]} in world "
                f"{world}. Return finite numbers."
            )
        return values

    def _wrong(self, method: str, expected: str, value: object, of: str = "") -> UsageError:
        got = f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        return UsageError(
            f"{self._name}.{method} must return {expected}{of} (got {got or type(value).__name__})."
        )


def _bounds(entries: tuple[Entry, ...]) -> tuple[FloatArray, FloatArray]:
    return np.array([entry.low for entry in entries]), np.array([entry.high for entry in entries])


def space_of(bounds: tuple[FloatArray, FloatArray]) -> Space[FloatArray]:
    """Return the space of arrays between two bounds."""
    return Box(*bounds, dtype=np.float64)


def names_of(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    """Return the names of entries."""
    return tuple(entry.name for entry in entries)


def checked_action(
    action: object,
    shape: tuple[int, ...],
    bounds: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """Return an action as an array, clipped to its space.

    Raises `UsageError` if its shape is wrong or it is not finite.
    """
    try:
        values = np.asarray(action, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"An action must be an array of numbers of shape {shape}.") from None
    if values.shape != shape:
        raise UsageError(f"An action must have the shape {shape} (got {values.shape}).")
    if not np.isfinite(values).all():
        raise UsageError("An action must have finite numbers. No step was taken.")
    return np.clip(values, *bounds)


def reward_of(terms: Mapping[str, FloatArray]) -> FloatArray:
    """Return the sum of the terms in their order, (n,)."""
    total: FloatArray = np.add.reduce(list(terms.values()))
    return total
