"""A connected robot without a bus for the profile editor and its dialogs."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from snakestudio.link.messages import LinkState, Telemetry
from snakestudio.link.profile.loading import LoadedProfile
from tests.gui.fake_link import FakeLink


class WigglingLink(FakeLink):
    """Moves an axis in the wiggle test with a delay and (if `sign` is -1) in the opposite direction."""

    def __init__(self, loaded: LoadedProfile) -> None:
        super().__init__(loaded.profile)
        self.lag = 0.05
        self.sign = 1.0
        self.held = np.zeros(len(loaded.profile.axes))
        self._wiggle: tuple[float, dict[str, float]] | None = None

    def command(self, kind: str, **values: str | int | float | bool) -> int:  # type: ignore[override]
        if kind == "wiggle":
            self._wiggle = time.monotonic(), {name: float(value) for name, value in values.items()}
        return super().command(kind, **values)  # type: ignore[arg-type]

    def _swing(self, at: float) -> float:
        if self._wiggle is None:
            return 0.0
        begun, said = self._wiggle
        passed = at - begun
        if not 0 <= passed <= said["period_s"] * said["count"]:
            return 0.0
        return math.radians(said["amplitude_deg"]) * math.sin(
            2 * math.pi * passed / said["period_s"]
        )

    def telemetry(self) -> Telemetry:
        now = time.monotonic()
        told = super().telemetry()
        reference = self.held.copy()
        angle = self.held.copy()
        if self._wiggle is not None:
            axis = int(self._wiggle[1]["axis"])
            reference[axis] += self._swing(now)
            angle[axis] += self.sign * self._swing(now - self.lag)
        return replace(told, reference=reference, angle=angle, angle_time=np.full(len(angle), now))


class FakeRobot(QObject):
    """Stand-in for `RobotController` in the editor."""

    changed = Signal()
    polled = Signal()
    traffic = Signal(object)

    def __init__(self, loaded: LoadedProfile | None = None) -> None:
        super().__init__()
        self.loaded = loaded
        self.watchers = 0
        self.link: WigglingLink | None = None if loaded is None else WigglingLink(loaded)
        self.telemetry: Telemetry | None = None
        self.look()

    @property
    def movable(self) -> bool:
        return self.link is not None and self.link.state in (LinkState.ARMED, LinkState.STREAMING)

    def watch_traffic(self, watcher: QObject, watch: bool) -> None:
        self.watchers += 1 if watch else -1

    def look(self) -> None:
        """Read telemetry and emit signals."""
        self.telemetry = None if self.link is None else self.link.telemetry()
        self.changed.emit()
        self.polled.emit()

    def become(self, state: LinkState) -> None:
        """Change to a state."""
        assert self.link is not None
        self.link.state = state
        self.look()
