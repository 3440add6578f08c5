"""A feature of the window from a separate file outside the program: times of the run that the user notes."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLabel, QWidget

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts


class Notes(QObject):
    """Noted titles of scenes."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.titles: list[str] = []
        self.is_open = True

    def add(self, title: str) -> None:
        """Note a title."""
        self.titles.append(title)
        self.changed.emit()

    def close(self) -> None:
        """End the notes."""
        self.is_open = False


class _Context(Context, Protocol):
    notes: Notes


def _make(c: _Context) -> Parts:
    yield "notes", Notes(c.window)


def _panel(c: _Context) -> QWidget:
    label = QLabel(c.document.scene.title)
    c.notes.changed.connect(lambda: label.setText(", ".join(c.notes.titles)))
    return label


FEATURE: Feature[_Context] = Feature(
    docks=(DockSpec("notes", "Notes", Area.RightDockWidgetArea, _panel, 300, 8, "parameters"),),
    commands={
        "": (
            Command(
                "note",
                "Simulation",
                "Note the Scene",
                lambda c: c.notes.add(c.document.scene.title),
                ("Ctrl+Alt+F9",),
                enabled=lambda c: len(c.notes.titles) < 2,
                tip="Note the title of the scene",
            ),
        )
    },
    make=_make,
    changes=lambda c: (c.notes.changed,),
    background=lambda c: f"{len(c.notes.titles)} notes" if c.notes.titles else "",
    close=lambda c: c.notes.close(),
)
