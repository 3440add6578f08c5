"""Status bar notice that a plug-in does not return from a call, with a Stop button."""

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
        self.button = QPushButton("Stop", self)
        self.button.setToolTip("Pause the run when the plug-in returns")
        self.button.clicked.connect(self._on_stop)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.button)
        plugins.stuck_changed.connect(self._show)
        self._show()

    def _on_stop(self) -> None:
        self.button.setEnabled(False)
        self._plugins.stop()

    def _show(self) -> None:
        name = self._plugins.stuck
        self.label.setText(f"The plug-in {name} is not responding." if name else "")
        self.button.setEnabled(True)
        self.setVisible(bool(name))
