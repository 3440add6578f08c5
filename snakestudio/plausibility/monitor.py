"""Checks the plausibility of a run while it is recorded, or afterwards."""

from __future__ import annotations

from pathlib import Path

from snakestudio.model.plausibility import Plausibility, Violation
from snakestudio.model.recording import Recording, Rows
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.plausibility.block import Block, Drive, RunContext
from snakestudio.plausibility.checks import CHECKS
from snakestudio.plausibility.detector import Exceedance
from snakestudio.plausibility.solver import step_exceedance
from snakestudio.text import sentence

_STEP = "step"
"""Name of the check that can be made after the run."""

BLOCK_ROWS = 512
"""Number of rows that are checked together; blocks start at multiples of it, so that the result does not depend
on when `update` was called."""


class PlausibilityMonitor:
    """Plausibility of a recording that can grow; each row is read once.

    Parameters
    ----------
    base_dir : path, optional
        Folder of the relative paths in the scene, to find the files of obstacles.
    """

    def __init__(self, recording: Recording, base_dir: Path | None = None) -> None:
        self.recording = recording
        context = RunContext(
            recording.scene,
            recording.schema,
            recording.scene_at,
            base_dir,
            lambda: getattr(recording, "step_estimate", None),
        )
        self._context = context
        self._drive = Drive(context)
        self._detectors = {
            name: detector
            for name, check in CHECKS.items()
            if context.consistent
            and check.needs in context.schema.valid
            and (detector := check.detector(context)) is not None
        }
        self.count = 0
        """Number of rows checked so far."""
        self._before: Rows | None = None

    def update(self, *, complete: bool = False) -> bool:
        """Check the rows that were added since the last call; return False if there are none to check yet.

        Parameters
        ----------
        complete : bool
            Whether to include the rows of an incomplete block, because no more rows are expected.
        """
        stop = len(self.recording)
        if not complete:
            stop -= stop % BLOCK_ROWS
        if stop <= self.count:
            return False
        while self.count < stop:
            end = min(stop, self.count + BLOCK_ROWS - self.count % BLOCK_ROWS)
            rows = self.recording.rows(self.count, end)
            block = Block(self._context, rows, self._before)
            if self._detectors:
                self._drive.feed(block)
            for detector in self._detectors.values():
                detector.feed(block)
            self._before = rows.slice(len(rows) - 1, len(rows))
            self.count = end
        return True

    @property
    def result(self) -> Plausibility:
        """Result for the rows checked so far."""
        violations = []
        for name, detector in self._detectors.items():
            exceedance = detector.exceedance(self._drive) if self.count else None
            if exceedance is not None:
                violations.append(_violation(name, exceedance))
        return Plausibility(tuple(violations), tuple(self._detectors))


def _violation(name: str, exceedance: Exceedance) -> Violation:
    check = CHECKS[name]
    return Violation(
        name,
        check.title,
        exceedance.time,
        exceedance.value,
        exceedance.limit,
        sentence(exceedance.text),
        exceedance.remedy or check.remedy,
    )


def check_plausibility(recording: Recording, base_dir: Path | None = None) -> Plausibility:
    """Check all rows of a recording."""
    monitor = PlausibilityMonitor(recording, base_dir)
    monitor.update(complete=True)
    return monitor.result


def plausibility_of(recording: Recording, base_dir: Path | None = None) -> Plausibility:
    """Return the stored result of a recording, or a new check of its rows if there is none for all of them.

    A check of the time step that was made after the run is included.
    """
    stored: Plausibility | None = getattr(recording, "plausibility", None)
    if stored is None or getattr(recording, "checked_rows", 0) < len(recording):
        return check_plausibility(recording, base_dir)
    estimate: StepEstimate | None = getattr(recording, "step_estimate", None)
    step = step_exceedance(estimate, float(recording.times[-1]))
    others = tuple(each for each in stored.violations if each.check != _STEP)
    added = () if step is None else (_violation(_STEP, step),)
    return Plausibility((*others, *added), stored.checked)
