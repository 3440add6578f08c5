"""Simulation speeds and the box that selects one."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from snakestudio.gui.core import theme

SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, math.inf)
"""Selectable speeds: simulated time over wall time."""


class SpeedChooser(QComboBox):
    """Box that selects the simulation speed."""

    chosen = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        for speed in SPEEDS:
            self.addItem("max" if math.isinf(speed) else f"{speed:.2f} ×", speed)
        self.setCurrentIndex(SPEEDS.index(1.0))
        self.setFixedWidth(theme.scaled(104))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Speed")
        self.setToolTip(
            "Simulation speed relative to real time: 0.05 × is slow motion, max is as fast as possible ([ and ])"
        )
        self.currentIndexChanged.connect(lambda index: self.chosen.emit(SPEEDS[index]))

    @property
    def speed(self) -> float:
        """Selected speed."""
        return SPEEDS[self.currentIndex()]

    def choose(self, speed: float) -> None:
        """Select one of `SPEEDS`."""
        self.setCurrentIndex(SPEEDS.index(speed))

    def shift(self, places: int) -> None:
        """Move `places` up or down the list."""
        self.setCurrentIndex(min(max(self.currentIndex() + places, 0), len(SPEEDS) - 1))
