"""Render the pictures of the window in README and documentation, in true colour, and list their texts next to them.

Run it from the top folder, on a screen or with xvfb-run; `tests/packaging/test_pictures.py` compares
the listed texts with those of the present program.
"""

from __future__ import annotations

import argparse
import html
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtCore import QSettings, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenuBar,
    QTreeView,
    QWidget,
)

from snakestudio.gui.app import make_window
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.surface import set_default_format
from snakestudio.paths import resource, scenes_dir

SIZE = QSize(1600, 1000)
_LARGEST = 300_000
"""Largest size of a picture, bytes: pages load it."""
_PATIENCE_S = 600.0
_NUMBER = re.compile(r"[-−+]?\d[\d.,\u2009\u202f]*(?:e[-−+]?\d+)?")
_MARKUP = re.compile(r"<[^>]*>")

Wait = Callable[[Callable[[], bool]], object]


def wait(condition: Callable[[], bool]) -> None:
    """Process events until a condition is true."""
    deadline = time.monotonic() + _PATIENCE_S
    while not condition():
        QApplication.processEvents()
        time.sleep(0.01)
        assert time.monotonic() < deadline, "the window did not respond"


# --- what the pictures show -----------------------------------------------------------------------


def main_scene(window: MainWindow, wait: Wait) -> None:
    """Show the main scene after some seconds."""
    _open(window, "obstacle_aided", wait)
    _run(window, 7.8, wait)
    window.context.viewport.frame_all(at_once=True)


def editor(window: MainWindow, wait: Wait) -> None:
    """Show a box that is being rotated by a typed angle."""
    _open(window, "obstacle_aided", wait)
    context = window.context
    for kind in ("wall", "box"):
        context.action_registry[f"add_{kind}"].trigger()
    context.viewport.frame_all(at_once=True)
    box = len(context.document.scene.obstacles) - 1
    context.selection.set([("obstacle", box)])
    wait(context.action_registry["turn"].isEnabled)
    context.viewport.setFocus()
    QTest.keyClick(context.viewport, Qt.Key.Key_R)
    QTest.keyClicks(context.viewport, "25")


def drafting(window: MainWindow, wait: Wait) -> None:
    """Show the view from above with the dimensions of an obstacle."""
    _open(window, "obstacle_aided", wait)
    viewport = window.context.viewport
    viewport.navigator.view("top")
    viewport.navigator.finish()
    viewport.frame_all(at_once=False)
    viewport.navigator.finish()
    window.context.selection.set([("obstacle", 4)])


def continuum(window: MainWindow, wait: Wait) -> None:
    """Show a continuous body, coloured by its internal torque."""
    _open(window, "continuum_snake_3d", wait)
    window.context.viewport.options.set(body_quantity="torque")
    _run(window, 6.0, wait)


PICTURES: dict[str, Callable[[MainWindow, Wait], None]] = {
    "window": main_scene,
    "editor": editor,
    "drafting": drafting,
    "continuum": continuum,
}


def _open(window: MainWindow, name: str, wait: Wait) -> None:
    context = window.context
    context.document.undo_stack.setClean()
    assert context.files.open(scenes_dir() / f"{name}.toml", remember=False)
    context.docks.fill(context, None)
    wait(lambda: context.docks.are_filled)
    wait(lambda: context.session_controller.status.state == "ready")
    wait(lambda: context.viewport.settled)


def _run(window: MainWindow, seconds: float, wait: Wait) -> None:
    """Run the simulation up to a time, and pause it there."""
    controller = window.context.session_controller
    steps = round(seconds / window.context.document.scene.solver.step_s)
    controller.session.step(steps)
    wait(lambda: controller.status.state == "paused")
    wait(lambda: controller.displayed is controller.session.latest)


# --- texts ----------------------------------------------------------------------------------------


def visible_texts(window: QWidget) -> list[str]:
    """Sorted texts that a window shows, without markup and mnemonics and with # for numbers."""
    texts: set[str] = set()
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or widget.visibleRegion().isEmpty():
            continue
        if isinstance(widget, QLabel):
            texts.add(widget.text())
        elif isinstance(widget, QAbstractButton):
            texts.add(plain(widget.text()))
        elif isinstance(widget, QComboBox):
            texts.add(widget.currentText())
        elif isinstance(widget, QLineEdit):
            texts.add(widget.text() or widget.placeholderText())
        elif isinstance(widget, QMenuBar):
            texts.update(plain(action.text()) for action in widget.actions())
        elif isinstance(widget, QTreeView):
            texts.update(_rows(widget))
    lines = (
        " ".join(_NUMBER.sub("#", html.unescape(_MARKUP.sub(" ", text))).split()) for text in texts
    )
    return sorted({line for line in lines if line.strip("#. ")})


def _rows(tree: QTreeView) -> list[str]:
    """Texts of the entries at the top of a tree."""
    model = tree.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


# --- rendering ------------------------------------------------------------------------------------


def render(window: MainWindow, name: str, wait: Wait) -> None:
    """Prepare the window for a picture, and wait until it is drawn."""
    PICTURES[name](window, wait)
    drawn: list[float] = []
    window.context.viewport.frame_drawn.connect(drawn.append)
    window.context.viewport.refresh()
    end = time.monotonic() + 2.0  # plots and panels follow when the program is idle
    wait(lambda: bool(drawn) and time.monotonic() > end)


def save_small(path: Path) -> None:
    """Save an image again in true colour, with values rounded as little as its largest size requires."""
    exact = np.asarray(Image.open(path).convert("RGB"), int)
    for step in range(1, 8):
        rounded = np.minimum((exact + step // 2) // step * step, 255).astype(np.uint8)
        Image.fromarray(rounded).save(path, optimize=True)
        if path.stat().st_size <= _LARGEST:
            return


def main() -> None:
    """Render the pictures named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*PICTURES, []], help="pictures; all if none")
    names = parser.parse_args().names or list(PICTURES)
    set_default_format()
    app = QApplication([])
    theme.apply(app, "dark")
    folder = resource("pictures")
    with tempfile.TemporaryDirectory() as settings:
        for name in names:
            path = Path(settings) / f"{name}.ini"
            window = make_window(QSettings(str(path), QSettings.Format.IniFormat))
            window.resize(SIZE)
            window.show()
            wait(window.isVisible)
            render(window, name, wait)
            screen = QGuiApplication.primaryScreen()
            image = screen.grabWindow(window.winId()).toImage()
            image.save(str(folder / f"{name}.png"))
            save_small(folder / f"{name}.png")
            texts = "\n".join(visible_texts(window))
            (folder / f"{name}.txt").write_text(f"{texts}\n", encoding="utf-8")
            print(f"{name}: {(folder / f'{name}.png').stat().st_size / 1024:.0f} kB")
            window.context.viewport.tools.cancel()
            window.context.document.undo_stack.setClean()
            window.close()
            window.deleteLater()


if __name__ == "__main__":
    main()
