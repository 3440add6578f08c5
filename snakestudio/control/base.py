"""The interface of controllers: references of the joints, or of the strain, for the next time interval."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import SteerCommand


class Controller(Protocol):
    """Computes references; independent of the engine or robot that follows them."""

    @property
    def needs(self) -> Fields:
        """Required fields of the Snapshot; with `Fields.NONE`, `snapshot` may be None."""
        ...

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the recorded values. Each ends in its unit and becomes a column of the recording."""
        ...

    def values(self) -> NDArray[np.float64]:
        """Return the values of the channels after the last call of `reference`, (channels,)."""
        ...

    def reference(self, time: NDArray[np.float64], snapshot: Snapshot | None) -> Reference:
        """References at the knots `time` ((k,), s, ascending); `snapshot` is the state at the first of them."""
        ...

    def apply(self, scene: Scene, time: float) -> None:
        """Apply changed parameters from `time` on, without a jump in the references."""
        ...

    def checkpoint(self) -> Any:
        """Return the full state, for `restore`."""
        ...

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        ...


@runtime_checkable
class Steerable(Protocol):
    """A controller that accepts commands; its references must be requested one control period at a time."""

    def steer(self, command: SteerCommand) -> bool:
        """Apply a command from the next call of `reference` on; False if it is already in effect."""
        ...


class OnePeriod:
    """Marks a controller that is called once per control period, at its start, whether or not it needs a snapshot."""


class OpenLoop:
    """Base class of controllers that need no snapshot: their references are functions of time."""

    @property
    def needs(self) -> Fields:
        """No fields."""
        return Fields.NONE

    @property
    def channels(self) -> tuple[str, ...]:
        """No channels."""
        return ()

    def values(self) -> NDArray[np.float64]:
        """Return no values."""
        return np.zeros(0)
