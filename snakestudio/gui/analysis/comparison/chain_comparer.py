"""Compares chains of links with the window's continuous body, in the background, and shows one of them as a ghost."""

from __future__ import annotations

from PySide6.QtCore import QObject

from snakestudio.analysis.comparison.chain_data import ChainComparison, ChainProfile
from snakestudio.analysis.comparison.chains import compare_chain
from snakestudio.analysis.comparison.models import chosen_kinds
from snakestudio.drawing.overlays import Ghost
from snakestudio.gui.analysis.comparison.background import BackgroundComparison
from snakestudio.gui.core.document import Document
from snakestudio.model.body import ChainBody
from snakestudio.model.robot.discretise import links_of
from snakestudio.model.scene import Scene
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.work import Progress

COUNTS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
FREE_COUNTS = (4, 8, 12, 16, 24, 32, 48)
"""Numbers of links to compare; chains that friction moves must be simulated, which takes longer."""

_OPACITY = 0.5


class ChainComparer(BackgroundComparison[ChainComparison]):
    """Comparison of chains with the body of the window's scene.

    Signals
    -------
    changed()
        The comparison began, progressed, ended or was cleared, the scene was edited, or another chain was
    """

    def __init__(
        self,
        document: Document,
        parent: QObject | None = None,
        preparations: EngineCompiler | None = None,
    ) -> None:
        super().__init__(document, parent, preparations)
        self._scene: Scene | None = None
        self._chosen = 0
        self._is_visible = False
        document.scene_changed.connect(self._on_scene)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of links that are or will be compared."""
        if self.comparison is not None:
            return self.comparison.links
        return COUNTS if self._document.scene.support.kinematic else FREE_COUNTS

    @property
    def stale(self) -> bool:
        """Whether the scene has been edited since."""
        return self.comparison is not None and self._document.scene != self._scene

    def start(self, time: float) -> None:
        """Compare chains of all numbers of links with the body at `time` (s)."""
        if self.busy:
            return
        self.clear()
        scene = self._document.scene
        folder = self._document.base_dir
        counts = self.counts
        self._scene = scene
        kinds = chosen_kinds(scene)

        def work(progress: Progress) -> ChainComparison | None:
            if not self._prepare(kinds, progress):
                return None
            return compare_chain(scene, counts, (time,), folder, progress)

        self._begin(work)

    def _ended(self) -> None:
        if self.comparison is not None and not 0 < self._chosen < len(self.comparison.links):
            self._chosen = min(4, len(self.comparison.links) - 1)

    def _on_scene(self, before: Scene, after: Scene) -> None:
        self.changed.emit()

    # --- the chosen chain -------------------------------------------------------------------------

    @property
    def chosen(self) -> int:
        """Index in `counts` of the chosen chain."""
        return min(self._chosen, len(self.counts) - 1)

    def choose(self, index: int) -> None:
        """Choose another chain."""
        self._chosen = index
        self.changed.emit()

    def show(self, on: bool) -> None:
        """Show the chosen chain in the viewport, or hide it."""
        self._is_visible = on
        self.changed.emit()

    @property
    def profile(self) -> ChainProfile | None:
        """Profile of the chosen chain."""
        return None if self.comparison is None else self.comparison.profiles[self.chosen][0]

    def overlaid(self) -> list[OverlaidRun]:
        """Return no runs: a chain has torques to show, not a run."""
        return []

    def names(self, time: float) -> list[tuple[str, str]]:
        """Return no names: the dialog explains the ghost."""
        return []

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Return the chosen chain for the viewport, at the compared time."""
        profile = self.profile
        scene = self._scene
        if not self._is_visible or self.stale or profile is None or scene is None:
            return ()
        if abs(time - profile.time) > 0.6 / scene.run.log_rate_hz:
            return ()
        return (
            Ghost(profile.pose, None, _OPACITY, ChainBody(links_of(scene.beam, profile.links))),
        )
