"""What every controller offers: references of the joints, or of the strain, for the next stretch of time."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import SteerCommand


class Controller(Protocol):
    """Makes references; knows nothing of who moves the robot."""

    @property
    def needs(self) -> Fields:
        """The fields of a Snapshot it cannot do without; with `Fields.NONE` it can be called far ahead of time."""
        ...

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of what it makes of the robot's state, each ending in its unit: columns of the recording."""
        ...

    def values(self) -> NDArray[np.float64]:
        """The channels' values since the last call of `reference`, (channels,)."""
        ...

    def reference(self, time: NDArray[np.float64], snapshot: Snapshot | None) -> Reference:
        """References at the knots `time` ((k,), s, ascending); `snapshot` is the state at the first of them."""
        ...

    def apply(self, scene: Scene, time: float) -> None:
        """Take over changed parameters from `time` on, without a jump in the references."""
        ...

    def checkpoint(self) -> Any:
        """The full state, to be given to `restore`."""
        ...

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        ...


@runtime_checkable
class Steerable(Protocol):
    """A controller that somebody can drive; it must be asked for the references of one control period at a time."""

    def steer(self, command: SteerCommand) -> bool:
        """Take a command that holds from the next call of `reference` on; False: it holds already."""
        ...


class OnePeriod:
    """Marks a controller that is called once for each control period, at its begin, whatever it needs."""


class OpenLoop:
    """What controllers that look at nothing have in common."""

    @property
    def needs(self) -> Fields:
        """Nothing: the references are functions of time."""
        return Fields.NONE

    @property
    def channels(self) -> tuple[str, ...]:
        """None: it looks at nothing."""
        return ()

    def values(self) -> NDArray[np.float64]:
        """Nothing."""
        return np.zeros(0)
