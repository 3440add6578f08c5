"""Measured trials of a window: aligned and compared with its run in the background, and overlaid on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from snakestudio.analysis.experiment.alignment import Alignment, AlignmentOptions
from snakestudio.analysis.experiment.as_recording import CaptureRecording
from snakestudio.drawing.overlays import Ghost, MeasuredLine
from snakestudio.drawing.style import colour
from snakestudio.gui.analysis.comparison.background import BackgroundComparison
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.throttle import Throttle
from snakestudio.model.capture import Capture
from snakestudio.model.snapshot import Snapshot
from snakestudio.viewmodel.experiment import overlay
from snakestudio.viewmodel.experiment.compare import ComparedTrials, ShiftedRecording, compare
from snakestudio.viewmodel.experiment.motion import Motion
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.work import Progress

_FEWEST_ROWS = 20
"""Minimum number of rows of a run for a comparison."""

_REST_MS = 350
"""Delay between the last change of an offset and the new values."""

_FRAME_MS = 30
"""Minimum update interval of curves and legend while an offset is dragged."""


@dataclass(eq=False)
class LoadedTrial:
    """A measured trial, and its alignment with the run."""

    capture: Capture
    """Capture as read from its file."""

    number: int
    """0-based number in the order of loading, which determines the colour."""

    visible: bool = True
    alignment: Alignment | None = None
    """None until the trial is compared with a run."""

    by_hand: bool = False
    """Whether the user set the offset."""

    offset_s: float = 0.0
    """Shown time offset, s."""

    motion: Motion | None = None
    """Aligned capture, at the offset of the alignment."""

    source: ShiftedRecording | None = None
    """Aligned capture for the plots."""

    @property
    def shift(self) -> float:
        """Time by which the trial is shown later than aligned, s."""
        return 0.0 if self.alignment is None else self.offset_s - self.alignment.offset_s

    def lay(self, alignment: Alignment, aligned: CaptureRecording) -> None:
        """Set the alignment with a run."""
        self.alignment = alignment
        self.offset_s = alignment.offset_s
        self.motion = Motion(aligned.capture)
        self.source = ShiftedRecording(aligned)

    def move(self, offset_s: float) -> None:
        """Show the trial at another time offset, s."""
        self.offset_s = offset_s
        if self.source is not None:
            self.source.move(self.shift)

    def remove_alignment(self) -> None:
        """Remove the alignment."""
        self.alignment = None
        self.motion = None
        self.source = None


class Experiments(BackgroundComparison[ComparedTrials]):
    """All trials, their alignment and the values of the comparison.

    Parameters
    ----------
    session_controller : SessionController
        Its recording is compared with the trials.

    Signals
    -------
    changed()
        Trials were added or removed, or a comparison began, progressed or ended.
    shown_changed()
        The overlays on the run changed or moved.
    """

    shown_changed = Signal()

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(document, parent)
        self.trials: list[LoadedTrial] = []
        self.options = AlignmentOptions()
        self.current = 0
        """Index of the trial whose offset is shown in the panel."""
        self._session_controller = session_controller
        self._loaded = 0
        self._was_stale = False
        self._throttle = Throttle(_FRAME_MS, self.shown_changed.emit, self)
        self._rest = Delay(_REST_MS, self.compare, self)
        session_controller.finished.connect(self._on_finished)
        session_controller.recording_changed.connect(self._on_recording)
        session_controller.frame.connect(self._update_stale)
        theme.follow(self, Experiments._on_theme)

    # --- trials -----------------------------------------------------------------------------------

    def add(self, captures: Iterable[Capture]) -> None:
        """Add trials, and compare them if there is a run."""
        self._stop()
        for capture in captures:
            self.trials.append(LoadedTrial(capture, self._loaded))
            self._loaded += 1
        self.current = max(0, len(self.trials) - 1)
        self.message = ""
        self.changed.emit()
        self.compare()

    def remove(self, index: int) -> None:
        """Remove a trial."""
        self._stop()
        del self.trials[index]
        self.current = max(0, min(self.current, len(self.trials) - 1))
        self._loaded = self._loaded if self.trials else 0
        self.comparison = None
        self.message = ""
        self.changed.emit()
        self.shown_changed.emit()
        self.compare()

    def remove_all(self) -> None:
        """Remove all trials."""
        self.trials = []
        self.current = 0
        self._loaded = 0
        self._rest.stop()
        super().clear()
        self.shown_changed.emit()

    def show(self, index: int, visible: bool) -> None:
        """Show or hide a trial over the run."""
        if self.trials[index].visible != visible:
            self.trials[index].visible = visible
            self.changed.emit()
            self.shown_changed.emit()

    def choose(self, index: int) -> None:
        """Show the offset of another trial in the panel."""
        if index != self.current:
            self.current = index
            self.changed.emit()

    # --- alignment --------------------------------------------------------------------------------

    def set_options(self, **values: Any) -> None:
        """Change alignment options, and compare again."""
        options = replace(self.options, **values)
        if options != self.options:
            self.options = options
            self.changed.emit()
            self.compare()

    def shift_to(self, offset_s: float) -> None:
        """Set the time offset of the current trial: the trial moves immediately, its values follow after a delay."""
        trial = self.trials[self.current]
        if offset_s == trial.offset_s and trial.by_hand:
            return
        trial.by_hand = True
        trial.move(offset_s)
        self._throttle.request()
        self._rest.start()

    def find(self) -> None:
        """Estimate the offset of the current trial in the search range instead of using the user's."""
        if self.trials:
            self.trials[self.current].by_hand = False
            self.compare()

    # --- comparing --------------------------------------------------------------------------------

    @property
    def possible(self) -> bool:
        """Whether there are trials, and a run long enough for a comparison."""
        recording = self._session_controller.recording
        return bool(self.trials) and recording is not None and len(recording) >= _FEWEST_ROWS

    def compare(self) -> None:
        """Align the trials with the run so far and recompute the values, in the background."""
        recording = self._session_controller.recording
        self._rest.stop()
        if not self.possible or recording is None:
            return
        self._stop()
        captures = [trial.capture for trial in self.trials]
        options = self.options
        offsets = [trial.offset_s if trial.by_hand else None for trial in self.trials]

        def work(progress: Progress) -> ComparedTrials | None:
            return compare(recording, captures, offsets, options, progress)

        self._begin(work)

    def _stop(self) -> None:
        """Discard the comparison in progress, which is of other trials or another alignment."""
        if self.busy:
            self.cancel()
            self.message = ""

    def _ended(self) -> None:
        result = self.comparison
        if result is None:
            return
        for trial, compared, aligned in zip(
            self.trials, result.comparison.trials, result.recordings, strict=True
        ):
            # An offset that was dragged in the meantime stays.
            at = trial.offset_s
            moving = self._rest.isActive() and trial.by_hand
            trial.lay(compared.alignment, aligned)
            if moving:
                trial.move(at)
        self._was_stale = self.stale != ""
        self.shown_changed.emit()

    @property
    def stale(self) -> str:
        """Reason why the values do not match the shown run, as a sentence; empty if they do."""
        if self.comparison is None:
            return ""
        recording = self._session_controller.recording
        if recording is not self.comparison.recording:
            return "These values are for an earlier run. Compare again."
        if len(self.comparison.recording) > self.comparison.rows:
            return "The run has continued since. Compare again to include all of it."
        return ""

    def _update_stale(self) -> None:
        stale = self.stale != ""
        if stale != self._was_stale:
            self._was_stale = stale
            self.changed.emit()

    def _on_finished(self) -> None:
        self.compare()

    def _on_recording(self) -> None:
        """Show another run; a complete one, such as one from a file, is compared immediately."""
        self.compare()
        self.changed.emit()
        self.shown_changed.emit()

    def clear(self) -> None:
        """Cancel the task in progress; the trials stay, without alignment until there is another run."""
        for trial in self.trials:
            trial.remove_alignment()
        self._rest.stop()
        super().clear()
        self.shown_changed.emit()

    def close(self) -> None:
        """Cancel the task in progress and wait for its end; call before the program quits."""
        self._rest.stop()
        super().close()

    # --- overlays --------------------------------------------------------------------------------

    @property
    def _seen_trials(self) -> list[tuple[LoadedTrial, Motion]]:
        return [
            (trial, trial.motion)
            for trial in self.trials
            if trial.visible and trial.motion is not None
        ]

    def overlaid(self) -> list[OverlaidRun]:
        """Trials for the plots."""
        return [
            OverlaidRun(trial.capture.name, trial_colour(trial.number), trial.source)
            for trial in self.trials
            if trial.visible and trial.source is not None
        ]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Whole robots of the trials at a time (s), where they are known."""
        scene = self._document.scene
        if not scene.body.jointed:
            return ()
        ghosts = [
            overlay.ghost(
                motion, time - trial.shift, scene.robot, colour(trial_colour(trial.number))
            )
            for trial, motion in self._seen_trials
        ]
        return tuple(ghost for ghost in ghosts if ghost is not None)

    def tracks(self, snapshot: Snapshot) -> tuple[MeasuredLine, ...]:
        """Tracks of the trials, the robots' positions, and their distance from the run."""
        body = self._document.scene.body
        # on the robot's back
        heading = body.pointer
        lift = 1.1 * body.radius
        error = theme.render_theme().text
        tracks: list[MeasuredLine] = []
        for trial, motion in self._seen_trials:
            assert trial.alignment is not None
            colours = colour(trial_colour(trial.number)), error
            at = snapshot.time - trial.shift
            tracks += overlay.trial_tracks(
                motion, at, snapshot, trial.alignment.pairs, colours, heading, lift
            )
        return tuple(tracks)

    def names(self, time: float) -> list[tuple[str, str]]:
        """Colours and texts of the trials at a time (s) for the viewport's legend, with their distances."""
        snapshot = self._session_controller.displayed
        entries = []
        for trial, motion in self._seen_trials:
            assert trial.alignment is not None
            off = None
            if snapshot is not None:
                off = overlay.distance(motion, time - trial.shift, snapshot, trial.alignment.pairs)
            text = trial.capture.name
            if off is not None:
                text += f" · {1000 * off:.0f} mm off"
            elif motion.at(time - trial.shift) is None:
                text += " · no data at this time"
            entries.append((trial_colour(trial.number), text))
        return entries

    def _on_theme(self) -> None:
        """Show new colours of the trials."""
        self.changed.emit()
        self.shown_changed.emit()
