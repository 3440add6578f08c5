"""Perform the actions possible while a robot is armed in the real window, and time the window's heartbeat.

`beats_probe PROFILE SCENE [ACTION ...]`. Prints as JSON, for every action, the longest pause
between two beats: processor time of the window's thread, wall time, and the part of it that was not
spent waiting for a processor. Closing and undoing the result belongs to the action.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from snakestudio.gui.app import features, run
from snakestudio.gui.robot.data_panel import DataPanel
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.link.messages import LinkState
from snakestudio.viewmodel.robot.services import LiveChoices

Action = tuple[str, Callable[[], object]]

_SETTLE_MS = 600
"""Time for the effects of an action in later turns of the event loop."""

_OTHER = frozenset(
    {
        "quit",
        "save",
        "new",
        "disconnect_robot",
        "stop_robot",
        "disarm_robot",
        "connect_robot",
        "emulated_robot",
        "mend_faults",
    }
)
"""Commands after which the robot is no longer armed, as documented, and the one that writes a file."""


class Beats:
    """Times a window's heartbeat by action.

    Attributes
    ----------
    longest : dict of str to list of float
        Maxima over the pauses of an action, s: processor time, wall time, and time not spent waiting
        for a processor.
    """

    def __init__(self) -> None:
        self.longest: dict[str, list[float]] = {}
        self.action = ""
        self._last: tuple[float, float, float] | None = None

    def beat(self) -> None:
        """Record a beat."""
        clock = time.monotonic()
        now = time.thread_time(), clock, clock - _queued()
        if self._last is not None and self.action:
            pause = [each - before for each, before in zip(now, self._last, strict=True)]
            self.longest[self.action] = list(map(max, pause, self.longest.get(self.action, pause)))
        self._last = now


def _queued() -> float:
    """Time for which this thread was ready to run while others ran, s; 0 if the system does not report it."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def commands(window: MainWindow) -> Iterator[Action]:
    """Enabled commands of the menus."""
    for spec in table(features()):
        if spec.run is not None and spec.id not in _OTHER:
            yield f"command {spec.id}", window.context.action_registry[spec.id].trigger


def menus(window: MainWindow) -> Iterator[Action]:
    """Menus of the menu bar, opened."""
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield (
                f"menu {action.text().strip('&')}",
                partial(menu.popup, window.mapToGlobal(QPoint(40, 40))),
            )


def panels(window: MainWindow) -> Iterator[Action]:
    """Panels, each raised twice, and tabs of the robot's data, each opened twice."""
    for again in ("", " again"):
        for name in window.context.docks.all:
            yield f"panel {name}{again}", partial(window.context.show_dock, name)
        window.context.show_dock("robot_data")
        data = window.findChild(DataPanel)
        assert data is not None
        for tab in (2, 1, 0):
            yield (
                f"robot data, {data.tabs.tabText(tab)}{again}",
                partial(data.tabs.setCurrentIndex, tab),
            )
    yield (
        "traffic, all frames in turn",
        lambda: (data.tabs.setCurrentIndex(2), data.traffic.by_id.click()),
    )
    yield "traffic, sought through", lambda: data.traffic.seek.setText("joint")
    yield "joints looked at", lambda: (data.traffic.seek.clear(), data.tabs.setCurrentIndex(0))
    for name in ("history", "runs", "channels", "comparison", "experiment", "teleop"):
        yield f"panel {name} closed", window.context.docks[name].close
    for name in ("scene", "parameters", "plots"):
        yield f"panel {name} before the others", partial(window.context.show_dock, name)


def edits(window: MainWindow) -> Iterator[Action]:
    """Edits of the scene while the robot follows it."""
    document = window.context.document
    for number in (1, 2):
        for key, value in (
            ("gait.amplitude_deg", 25.0),
            ("gait.frequency_hz", 0.3),
            ("gait.offset_deg", 5.0),
        ):
            yield f"{key} ({number})", partial(document.set_value, key, value + number, "Edit")
    yield "undo", document.undo_stack.undo
    yield "redo", document.undo_stack.redo


def looks(window: MainWindow) -> Iterator[Action]:
    """Actions that change the view: mouse, wheel, size of the window, scrubbing."""
    view = window.context.viewport
    session_controller = window.context.session_controller
    middle = view.rect().center()

    def drag(button: Qt.MouseButton) -> None:
        QTest.mousePress(view, button, pos=middle)
        for step in range(10):
            QTest.mouseMove(view, middle + QPoint(9 * step, 4 * step))
        QTest.mouseRelease(view, button, pos=middle)

    def wheel() -> None:
        at = QPointF(middle)
        QApplication.sendEvent(
            view,
            QWheelEvent(
                at,
                QPointF(view.mapToGlobal(middle)),
                QPoint(),
                QPoint(0, 120),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            ),
        )

    def scrub(fraction: float) -> None:
        recording = session_controller.recording
        session_controller.set_cursor(
            int(fraction * len(recording)) if recording is not None else None
        )

    yield "view turned", partial(drag, Qt.MouseButton.MiddleButton)
    yield "view, box or click", partial(drag, Qt.MouseButton.LeftButton)
    yield "wheel", wheel
    for fraction in (0.2, 0.8, 0.4):
        yield f"scrubbed to {fraction:g}", partial(scrub, fraction)
    yield "the newest again", partial(session_controller.set_cursor, None)
    yield "window smaller", partial(window.resize, 1280, 800)
    yield "window larger", partial(window.resize, 1580, 960)
    yield (
        "simulation at full speed",
        lambda: (session_controller.session.set_speed(math.inf), session_controller.session.play()),
    )
    yield "simulation shown", session_controller.close_run
    yield "robot shown", session_controller.show_robot
    yield "simulation paused", session_controller.session.pause


def actions(window: MainWindow) -> Iterator[Action]:
    """All actions, in an order in which none affects the next."""
    yield "at rest", lambda: None
    yield from panels(window)
    yield from edits(window)
    yield from looks(window)
    yield from menus(window)
    yield from commands(window)


def shut(window: MainWindow) -> None:
    """Close dialogs and menus that an action opened."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    for _ in range(5):
        over: QWidget | None = app.activePopupWidget() or app.activeModalWidget()
        if over is None or over is window:
            break
        over.close()
    for widget in app.topLevelWidgets():
        if widget is not window and widget.isVisible() and widget.isWindow():
            widget.close()
    QTest.keyClick(window, Qt.Key.Key_Escape)


class Probe:
    """Connects to an emulated robot, starts streaming, and performs one action after the other.

    Parameters
    ----------
    window : MainWindow
    profile : Path
        With a window timeout so long that slow actions are measured in full.
    *only : str
        Parts of names of actions to perform; all by default.
    """

    def __init__(self, window: MainWindow, profile: Path, *only: str) -> None:
        self.beats = Beats()
        self._window = window
        self._profile = profile
        self._only = only
        self._steps = self._actions()
        QTimer.singleShot(1000, self._advance)

    def _advance(self) -> None:
        pause = next(self._steps, None)
        if pause is not None:
            QTimer.singleShot(pause, self._advance)

    def _actions(self) -> Iterator[int]:
        window = self._window
        while (
            not window.context.docks.are_filled
            or window.context.session_controller.status.state != "ready"
        ):
            yield 100
        control = window.context.robot_controller
        loaded = control.services.load(self._profile)
        window.context.robot_controller.connect_emulated(loaded, LiveChoices(), on_ground=False)
        while control.state is not LinkState.LISTENING:
            yield 100
        link = control.link
        assert link is not None
        beat = link.beat

        def timed() -> None:
            self.beats.beat()
            beat()

        link.beat = timed  # type: ignore[method-assign]
        link.command("idle")
        yield 2000
        for name, act in actions(window):
            if self._only and not any(part in name for part in self._only):
                continue
            while control.state is not LinkState.STREAMING:
                self._towards_streaming()
                yield 300
            step = window.context.document.undo_stack.index()
            self.beats.action = name
            # actions that wait for an answer must not block the timing of the others
            QTimer.singleShot(0, act)
            yield _SETTLE_MS
            shut(window)
            window.context.document.undo_stack.setIndex(step)
            yield _SETTLE_MS // 2
            self.beats.action = ""
            window.context.document.undo_stack.setClean()
        print(json.dumps(self.beats.longest), flush=True)
        window.context.robot_controller.disconnect_robot()
        window.close()

    def _towards_streaming(self) -> None:
        control = self._window.context.robot_controller
        if control.state is LinkState.FAULT:
            control.reset()
        elif control.state is LinkState.ARMED and control.status.armed:
            control.stream()
        elif control.state is LinkState.IDLE and control.live is not None:
            control.live.arm()


if __name__ == "__main__":
    probes: list[Probe] = []
    run(Path(sys.argv[2]), lambda w: probes.append(Probe(w, Path(sys.argv[1]), *sys.argv[3:])))
