"""Declaration of studies."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtWidgets import QDockWidget, QWidget

from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.study.commands import STUDY, StudyContext
from snakestudio.gui.study.feature import FeatureContext, StudyFeature


class _Docks(Protocol):
    def __getitem__(self, name: str) -> QDockWidget: ...


class _Context(StudyContext, FeatureContext, Protocol):
    @property
    def robot_controller(self) -> RobotController: ...

    @property
    def docks(self) -> _Docks: ...


def _make(c: _Context) -> Parts:
    yield "study", StudyFeature(c, lambda: c.robot_controller.movable)


def _panel(c: _Context) -> QWidget:
    from snakestudio.gui.study.panel import StudyPanel

    panel = StudyPanel(c.study.open_study, c.study.runner, c.document, c.study, c.settings)
    panel.closed.connect(c.docks["study"].close)
    return panel


FEATURE: Feature[_Context] = Feature(
    docks=(DockSpec("study", "Study", Area.RightDockWidgetArea, _panel, 356, 8, "parameters"),),
    commands={"study": STUDY},
    make=_make,
    close=lambda c: c.study.close(),
)
