"""Fits the window's scene in the background, and overlays the result on the run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from snakestudio.analysis.fitting import FitProgress, FitResult, FreeParameter, Trial, fit, trial_of
from snakestudio.drawing.overlays import Ghost
from snakestudio.drawing.style import colour
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.analysis.comparison.background import BackgroundComparison
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import BEFORE, FITTED, fit_colour
from snakestudio.model.capture import Capture
from snakestudio.model.scene import Scene
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.study.fit_pool import FitPool
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.scene.items import refusal_text
from snakestudio.viewmodel.work import Progress

_OPACITY = 0.45

Fit = Callable[..., FitResult | None]
_fit: Fit = partial(fit, pool=FitPool)


class Fitter(BackgroundComparison[FitResult]):
    """Fit of the window's scene.

    Parameters
    ----------
    fit : callable
        Fit function, see `analysis.fitting.fit`.

    Signals
    -------
    changed()
        The fit began, progressed, ended or was cleared, or the scene was edited.
    shown_changed()
        Both runs are shown over that of the window, or are hidden.
    """

    shown_changed = Signal()

    def __init__(
        self,
        document: Document,
        parent: QObject | None = None,
        fit: Fit = _fit,
        preparations: EngineCompiler | None = None,
    ) -> None:
        super().__init__(document, parent, preparations)
        self.fit = fit
        self._stop = threading.Event()
        self._scene: Scene | None = None
        self.progress: FitProgress | None = None
        """Progress of the fit, or its last progress after the end."""
        self._is_visible = False
        document.scene_changed.connect(self._on_scene)
        theme.follow(self, lambda fitter: fitter.shown_changed.emit())  # colours of both runs

    # --- running ----------------------------------------------------------------------------------

    def start(
        self,
        captures: Sequence[Capture],
        parameters: Sequence[FreeParameter],
        method: str,
        offset_bounds_s: tuple[float, float],
        align: bool,
    ) -> None:
        """Fit the current scene to measurements."""
        if self.busy:
            return
        self.clear()
        self._stop = stop = threading.Event()
        scene = self._document.scene
        folder = self._document.base_dir
        self._scene = scene
        try:
            trials = [
                trial_of(capture, scene, folder, offset_bounds_s, align) for capture in captures
            ]
        except SnakeStudioError as error:
            self.message = refusal_text(error, scene)
            self.changed.emit()
            return
        self._begin(lambda progress: self._work(progress, stop, trials, parameters, method))

    def _work(
        self,
        progress: Progress,
        stop: threading.Event,
        trials: Sequence[Trial],
        parameters: Sequence[FreeParameter],
        method: str,
    ) -> FitResult | None:
        fraction = 0.0

        def on_progress(now: FitProgress) -> bool:
            nonlocal fraction
            self.progress = now
            fraction = now.fraction
            progress(fraction)
            return not stop.is_set()

        kinds = {trial.scene.model.kind for trial in trials}
        if not self._prepare(sorted(kinds), progress):
            return None
        return self.fit(
            trials,
            parameters,
            method,
            progress=on_progress,
            abandoned=lambda: not progress(fraction),
        )

    def stop(self) -> None:
        """Stop the search; the best values so far are the result."""
        self._stop.set()
        self.changed.emit()

    @property
    def stopping(self) -> bool:
        """Whether a stop was requested and the fit has not ended yet."""
        return self.busy and self._stop.is_set()

    def cancel(self) -> None:
        """Cancel the fit without a result."""
        under_way = self.busy
        super().cancel()
        if under_way:
            self.message = "The fit was cancelled."

    def clear(self) -> None:
        """Cancel the fit and discard the last result."""
        had = self._is_visible
        self._is_visible = False
        self.progress = None
        super().clear()
        if had:
            self.shown_changed.emit()

    # --- the result -------------------------------------------------------------------------------

    @property
    def stale(self) -> bool:
        """Whether the scene has changed since, other than by the fitted values."""
        result = self.comparison
        if result is None or self._scene is None:
            return False
        return not self.applied and self._document.scene != self._scene

    @property
    def applied(self) -> bool:
        """Whether the scene has the fitted values."""
        result = self.comparison
        return result is not None and result.fitted(self._document.scene) == self._document.scene

    def apply(self) -> None:
        """Apply the fitted values to the scene as one undo step."""
        if self.comparison is not None:
            self._document.edit(self.comparison.fitted(self._document.scene), "Apply fitted values")

    @property
    def visible(self) -> bool:
        """Whether the runs before and after the fit are shown over that of the window."""
        return self._is_visible and self.comparison is not None

    def show(self, on: bool) -> None:
        """Show or hide the runs before and after the fit over that of the window."""
        if on != self._is_visible:
            self._is_visible = on
            self.shown_changed.emit()
            self.changed.emit()

    def _on_scene(self, before: Scene, after: Scene) -> None:
        self.changed.emit()

    def overlaid(self) -> list[OverlaidRun]:
        """Return both runs for the plots."""
        result = self.comparison
        if result is None or not self._is_visible:
            return []
        return [
            OverlaidRun(BEFORE, fit_colour(BEFORE), result.before),
            OverlaidRun(FITTED, fit_colour(FITTED), result.after),
        ]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Return both runs at a time (s) for the viewport."""
        result = self.comparison
        if result is None or not self._is_visible:
            return ()
        ghosts = []
        for recording, name in ((result.before, BEFORE), (result.after, FITTED)):
            if time > float(recording.times[-1]) + 0.5 / recording.scene.run.log_rate_hz:
                continue
            row = recording.index_at(time)
            pose = recording.rows(row, row + 1).link_pose[0]
            ghosts.append(Ghost(pose, colour(fit_colour(name)), _OPACITY, recording.scene.body))
        return tuple(ghosts)

    def names(self, time: float) -> list[tuple[str, str]]:
        """Return the colours and texts of both runs for the viewport's legend."""
        return [(run.colour, run.name) for run in self.overlaid()]
