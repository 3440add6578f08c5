"""Choice of the formulation, used in the toolbar and in the model panel."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.papers import cited
from snakestudio.viewmodel.scene.message_labels import refusal


class ModelBox(QComboBox):
    """Sets `model.kind` as one undo step; nothing else in the scene changes.

    Parameters
    ----------
    short : bool
        Whether to show the short names.
    """

    def __init__(
        self, document: Document, *, short: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self.problem = ""
        """Reason why the last choice failed; "" if it succeeded."""
        self._short = short
        self._offer_kinds()
        self.setAccessibleName("Model")
        if short:
            self.setFixedWidth(theme.scaled(156))
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        else:
            self.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._choose)
        document.scene_changed.connect(self._on_scene)
        document.kinds_changed.connect(self._on_kinds)
        self._on_scene(None, document.scene)

    def _offer_kinds(self) -> None:
        for index, (kind, info) in enumerate(FORMULATIONS.items()):
            self.addItem(info.short if self._short else cited(info.title), kind)
            self.setItemData(index, cited(info.help), Qt.ItemDataRole.ToolTipRole)

    def _on_kinds(self) -> None:
        self.clear()
        self._offer_kinds()
        self._on_scene(None, self._document.scene)

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        self.setCurrentIndex(self.findData(after.model.kind))
        info = FORMULATIONS[after.model.kind]
        # of a plug-in that is not loaded; Qt makes the box as wide as this text
        title = info.short if self._short else cited(info.title)
        self.setPlaceholderText("" if self.currentIndex() >= 0 else title)
        about = cited(f"<b>{info.title}</b>. {info.help}")
        self.setToolTip(
            f"<qt>Formulation of the dynamics: {about}<br>Switching keeps everything in the scene; during a run it "
            "takes effect after Reset.</qt>"
        )

    def _choose(self, index: int) -> None:
        kind = str(self.itemData(index))
        try:
            self._document.set_value("model.kind", kind, f"Model: {FORMULATIONS[kind].short}")
            self.problem = ""
        except SnakeStudioError as error:
            self.problem = refusal(error, self._document.scene)
        self.setCurrentIndex(self.findData(self._document.scene.model.kind))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
