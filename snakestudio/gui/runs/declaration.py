"""Declaration of runs: recording, opening, playback, exports and the list of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QStatusBar, QWidget

from snakestudio.drawing.camera import Camera
from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts
from snakestudio.gui.core.overlaid_runs import OverlaidRuns, RunsOver
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.gui.runs.commands import (
    OPEN,
    PICTURES,
    SIMULATION,
    SPEED,
    TIME,
    RunsContext,
    exports,
)
from snakestudio.gui.runs.drag_out import DragOutButton
from snakestudio.gui.runs.exporting import Exporter
from snakestudio.gui.runs.opening import OpenRuns
from snakestudio.gui.runs.pinned_runs import PinnedRuns
from snakestudio.gui.runs.plausibility_notice import PlausibilityNotice
from snakestudio.gui.runs.run_archiver import RunArchiver
from snakestudio.gui.runs.timeline.bar import TimeBar
from snakestudio.gui.runs.video.camera_keys import CameraKeys
from snakestudio.runfile.library import RunLibrary


class _Files(Protocol):
    def may_discard(self) -> bool: ...


class _Navigator(Protocol):
    @property
    def camera(self) -> Camera: ...

    def animate_to(self, camera: Camera) -> None: ...


class _View(ViewportPicture, Protocol):
    @property
    def navigator(self) -> _Navigator: ...

    @property
    def camera(self) -> Camera: ...


class _Derived(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def text(self) -> str: ...


class _Channels(Protocol):
    @property
    def derived(self) -> Sequence[_Derived]: ...


class _Context(RunsContext, Protocol):
    overlaid: OverlaidRuns
    pinned_runs: PinnedRuns
    run_archiver: RunArchiver
    robot_controller: RobotController

    @property
    def closing(self) -> SignalInstance: ...

    @property
    def closed(self) -> SignalInstance: ...

    @property
    def files(self) -> _Files: ...

    @property
    def status_bar(self) -> QStatusBar: ...

    @property
    def viewport(self) -> _View: ...

    @property
    def channel_library(self) -> _Channels: ...


def _make(c: _Context) -> Parts:
    document = c.document
    session_controller = c.session_controller
    viewport = c.viewport
    time_bar = TimeBar(session_controller, document, camera=lambda: viewport.navigator.camera)
    yield "time_bar", time_bar
    open_runs = OpenRuns(
        document, session_controller, c.files.may_discard, c.banners.source, c.window
    )
    c.closed.connect(open_runs.close)
    yield "open_runs", open_runs
    yield (
        "run_archiver",
        RunArchiver(
            RunLibrary(),
            document,
            session_controller,
            viewport,
            c.settings,
            c.window,
            lambda: c.robot_controller.movable,
        ),
    )
    pinned_runs = PinnedRuns(c.window)
    # runs of the previous scene cannot be compared with another one
    document.opened.connect(pinned_runs.clear)
    yield "pinned_runs", pinned_runs
    yield (
        "camera_keys",
        CameraKeys(
            document,
            session_controller,
            lambda: viewport.camera,
            viewport.navigator.animate_to,
            c.settings,
            c.window,
        ),
    )
    yield (
        "exporter",
        Exporter(
            document,
            session_controller,
            viewport,
            c.banners.exports,
            c.settings,
            c.window,
            camera_path=lambda: c.camera_keys.path,
            overlaid=c.overlaid.overlaid,
            derived=lambda: {each.name: each.text for each in c.channel_library.derived},
        ),
    )
    yield "drag_out", DragOutButton(c.exporter, c.settings, c.window)
    notice = PlausibilityNotice(session_controller, time_bar.track.show_time, c.status_bar)
    c.status_bar.insertPermanentWidget(1, notice)
    yield "plausibility_notice", notice


def _run_panel(c: _Context) -> QWidget:
    from snakestudio.gui.runs.run_panel import RunPanel

    panel = RunPanel(c.run_archiver.library, c.run_archiver, c.pinned_runs, c.banners.files)
    panel.open_requested.connect(c.open_runs.open)
    panel.scene_requested.connect(c.open_runs.open_scene)
    panel.deleting.connect(c.open_runs.close_file)
    c.closing.connect(panel.close_reading)
    return panel


def _changes(c: _Context) -> Iterable[SignalInstance]:
    return c.time_bar.track.moments.changed, c.exporter.changed


def _overlays(c: _Context) -> Iterable[tuple[RunsOver, SignalInstance]]:
    return ((c.pinned_runs, c.pinned_runs.changed),)


def _close(c: _Context) -> None:
    c.exporter.close()
    c.time_bar.close_pictures()
    c.pinned_runs.clear()


FEATURE: Feature[_Context] = Feature(
    docks=(DockSpec("runs", "Runs", Area.LeftDockWidgetArea, _run_panel, 288, 8, "scene"),),
    commands={
        "open_run": OPEN,
        "export": exports,
        "pictures": PICTURES,
        "simulation": SIMULATION,
        "speed": SPEED,
        "time": TIME,
    },
    make=_make,
    changes=_changes,
    overlays=_overlays,
    close=_close,
)
