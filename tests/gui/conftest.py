"""Windows for the tests: shown on a virtual screen, with separate settings, closed afterwards."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from snakestudio.gui.app import make_window as main_window
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.surface import set_default_format
from snakestudio.link.messages import LinkState
from snakestudio.paths import scenes_dir
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.fake_body import body_scene
from tests.gui.fake_link import FakeLink
from tests.gui.pages.hands import show_widget
from tests.gui.pages.robot import connect_link, put

MAIN_SCENE = scenes_dir() / "obstacle_aided.toml"
COMPILING_MS = 240_000
WAITING_MS = 60_000
"""A busy machine makes a window slow, not wrong."""


_FAILED = pytest.StashKey[bool]()
_widgets: weakref.WeakSet[QWidget] = weakref.WeakSet()
"""Panels and dialogs of the current test, or of the previous one."""
_documents: weakref.WeakSet[Document | ProfileDocument] = weakref.WeakSet()


def _remember_documents(kind: type[Document | ProfileDocument]) -> None:
    """Record each created document: searching for them among all objects takes longer than most tests."""
    original = kind.__init__

    def init(self: Document | ProfileDocument, *args: Any, **others: Any) -> None:
        original(self, *args, **others)
        _documents.add(self)

    kind.__init__ = init  # type: ignore[method-assign,assignment]


for _kind in (Document, ProfileDocument):
    _remember_documents(_kind)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Record which tests failed: their tracebacks keep objects alive."""
    report = yield
    item.stash[_FAILED] = report.failed or item.stash.get(_FAILED, False)
    return report


def _collect() -> None:
    """Free closed widgets."""
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    # In the window a document has an owner. Without one Python's collector would delete it and its
    # undo steps in any order, which might leave the stack with dangling pointers.
    for document in list(_documents):
        if isValid(document) and document.parent() is None:
            delete(document)
    gc.collect()


_FREEZE_ABOVE = 20_000
"""Number of objects above which a full collection takes longer than most tests; a window has 4,000."""


def _freeze_imports() -> None:
    """Spare the collector what the first window of a module has imported; it runs after every test."""
    if len(gc.get_objects()) > _FREEZE_ABOVE:
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _no_widget_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """Free what a test has closed; fail if panels of the previous test are still in memory."""
    if _widgets:
        _collect()
    left = [type(widget).__name__ for widget in _widgets]
    _widgets.clear()
    if left:
        pytest.fail(
            f"the previous test left closed widgets in memory: {', '.join(left)}", pytrace=False
        )
    _freeze_imports()
    yield
    if request.node.stash.get(_FAILED, False):
        _widgets.clear()
    elif "qtbot" in request.fixturenames:
        _collect()


class PatientQtBot(QtBot):
    """Waits longer than five seconds for events."""

    def addWidget(self, widget: QWidget, **others: Any) -> None:
        if not isinstance(
            widget, MainWindow
        ):  # pytest refers to windows of a test until it is reported
            _widgets.add(widget)
        super().addWidget(widget, **others)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = WAITING_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = WAITING_MS, **others: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **others)

    def waitExposed(self, widget: QWidget, *, timeout: int = WAITING_MS) -> Any:
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """pytest-qt's fixture with longer timeouts."""
    return PatientQtBot(request)


@pytest.fixture
def document() -> Document:
    """The main scene, opened without a window."""
    document = Document()
    document.open(MAIN_SCENE)
    return document


@pytest.fixture
def body() -> Document:
    """A continuous body with a synthetic law, opened without a window."""
    document = Document()
    document.new(body_scene())
    return document


@pytest.fixture
def selection(document: Document) -> Selection:
    """The selection in the scene, empty at first."""
    return Selection(document)


@pytest.fixture
def own_document(qtbot: QtBot, tmp_path: Path) -> Document:
    """A copy of the main scene in the file `mine.toml`, opened."""
    path = tmp_path / "mine.toml"
    path.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    document = Document()
    document.open(path)
    return document


@pytest.fixture
def session_controller(document: Document) -> FakeSessionController:
    """Stand-in for a session with fifty rows of a synthetic run of that scene."""
    return FakeSessionController(make_recording(document.scene, 50))


@pytest.fixture
def panels(
    qtbot: QtBot, document: Document, session_controller: FakeSessionController
) -> ParameterPanels:
    """The dock of parameters, high enough for all of its content."""
    return show_widget(qtbot, ParameterPanels(document, session_controller), 320, 1600)  # type: ignore[arg-type]


@pytest.fixture
def link(window: MainWindow) -> Iterator[FakeLink]:
    """A robot that is connected to the window and idle."""
    link = connect_link(window)
    put(window, link, LinkState.IDLE)
    yield link
    link.state = LinkState.IDLE  # otherwise closing the window would ask
    window.context.robot_controller.disconnect_robot()


@pytest.fixture
def make_window(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[], MainWindow]]:
    """Create windows that share their settings, like those of one user."""
    set_default_format()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "dark")
    created: list[MainWindow] = []

    def make() -> MainWindow:
        settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = main_window(settings)
        created.append(window)
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        return window

    yield make
    for window in created:
        window.context.document.undo_stack.setClean()
        window.close()
        window.deleteLater()


def fill_docks(window: MainWindow, *names: str) -> None:
    """Create the content of some docks, by default of all; all take longer than the window itself."""
    docks = window.context.docks
    assert all(name in docks for name in names)
    docks.fill(window.context, names or None)
    while not docks.are_filled:
        docks.fill(window.context)


@pytest.fixture
def window(make_window: Callable[[], MainWindow]) -> MainWindow:
    """A window with the main scene and empty panels."""
    window = make_window()
    assert window.context.files.open(MAIN_SCENE)
    return window


@pytest.fixture
def drawn(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The same with a first frame in the viewport."""
    qtbot.waitUntil(lambda: window.context.viewport.settled)
    with qtbot.waitSignal(window.context.viewport.frame_drawn):
        window.context.viewport.refresh()
    return window


@pytest.fixture
def ready(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The same, ready to play at maximum speed."""
    qtbot.waitUntil(
        lambda: window.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    qtbot.waitUntil(window.context.action_registry["play"].isEnabled)
    window.context.run_bar.speed.choose(math.inf)
    return window


@pytest.fixture
def recorded(ready: MainWindow, qtbot: QtBot) -> MainWindow:
    """The same after a run of one second."""
    ready.context.document.set_value("run.duration_s", 1.0, "Duration")
    qtbot.waitUntil(
        lambda: (
            ready.context.session_controller.status.state == "ready"
            and ready.context.session_controller.recording is not None
        )
    )
    ready.context.session_controller.play_or_pause()
    qtbot.waitUntil(
        lambda: ready.context.session_controller.status.state == "finished", timeout=60_000
    )
    qtbot.waitUntil(
        lambda: (
            ready.context.session_controller.displayed is not None
            and ready.context.session_controller.displayed.time > 0.99
        )
    )
    # they follow when the program is idle
    qtbot.waitUntil(ready.context.action_registry["export_video"].isEnabled)
    return ready
