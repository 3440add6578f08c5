"""The bodies of a measured file, a row each: what it is called, and which link it sits on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QLineEdit, QWidget

from snakestudio.export.experiment_text import link_name
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.model.capture import CENTRE_OF_MASS
from snakestudio.viewmodel.experiment.columns import Body

__all__ = ["BodyRows", "link_title"]


_UNKNOWN = -2
"""Stands for no link in the boxes: Qt does not find a None."""


def link_title(link: int | None) -> str:
    """What a body sits on, as a choice."""
    return "Unknown" if link is None else link_name(link).capitalize()


class BodyRows(QWidget):
    """The rows.

    Parameters
    ----------
    n_links : int
        Of the robot.

    Signals
    -------
    edited(bodies: list of Body)
        The user renamed one or put it on another link.
    """

    edited = Signal(object)

    def __init__(self, n_links: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._n_links = n_links
        self._bodies: list[Body] = []
        self._made: list[QWidget] = []
        self.names: list[QLineEdit] = []
        self.links: list[QComboBox] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)

    def show_bodies(self, bodies: Sequence[Body]) -> None:
        """Show these bodies."""
        if len(bodies) != len(self._bodies):
            self._build(len(bodies))
        self._bodies = list(bodies)
        for body, name, link in zip(bodies, self.names, self.links, strict=True):
            if not name.hasFocus():
                name.setText(body.name)
            value = _UNKNOWN if body.link is None else body.link
            if link.findData(value) < 0:
                link.addItem(link_title(body.link), value)
            link.setCurrentIndex(link.findData(value))

    def _build(self, count: int) -> None:
        for widget in self._made:
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._made, self.names, self.links = [], [], []
        for index in range(count):
            swatch = QFrame(self)
            swatch.setFixedSize(theme.scaled(14), theme.scaled(6))
            swatch.setStyleSheet(f"background: {QColor(trial_colour(index)).name()}; border-radius: 3px;")
            name = QLineEdit(self)
            name.setAccessibleName(f"Name of body {index + 1}")
            name.setMaxLength(80)
            name.textEdited.connect(lambda text, i=index: self._edit(i, Body(text, self._bodies[i].link)))
            on = QLabel("on", self)
            on.setProperty("role", "dim")
            link = QComboBox(self)
            link.setAccessibleName(f"What body {index + 1} sits on")
            link.setToolTip("The link this body sits on: that is what it is compared with")
            link.addItem(link_title(None), _UNKNOWN)
            for each in (CENTRE_OF_MASS, *range(self._n_links)):
                link.addItem(link_title(each), each)
            link.activated.connect(lambda _, i=index, box=link: self._put(i, int(box.currentData())))
            for column, widget in enumerate((swatch, name, on, link)):
                self._grid.addWidget(widget, index, column, Qt.AlignmentFlag.AlignVCenter)
                self._made.append(widget)
            self.names.append(name)
            self.links.append(link)

    def _put(self, index: int, value: int) -> None:
        self._edit(index, Body(self._bodies[index].name, None if value == _UNKNOWN else value))

    def _edit(self, index: int, body: Body) -> None:
        if body != self._bodies[index]:
            self._bodies[index] = body
            self.edited.emit(list(self._bodies))
