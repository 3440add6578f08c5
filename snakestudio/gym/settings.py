"""Options of environments that do not depend on the task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.errors import UsageError
from snakestudio.model.arguments import is_number, wrong_kind
from snakestudio.model.scene import Scene

if TYPE_CHECKING:
    from snakestudio.api.running import Run


@dataclass(frozen=True)
class Settings:
    """Options of `gymnasium.make` and `gymnasium.make_vec`; None means the default of the task.

    Raises `UsageError` if a value is invalid.
    """

    scene: Scene | Run | str | Path | None = None
    """Custom scene, which replaces the bundled scene of the task."""

    values: Mapping[str, Any] | None = None
    """Values that replace those of the scene, by dotted key: ``{"solver.step_s": 0.002}``."""

    frame_skip: int | None = None
    """Number of time steps of the scene per step of the environment."""

    episode_s: float | None = None
    """Simulated time after which an episode is truncated, s."""

    friction_jitter: float | None = None
    """Relative range j of the friction of the ground: it is multiplied by a factor between 1 - j and
    1 + j, drawn for each episode."""

    position_jitter_m: float | None = None
    """Largest shift of the start along x and along y, drawn for each episode, m."""

    heading_jitter_deg: float | None = None
    """Largest rotation of the robot at the start to either side, drawn for each episode, degrees."""

    angle_limit_rad: float = 1.0
    """Largest absolute joint target, rad; the joint limits apply, too."""

    rate_limit_rad_s: float = 3.0
    """Largest rate of joint targets, rad/s; a lower limit of the scene takes precedence."""

    def __post_init__(self) -> None:
        if self.frame_skip is not None and (
            not is_number(self.frame_skip, Integral) or self.frame_skip < 1
        ):
            raise UsageError(
                f"frame_skip must be a whole number of time steps, at least 1 (got {self.frame_skip!r})."
            )
        for name in ("episode_s", "angle_limit_rad", "rate_limit_rad_s"):
            self._check(name, 0.0, False)
        for name in ("friction_jitter", "position_jitter_m", "heading_jitter_deg"):
            self._check(name, 0.0, True)
        if self.friction_jitter is not None and self.friction_jitter >= 1.0:
            raise UsageError(f"friction_jitter must be below 1 (got {self.friction_jitter:g}).")

    def _check(self, name: str, low: float, included: bool) -> None:
        value = getattr(self, name)
        if value is None and name not in ("angle_limit_rad", "rate_limit_rad_s"):
            return
        if not is_number(value, Real):
            raise wrong_kind(name, "a number", value)
        if not (low < value < float("inf") or (included and value == low)):
            raise UsageError(
                f"{name} must be {'at least' if included else 'more than'} {low:g} (got {value:g})."
            )

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Settings:
        """Return the settings from the options of `gymnasium.make`.

        Raises `UsageError` if an option is unknown or a value is invalid.
        """
        names = [field.name for field in fields(cls)]
        unknown = [name for name in options if name not in names]
        if unknown:
            raise UsageError(f'There is no option "{unknown[0]}". Choose from {", ".join(names)}.')
        return cls(**options)
