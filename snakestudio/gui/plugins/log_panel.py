"""Panel with the last error of a plug-in, its traceback and printed output."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.narrow_row import NarrowRow
from snakestudio.gui.plugins.code_dialog import code_view
from snakestudio.gui.plugins.editor import open_file
from snakestudio.gui.plugins.plugin_controller import PluginController

_LEAST = 250
"""Minimum width of the row of buttons, px of the design."""
_LOWEST = 48
"""Minimum height of traceback and output, px of the design."""


class PluginLogPanel(QWidget):
    """Last error and output of plug-ins."""

    def __init__(
        self,
        plugins: PluginController,
        session_controller: SessionController,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._plugins = plugins
        self._session_controller = session_controller
        self.message = QLabel(self)
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.again = QPushButton("&Reload and Continue", self)
        self.open_button = QPushButton("Open &File", self)
        self.copy_button = QPushButton("&Copy", self)
        self.stop_button = QPushButton("&Stop", self)
        self.again.setToolTip("Reload the plug-in and continue the run from its current state")
        self.open_button.setToolTip("Open the plug-in in the default editor")
        self.copy_button.setToolTip("Copy the message and the traceback")
        self.stop_button.setToolTip("End the run at its current state; recorded data are kept")
        self.again.clicked.connect(plugins.reload_and_continue)
        self.open_button.clicked.connect(self._open)
        self.copy_button.clicked.connect(self._copy)
        self.stop_button.clicked.connect(plugins.dismiss_error)
        self.traceback = code_view("Traceback", self)
        self.output = code_view("Output of plug-ins", self)
        self.output.setPlaceholderText("Printed output of plug-ins")
        self.clear_button = QPushButton("C&lear", self)
        self.clear_button.setToolTip("Clear the output")
        self.clear_button.clicked.connect(plugins.clear_output)
        for view in (self.traceback, self.output):
            view.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
            view.setMinimumHeight(theme.scaled(_LOWEST))
        self.button_row = NarrowRow(_LEAST, self)
        self.button_row.row.setContentsMargins(0, 0, 0, 0)
        self.button_row.row.setSpacing(8)
        for button in (self.again, self.stop_button, self.open_button, self.copy_button):
            self.button_row.row.addWidget(button)
        self.button_row.row.addStretch(1)
        self.button_row.hide_if_narrow(self.copy_button)
        self.button_row.hide_if_narrow(self.open_button)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.message, 1)
        head.addWidget(self.clear_button, 0, Qt.AlignmentFlag.AlignTop)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self.traceback)
        split.addWidget(self.output)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 4, 12, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.button_row)
        column.addWidget(split, 1)
        plugins.error_changed.connect(self._show_error)
        plugins.output_added.connect(self._show_output)
        self._show_error()
        self._show_output()

    def _show_error(self) -> None:
        error = self._plugins.error
        theme.set_role(self.message, "warning" if error is not None else "dim")
        self.message.setText(
            "No plug-in has failed." if error is None else f"The plug-in {error.plugin} failed."
        )
        self.traceback.setPlainText(
            "" if error is None else f"{error.message}\n\n{error.traceback}"
        )
        self.traceback.setVisible(error is not None)
        self.button_row.setVisible(error is not None)
        self.open_button.setEnabled(self._plugins.error_path is not None)

    def _show_output(self) -> None:
        bar = self.output.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self.output.setPlainText(self._plugins.output)
        if at_end:
            self.output.moveCursor(QTextCursor.MoveOperation.End)
            bar.setValue(bar.maximum())
        self.clear_button.setEnabled(bool(self._plugins.output))

    def _open(self) -> None:
        path = self._plugins.error_path
        if path is not None and not open_file(path):
            self.message.setText(f"No editor was found for {path}. Open the file in a text editor.")

    def _copy(self) -> None:
        error = self._plugins.error
        if error is not None:
            QGuiApplication.clipboard().setText(f"{error.message}\n{error.traceback}")
