"""The first start: the gallery, then the guided tour, each once and never again unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["welcome"]

_GALLERY_SEEN, _TOUR_SEEN = "welcome/gallery_seen", "welcome/tour_seen"


def welcome(window: MainWindow) -> None:
    """Show a new user the gallery and then the tour; somebody who has seen them is left alone."""
    settings = window.settings
    if settings.value(_GALLERY_SEEN, False, type=bool):
        return
    settings.setValue(_GALLERY_SEEN, True)

    def lead_on() -> None:
        if not settings.value(_TOUR_SEEN, False, type=bool):
            settings.setValue(_TOUR_SEEN, True)
            # Not before the scene that was chosen stands in the window.
            QTimer.singleShot(0, window, window.guides.tour)

    window.guides.gallery().closed.connect(lead_on)
