"""Holds chains of links against the window's continuous body, beside the window, and shows one of them as a ghost."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from snakestudio.gui.document import Document
from snakestudio.gui.job import Job, Progress
from snakestudio.model.discretise import links_of
from snakestudio.model.scene import Scene
from snakestudio.model.support import Friction
from snakestudio.render.overlays import Ghost
from snakestudio.session.chain_comparison import compare_chain
from snakestudio.session.chain_data import ChainComparison, ChainProfile
from snakestudio.session.preparation import prepare

__all__ = ["ChainComparer"]

COUNTS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
FREE_COUNTS = (4, 8, 12, 16, 24, 32, 48)
"""Numbers of links that are looked at; those that friction moves have to be run, which takes its time."""

_OPACITY = 0.5


class ChainComparer(QObject):
    """The chains beside the body of the window's scene.

    Parameters
    ----------
    document : Document

    Signals
    -------
    changed()
        It began, went on, ended or was cleared, the scene was edited, or another chain was chosen.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._job: Job[ChainComparison] | None = None
        self._ending: list[Job[ChainComparison]] = []
        self._scene: Scene | None = None
        self._chosen = 0
        self.shown = False
        """Whether the chosen chain is to be seen in the viewport."""
        self.comparison: ChainComparison | None = None
        self.message = ""
        """Why there is no result, in a sentence; empty if there is nothing to say."""
        self.scene_file: str | None = None
        """Name of the file the scene came from."""
        self._timer = QTimer(self)
        self._timer.setInterval(60)
        self._timer.timeout.connect(self._watch)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self.clear)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of links that there are, or will be."""
        if self.comparison is not None:
            return self.comparison.links
        return FREE_COUNTS if isinstance(self._document.scene.support, Friction) else COUNTS

    @property
    def busy(self) -> bool:
        """Whether chains are being looked at."""
        return self._job is not None

    @property
    def fraction(self) -> float:
        """How much of that is done."""
        return 0.0 if self._job is None else self._job.fraction

    @property
    def stale(self) -> bool:
        """Whether the scene has been edited since."""
        return self.comparison is not None and self._document.scene != self._scene

    def start(self, time: float) -> None:
        """Hold chains of all numbers of links against the body at `time` (s)."""
        if self.busy:
            return
        self.clear()
        scene, folder, counts = self._document.scene, self._document.base_dir, self.counts
        self._scene = scene
        self.scene_file = self._document.path.name if self._document.path is not None else None
        kinds = ["continuum_beam", *(["planar_lagrangian"] if isinstance(scene.support, Friction) else [])]

        def work(progress: Progress) -> ChainComparison | None:
            if not prepare(kinds, lambda kind, fraction: progress(fraction)):
                return None
            return compare_chain(scene, counts, (time,), folder, progress)

        self._job = Job("comparison", work)
        self._timer.start()
        self.changed.emit()

    def cancel(self) -> None:
        """Stop; there is no result then."""
        if self._job is None:
            return
        self._timer.stop()
        self._job.cancel()
        self._ending = [job for job in (*self._ending, self._job) if job.running]
        self._job = None
        self.message = "The comparison was cancelled."
        self.changed.emit()

    def clear(self) -> None:
        """Stop what is under way and take the last result away."""
        self.cancel()
        self.comparison, self.message = None, ""
        self.changed.emit()

    def close(self) -> None:
        """Stop what is under way and wait for its end; call before the program quits."""
        self.cancel()
        for job in self._ending:
            job.wait()

    def _watch(self) -> None:
        job = self._job
        if job is not None and not job.running:
            self._timer.stop()
            self._job = None
            self.comparison, self.message = job.result, job.error
            if job.result is not None and not 0 < self._chosen < len(job.result.links):
                self._chosen = min(4, len(job.result.links) - 1)
        self.changed.emit()

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        self.changed.emit()

    # --- the chosen chain -----------------------------------------------------------------------------------------

    @property
    def chosen(self) -> int:
        """Index in `counts` of the chain that is looked at."""
        return min(self._chosen, len(self.counts) - 1)

    def choose(self, index: int) -> None:
        """Look at another chain."""
        self._chosen = index
        self.changed.emit()

    @property
    def profile(self) -> ChainProfile | None:
        """What there is of the chosen chain."""
        return None if self.comparison is None else self.comparison.profiles[self.chosen][0]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """The chosen chain for the viewport, at the instant it was looked at."""
        profile, scene = self.profile, self._scene
        if not self.shown or self.stale or profile is None or scene is None:
            return ()
        if abs(time - profile.time) > 0.6 / scene.run.log_rate_hz:
            return ()
        return (Ghost(profile.pose, None, _OPACITY, links_of(scene.beam, profile.links), None),)
