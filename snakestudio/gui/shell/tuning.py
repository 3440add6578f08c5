"""Measures beside the window what code for this very processor would gain, and says once that there is such a thing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio import processor
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.banner import Banner
from snakestudio.session import tuning
from snakestudio.session.status import State, Status
from snakestudio.session.time_left import percent, time_left
from snakestudio.session.tuning import CASES, Stage, Timing
from snakestudio.viewmodel.work import Progress

__all__ = ["CANCELLED", "Tuner", "TuningOffer"]

CANCELLED = "The measurement was cancelled."

_KEY = "tuning/told"
_ROBOT = "A robot is connected, and measuring takes the processors that its link needs: disconnect it to measure."

Measure = Callable[[Callable[[Stage], bool]], tuple[Timing, ...] | None]


class Tuner(QObject):
    """Whether this very processor is computed for, and what that would gain.

    Parameters
    ----------
    settings : QSettings
        Keeps whether somebody has been told that there is such a thing.
    robot : callable
        Whether a robot is connected: nothing is measured beside one.
    occupied : callable
        Why this is no moment to measure, in a sentence; empty if it is one.
    measure : callable, optional
        What measures; see `snakestudio.session.tuning.measure`.

    Signals
    -------
    began()
        It is measured from now on.
    changed()
        Measuring began, went on or ended, or the choice is another one.
    """

    began = Signal()
    changed = Signal()

    def __init__(
        self,
        settings: QSettings,
        robot: Callable[[], bool],
        occupied: Callable[[], str] = str,
        measure: Measure = tuning.measure,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._robot, self._occupied, self._measure = settings, robot, occupied, measure
        self._task: Task[tuple[Timing, ...]] | None = None
        self._stage: Stage | None = None
        self.timings: tuple[Timing, ...] = tuple(Timing(case) for case in CASES)
        """What is known so far."""
        self.message = ""
        """What came of the last measurement or choice where it is no result, in a sentence."""
        self.measured = False
        """Whether `timings` are those of a whole measurement."""

    # --- measuring ------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether it is measured."""
        return self._task is not None

    @property
    def fraction(self) -> float:
        """How much of that is done."""
        return 0.0 if self._stage is None else self._stage.fraction

    @property
    def doing(self) -> str:
        """What is being done, how far that is and how long it takes; empty while nothing is."""
        if self._task is None:
            return ""
        if self._stage is None:
            return "Measuring ..."
        return f"{self._stage.doing}: {percent(self._stage.fraction)}, {time_left(self._stage.seconds_left)}"

    @property
    def why_not(self) -> str:
        """Why nothing can be measured now, in a sentence; empty if it can."""
        return tuning.why_not_measure() or (_ROBOT if self._robot() else self._occupied())

    def start(self) -> None:
        """Measure."""
        if self.busy or self.why_not:
            return
        self.timings, self.message, self.measured = tuple(Timing(case) for case in CASES), "", False
        self._stage = None

        def work(progress: Progress) -> tuple[Timing, ...] | None:
            def tell(stage: Stage) -> bool:
                self._stage = stage
                return progress(stage.fraction)

            return self._measure(tell)

        self._task = Task("measurement", work, self)
        self._task.progressed.connect(lambda fraction: self._on_progressed())
        self._task.finished.connect(lambda timings: self._end(timings, ""))
        self._task.failed.connect(lambda problem: self._end(None, problem.sentence()))
        self.began.emit()
        self.changed.emit()

    def cancel(self, message: str = CANCELLED) -> None:
        """Stop; what was measured until then stays to be seen."""
        if self._task is None:
            return
        self._task.discard()
        self._task, self.message = None, message
        self.changed.emit()

    def look(self) -> None:
        """Stop beside a robot; say that things are otherwise."""
        if self.busy and self._robot():
            self.cancel(f"The measurement was stopped. {_ROBOT}")
        else:
            self.changed.emit()

    def close(self) -> None:
        """Stop and wait for the end; call before the program quits."""
        self.cancel()
        close_tasks(self)

    def _on_progressed(self) -> None:
        if self._stage is not None:
            self.timings = self._stage.timings
        self.changed.emit()

    def _end(self, timings: tuple[Timing, ...] | None, message: str) -> None:
        self._task = None
        self.message = message
        if timings is not None:
            self.timings, self.measured = timings, True
        elif self._stage is not None:
            self.timings = self._stage.timings
        self.changed.emit()

    # --- choosing -------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> bool:
        """Whether this very processor is computed for from the next start on."""
        return processor.chosen()

    def choose(self, on: bool) -> None:
        """Compute for this very processor from the next start on, or for the baseline again."""
        try:
            tuning.switch(on)
            self.message = ""
        except SnakeStudioError as error:
            self.message = str(error)
        self.changed.emit()

    # --- saying it ------------------------------------------------------------------------------------------------

    @property
    def to_be_told(self) -> bool:
        """Whether code for this very processor may be faster and nobody has been told so."""
        return (
            processor.has_wider_vectors()
            and not processor.target().tuned
            and not processor.chosen()
            and not self._settings.value(_KEY, False, bool)
            and not processor.was_told()
        )

    def note_told(self) -> None:
        """It has been said, and is not said again."""
        self._settings.setValue(_KEY, True)
        with contextlib.suppress(OSError):
            processor.note_told()


class TuningOffer(QObject):
    """Says once, when the first run stands, that code for this very processor may be faster.

    Parameters
    ----------
    tuner : Tuner
    bridge : SessionController
    banner : Banner
        Where it is said, unless something else is said there: then after the next run.
    robot : callable
        Whether a robot is connected: it is not said beside one.
    show : callable
        Brings up the window where it is measured and chosen.
    """

    def __init__(
        self,
        tuner: Tuner,
        bridge: SessionController,
        banner: Banner,
        robot: Callable[[], bool],
        show: Callable[[], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tuner, self._banner, self._robot, self._show = tuner, banner, robot, show
        self._before: State = bridge.status.state
        bridge.status_changed.connect(self._on_status)

    def _on_status(self, status: Status) -> None:
        before, self._before = self._before, status.state
        if before != "running" or status.state not in ("paused", "finished"):
            return
        if self._banner.text or self._robot() or not self._tuner.to_be_told:
            return
        self._tuner.note_told()
        self._banner.say("info", tuning.OFFER, [("Tune ...", self._open)])

    def _open(self) -> None:
        self._banner.clear()
        self._show()
