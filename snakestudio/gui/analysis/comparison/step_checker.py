"""Checks the time step of the window's scene, or of a point of a study, in the background."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from snakestudio.analysis.comparison.step_size import StepCheck, check_step_size
from snakestudio.errors import SceneError
from snakestudio.gui.analysis.comparison.background import BackgroundComparison
from snakestudio.gui.core.document import Document
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_hash
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.plausibility.monitor import plausibility_of
from snakestudio.runfile.mcap import RunFile
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.viewmodel.scene.items import refusal_text
from snakestudio.viewmodel.work import Progress


@dataclass(frozen=True, slots=True)
class Subject:
    """Scene to check."""

    scene: Scene
    base_dir: Path | None
    name: str
    own: bool
    """Whether the scene is that of the window; otherwise it is a point of a study."""


class StepChecker(BackgroundComparison[StepCheck]):
    """The check of one scene at a time, and the estimates of all scenes checked since the program started.

    Signals
    -------
    changed()
        The check began, progressed, ended or was cleared, or the scene was edited.
    finished()
        There is a result, or a message why not.
    """

    finished = Signal()

    subject_name = "check"

    def __init__(
        self,
        document: Document,
        parent: QObject | None = None,
        preparations: EngineCompiler | None = None,
    ) -> None:
        super().__init__(document, parent, preparations)
        self.subject: Subject | None = None
        self._estimates: dict[str, StepEstimate] = {}
        document.scene_changed.connect(lambda before, after: self.changed.emit())

    @property
    def progress_text(self) -> str:
        """Current action and progress."""
        return self.preparing or f"Running the scene with finer steps: {100 * self.fraction:.0f} %"

    @property
    def stale(self) -> bool:
        """Whether the window's scene has been edited since it was checked."""
        return (
            self.subject is not None
            and self.subject.own
            and self._document.scene != self.subject.scene
        )

    @property
    def of_window(self) -> bool:
        """Whether the last check is of the window's scene."""
        return self.subject is not None and self.subject.own

    @property
    def applied(self) -> bool:
        """Whether the window's scene is the checked one with the proposed values."""
        check = self.comparison
        subject = self.subject
        if check is None or not check.proposal or subject is None or not subject.own:
            return False
        return self._document.scene == with_values(subject.scene, check.proposal)

    @property
    def can_apply(self) -> bool:
        """Whether there are values that can be applied to the window's scene."""
        return (
            self.comparison is not None
            and bool(self.comparison.proposal)
            and self.subject is not None
            and self.subject.own
            and not self.stale
        )

    def start(self) -> None:
        """Check the window's scene as it is now."""
        document = self._document
        self.check(Subject(document.scene, document.base_dir, document.title, own=True))

    def restart(self) -> None:
        """Check again: the current scene of the window, or the same point of the study."""
        if self.subject is None or self.subject.own:
            self.start()
        else:
            self.check(self.subject)

    def check(self, subject: Subject) -> None:
        """Check a scene; a check in progress is cancelled."""
        self.clear()
        self.subject = subject

        def work(progress: Progress) -> StepCheck | None:
            if not self._prepare([subject.scene.model.kind], progress):
                return None
            return check_step_size(subject.scene, subject.base_dir, progress=progress, gently=True)

        self._begin(work)

    def apply(self) -> None:
        """Apply the proposed values to the window's scene as one undo step."""
        if not self.can_apply:
            return
        values = self.comparison.proposal if self.comparison is not None else None
        try:
            scene = with_values(self._document.scene, values or {})
        except SceneError as error:
            self.message = refusal_text(error, self._document.scene)
            self.changed.emit()
        else:
            self._document.edit(scene, "Time step for errors of 1 %")

    def annotate(self, recording: Recording | None) -> None:
        """Add the estimate of its scene to a recording, if checked; files written from the recording contain it."""
        if self._estimates and isinstance(recording, RunRecording | RunFile):
            estimate = self._estimates.get(scene_hash(recording.scene))
            if estimate is not None:
                recording.set_step_estimate(estimate)
                if recording.checked_rows == len(recording) > 0:
                    recording.set_plausibility(plausibility_of(recording))

    def _ended(self) -> None:
        estimate = self.comparison.estimate if self.comparison is not None else None
        if estimate is not None:
            self._estimates[estimate.scene_sha256] = estimate
        self.finished.emit()
