"""Status bar notice that a plug-in is not responding, with a Cancel button."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.plugins.plugin_controller import PluginController


class StuckNotice(QWidget):
    """Notice that is hidden while all plug-ins respond."""

    def __init__(self, plugins: PluginController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plugins = plugins
        self.label = QLabel(self)
        theme.set_role(self.label, "warning")
        self.button = QPushButton("Cancel", self)
        self.button.setToolTip("Stop the code of the plug-in and pause the run")
        self.button.clicked.connect(plugins.cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.button)
        plugins.stuck_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        name = self._plugins.stuck
        self.label.setText(f"The plug-in {name} is not responding." if name else "")
        self.setVisible(bool(name))
