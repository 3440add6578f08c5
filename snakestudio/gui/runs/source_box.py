"""Which source the window shows, in the bar at the top: the simulation, a live robot, or a run that was opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.viewmodel.sources import SourceKind

__all__ = ["SourceBox"]

_SEGMENTS: tuple[tuple[SourceKind, str, str], ...] = (
    ("simulation", "Simulation", "Show the simulation; a robot goes on as it does"),
    ("robot", "Robot", "Show the robot that is connected, or connect to one"),
    ("replay", "Replay", "Show a run that was recorded"),
)


class SourceBox(QFrame):
    """A switch with a segment for each kind of source.

    Parameters
    ----------
    bridge : SessionController
    ways : mapping of str to callable
        What leads to each kind of source.
    """

    def __init__(
        self, bridge: SessionController, ways: Mapping[SourceKind, Callable[[], object]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge, self._ways = bridge, ways
        self.setObjectName("source_box")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.scaled(34))
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        self.segments: dict[SourceKind, QToolButton] = {}
        group = QButtonGroup(self)
        for kind, text, tip in _SEGMENTS:
            segment = QToolButton(self)
            segment.setText(text)
            segment.setToolTip(tip)
            segment.setCheckable(True)
            segment.setFixedHeight(theme.scaled(30))
            segment.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            segment.clicked.connect(lambda _=False, kind=kind: self._choose(kind))
            group.addButton(segment)
            row.addWidget(segment)
            self.segments[kind] = segment
        bridge.source_changed.connect(self._show)
        self.renew_theme()
        self._show()

    @property
    def source(self) -> str:
        """What is shown, in words."""
        if self._bridge.source == "simulation":
            return "Simulation"
        return f"{self._bridge.source.capitalize()}: {self._bridge.source_name}"

    def renew_theme(self) -> None:
        """The palette is another one."""
        p = theme.current()
        self.setStyleSheet(
            f"#source_box {{ background: {p.ground}; border: 1px solid {p.line}; border-radius: 7px; }}"
            f"QToolButton {{ background: transparent; color: {p.dim}; border: 1px solid transparent;"
            f" padding: 2px 9px; }}"
            f"QToolButton:hover {{ color: {p.text}; }}"
            f"QToolButton:focus {{ border-color: {p.accent}; }}"
            f"QToolButton:checked {{ background: {p.accent}; color: {p.on_accent}; font-weight: 600; }}"
            f"QToolButton:checked:focus {{ border-color: {p.text}; }}"
        )

    def _choose(self, kind: SourceKind) -> None:
        if kind != self._bridge.source:
            self._ways[kind]()
        self._show()  # a way that was not taken to its end leads nowhere

    def _show(self) -> None:
        self.segments[self._bridge.source].setChecked(True)
        self.setAccessibleName(f"Source: {self.source}")
        self.setToolTip(self.source)
