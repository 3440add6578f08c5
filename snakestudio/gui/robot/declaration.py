"""Declaration of the live robot: connection, panels, teleoperation and synchronised starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts
from snakestudio.gui.core.overlaid_runs import RunsOver
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.robot.bar_part import BarPart
from snakestudio.gui.robot.commands import PANELS, ROBOT, TELEOP, TOGETHER, RobotContext
from snakestudio.gui.robot.robot_feature import RobotFeature
from snakestudio.gui.robot.robot_overlay import RobotOverlay
from snakestudio.gui.robot.teleop.teleop_feature import TeleopFeature
from snakestudio.gui.robot.together.starter import StartTogether
from snakestudio.model.scene import Scene


class _Actions(Protocol):
    def __getitem__(self, name: str) -> QAction: ...

    def plain_keys(self) -> dict[str, str]: ...


class _Archiver(Protocol):
    @property
    def new_run(self) -> Callable[[Scene], Path | None]: ...


class _View(Protocol):
    def free_range_above(self) -> tuple[int, int]: ...


class _Context(RobotContext, Protocol):
    banners: Banners
    bar_part: BarPart
    robot_overlay: RobotOverlay

    @property
    def action_registry(self) -> _Actions: ...

    @property
    def run_archiver(self) -> _Archiver: ...

    @property
    def viewport(self) -> _View: ...

    def trigger(self, command: str) -> None: ...


def _make(c: _Context) -> Parts:
    robot_controller = RobotController(
        c.document, c.session_controller, c.run_archiver.new_run, parent=c.window
    )
    yield "robot_controller", robot_controller
    yield (
        "start_together",
        StartTogether(
            c.document,
            c.session_controller,
            robot_controller,
            c.banners.together,
            c.settings,
            c.window,
        ),
    )
    yield "robot_overlay", RobotOverlay(robot_controller, c.session_controller, c.window)
    assert isinstance(c.viewport, QWidget)
    yield (
        "teleop_feature",
        TeleopFeature(
            c,
            c.viewport,
            c.viewport.free_range_above,
            c.action_registry.plain_keys,
            lambda: c.trigger("teleop_mapping"),
        ),
    )
    bar_part = BarPart(robot_controller)
    yield "bar_part", bar_part
    yield "robot_feature", RobotFeature(c, bar_part)


def _panel(c: _Context) -> QWidget:
    from snakestudio.gui.robot.panel import RobotPanel

    return RobotPanel(
        c.robot_controller, c.robot_feature.ask_connect, c.robot_feature.record_frames
    )


def _data(c: _Context) -> QWidget:
    from snakestudio.gui.robot.data_panel import DataPanel

    return DataPanel(c.robot_controller, c.robot_feature.log)


def _teleop(c: _Context) -> QWidget:
    from snakestudio.gui.robot.teleop.panel import TeleopPanel

    return TeleopPanel(c.teleop_feature)


def _changes(c: _Context) -> Iterable[SignalInstance]:
    return (
        c.robot_controller.changed,
        c.start_together.changed,
        c.teleop_feature.teleop.changed,
    )


def _overlays(c: _Context) -> Iterable[tuple[RunsOver, SignalInstance]]:
    return ((c.robot_overlay, c.robot_overlay.changed),)


def _close(c: _Context) -> None:
    c.start_together.close()
    c.teleop_feature.close()


FEATURE: Feature[_Context] = Feature(
    docks=(
        DockSpec(
            "teleop", "Teleoperation", Area.RightDockWidgetArea, _teleop, 356, 8, "parameters"
        ),
        DockSpec("robot", "Robot", Area.RightDockWidgetArea, _panel, 356, 8, "parameters"),
        DockSpec("robot_data", "Robot Data", Area.BottomDockWidgetArea, _data, 340, 8, "plots"),
    ),
    commands={"together": TOGETHER, "robot": ROBOT, "robot_panels": PANELS, "teleop": TELEOP},
    make=_make,
    changes=_changes,
    overlays=_overlays,
    close=_close,
)
