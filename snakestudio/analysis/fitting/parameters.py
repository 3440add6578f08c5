"""Free parameters: scene values that a fit may change, with bounds and scale; common ones by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from snakestudio.errors import SceneError, UsageError
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.scene import Scene

START_DELAY = "control.start_delay_s"
OFFSET_BOUNDS_S = (-0.5, 0.5)
"""Default bounds of the time offset of a measurement, s."""

_JOIN = "+"
_DIGITS = 6
"""Significant digits of a value, more than can be measured, so that evaluated values are exactly those
written to the scene."""

_LATER = 4
"""Times act on the joints in whole time steps: a difference over fewer steps than this would only
resolve the steps."""


@dataclass(frozen=True, slots=True)
class FreeParameter:
    """A value that a fit may change."""

    keys: tuple[str, ...]
    """Dotted scene keys; several keys get the same value (for example isotropic
    friction)."""

    low: float
    """Lower bound, in the unit of the keys."""

    high: float
    """Upper bound, in the unit of the keys."""

    scale: Literal["lin", "log"] = "lin"
    """Whether steps within the bounds are linear or logarithmic."""

    def __post_init__(self) -> None:
        name = self.name
        if not self.keys or not all(key.strip() for key in self.keys):
            raise UsageError("A free parameter needs a scene key, such as ground.mu_along.")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise UsageError(
                f"{name}: The range is {self.low:g} to {self.high:g}. The first number must be smaller than the second."
            )
        if self.scale == "log" and self.low <= 0.0:
            raise UsageError(
                f"{name}: A logarithmic scale cannot begin at {self.low:g}. Choose a lower bound above 0."
            )

    @property
    def name(self) -> str:
        """Its keys as they are entered: "ground.mu_along+ground.mu_across"."""
        return _JOIN.join(self.keys)

    def value(self, position: float) -> float:
        """Return the value at a position between the bounds (0 to 1), rounded to a few significant digits."""
        position = min(max(position, 0.0), 1.0)
        if self.scale == "log":
            exact = self.low * (self.high / self.low) ** position
        else:
            exact = self.low + position * (self.high - self.low)
        return min(max(float(f"{exact:.{_DIGITS}g}"), self.low), self.high)

    def position(self, value: float) -> float:
        """Return the position of a value between the bounds, 0 to 1; values outside are clipped."""
        value = min(max(value, self.low), self.high)
        if self.scale == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def slope(self, position: float) -> float:
        """Return the derivative of the value with respect to its position."""
        if self.scale == "log":
            return self.value(position) * math.log(self.high / self.low)
        return self.high - self.low

    def values(self, value: float) -> dict[str, float]:
        """Return the scene values by key."""
        return dict.fromkeys(self.keys, value)

    def least_step(self, scene: Scene) -> float:
        """Return the smallest difference of positions that the time steps of the simulation can resolve."""
        if all(key.startswith("control.") and key.endswith("_s") for key in self.keys):
            return _LATER * scene.solver.step_s / self.slope(0.5)
        return 0.0


PRESETS: Mapping[str, FreeParameter] = {
    "Friction along": FreeParameter(("ground.mu_along",), 0.02, 1.0, "log"),
    "Friction across": FreeParameter(("ground.mu_across",), 0.02, 1.0, "log"),
    "Friction, isotropic": FreeParameter(("ground.mu_along", "ground.mu_across"), 0.02, 1.0, "log"),
    "Rolling friction": FreeParameter(("ground.mu_rolling",), 0.002, 0.5, "log"),
    "Backlash": FreeParameter(("actuator.free_play_deg",), 0.0, 10.0),
    "Start delay": FreeParameter((START_DELAY,), 0.0, 0.5),
    "Set-point period": FreeParameter(("control.set_point_period_s",), 0.0, 0.3),
    "Motor lag": FreeParameter(("actuator.time_constant_s",), 0.0, 0.3),
    "Largest torque": FreeParameter(("actuator.max_torque_nm",), 0.2, 20.0, "log"),
}
"""Commonly unknown parameters of a robot and its floor, by label."""


def offset_bounds(parameters: Sequence[FreeParameter]) -> tuple[float, float]:
    """Default bounds of the time offset, s.

    A start delay and an offset have the same effect on a robot that starts at rest: to fit the delay, the
    clock must be trusted.
    """
    return (
        (0.0, 0.0)
        if any(START_DELAY in parameter.keys for parameter in parameters)
        else OFFSET_BOUNDS_S
    )


def preset_of(parameter: FreeParameter) -> str:
    """Return the label of a parameter; "" if it is not one of `PRESETS`."""
    return next((label for label, preset in PRESETS.items() if preset.keys == parameter.keys), "")


def parse_free(text: str) -> FreeParameter:
    """Parse a free parameter from ``KEY=LOW:HIGH``, ``KEY=LOW:HIGH:log``, or ``KEY+KEY=LOW:HIGH``.

    Raises `UsageError` if it does not have this form.
    """
    keys, equals, bounds = text.partition("=")
    parts = bounds.split(":")
    try:
        if (
            not equals
            or len(parts) not in (2, 3)
            or (len(parts) == 3 and parts[2].strip() not in ("lin", "log"))
        ):
            raise ValueError
        low, high = float(parts[0]), float(parts[1])
    except ValueError:
        raise UsageError(
            f"{text}: Write a free parameter as KEY=LOW:HIGH, such as ground.mu_along=0.05:0.5, with :log for a"
            " logarithmic scale."
        ) from None
    scale: Literal["lin", "log"] = "log" if parts[2:] and parts[2].strip() == "log" else "lin"
    return FreeParameter(tuple(key.strip() for key in keys.split(_JOIN)), low, high, scale)


def free_parameter(name: str, bounds: Sequence[Any]) -> FreeParameter:
    """Create a free parameter from its keys, joined by "+", and ``(low, high)`` or ``(low, high, "log")``.

    Raises `UsageError` if the bounds are invalid.
    """
    if not hasattr(bounds, "__getitem__") or isinstance(bounds, str | bytes | Mapping):
        raise UsageError(
            f'{name}: {bounds!r} is not a range. Write (low, high), or (low, high, "log").'
        )
    numbers = [
        part for part in bounds[:2] if isinstance(part, int | float) and not isinstance(part, bool)
    ]
    if (
        len(numbers) != 2
        or len(bounds) > 3
        or (len(bounds) == 3 and bounds[2] not in ("lin", "log"))
    ):
        raise UsageError(
            f'{name}: {bounds!r} is not a range. Write (low, high), or (low, high, "log").'
        )
    scale: Literal["lin", "log"] = "log" if tuple(bounds[2:]) == ("log",) else "lin"
    keys = tuple(key.strip() for key in name.split(_JOIN))
    return FreeParameter(keys, float(numbers[0]), float(numbers[1]), scale)


def value_doc(scene: Scene, parameter: FreeParameter) -> FieldDoc:
    """Return the documentation of the first key of a parameter.

    Raises `SceneError` if there is no such key.
    """
    holder, _, name = parameter.keys[0].rpartition(".")
    part = get_value(scene, holder) if holder else scene
    if not isinstance(part, BaseModel) or name not in type(part).model_fields:
        raise SceneError(
            f"{parameter.keys[0]}: The scene has no such key. See the scene file for its keys."
        )
    return field_doc(type(part), name)


def present_value(scene: Scene, parameter: FreeParameter) -> float | None:
    """Return the current value of the first key in the scene; None if the scene omits it.

    Raises `SceneError` if there is no such key, it is not a real number, or the bounds are not valid
    values.
    """
    for key in parameter.keys:
        present = get_value(scene, key)
        if present is not None and not isinstance(present, float):
            raise SceneError(
                f"{key}: {present!r} cannot be fitted. Choose a key with a real number."
            )
    for bound in (parameter.low, parameter.high):
        with_values(scene, dict(parameter.values(bound)))
    first = get_value(scene, parameter.keys[0])
    return None if first is None else float(first)
