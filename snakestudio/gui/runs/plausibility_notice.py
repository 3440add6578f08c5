"""Notice in the status bar that the shown run is not plausible; a click shows the time of each violation in turn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.model.plausibility import Plausibility
from snakestudio.model.run_time import run_time

_REFRESH_MS = 400


class PlausibilityNotice(QToolButton):
    """Button that is hidden while the shown run is plausible.

    Parameters
    ----------
    show_time : callable
        Shows the run at a time (s).
    """

    def __init__(
        self,
        session_controller: SessionController,
        show_time: Callable[[float], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._show_time = show_time
        self._result: Plausibility | None = None
        self._next = 0
        theme.set_role(self, "warning_link")
        self.clicked.connect(self._show_next)
        self.hide()
        self._timer = Delay(_REFRESH_MS, self.refresh, self)
        for signal in (
            session_controller.frame,
            session_controller.status_changed,
            session_controller.recording_changed,
            session_controller.source_changed,
        ):
            signal.connect(self._soon)
        self.refresh()

    def _soon(self) -> None:
        self._timer.request()

    def refresh(self) -> None:
        """Show the result of the run so far."""
        recording = self._session_controller.recording
        result: Plausibility | None = getattr(recording, "plausibility", None)
        if result == self._result:
            return
        self._result = result
        self._next = 0
        self.setVisible(result is not None and not result.plausible)
        if result is None:
            return
        self.setText(f"Not plausible: {result.summary}")
        lines = [f"{violation.text} {violation.remedy}" for violation in result.violations]
        self.setToolTip("\n".join([*lines, "Click to show the time of each in turn."]))

    def _show_next(self) -> None:
        violations = self._result.violations if self._result is not None else ()
        if not violations:
            return
        violation = violations[self._next % len(violations)]
        self._next += 1
        self._show_time(violation.time)
        self.setText(f"Not plausible: {violation.title} at {run_time(violation.time)}")
