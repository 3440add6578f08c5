"""Measured tracks of a real robot beside a run: read, laid over, compared, reported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snakestudio.analysis.experiment.alignment import AlignmentOptions
from snakestudio.analysis.experiment.comparison import ExperimentComparison
from snakestudio.analysis.experiment.comparison import compare_experiment as compare
from snakestudio.analysis.experiment.importing import read_capture
from snakestudio.analysis.experiment.layout import Layout, load_layout
from snakestudio.api.reporting import Reporting
from snakestudio.api.running import Run, load_run
from snakestudio.export.experiment_report import experiment_report
from snakestudio.export.report import Report
from snakestudio.model.arguments import path_of
from snakestudio.model.capture import Capture
from snakestudio.model.recording import Recording

_MEASURED = "captures or file names (str or Path)"


class ExperimentReport(Reporting):
    """A run beside an experiment; `print` it for the tables.

    Attributes
    ----------
    data : ExperimentComparison
        Everything as arrays and figures.
    scene_file : str or None
        Name of the file the scene came from.
    """

    def __init__(
        self,
        data: ExperimentComparison,
        scene_file: str | None = None,
        base_dir: Path | None = None,
    ) -> None:
        self.data = data
        self.scene_file = scene_file
        self._base_dir = base_dir

    def report(self) -> Report:
        """The comparison as a report; its CSV has both tracks and their errors over time."""
        return experiment_report(self.data, self.scene_file, self._base_dir)


def load_experiment(path: str | Path, layout: Layout | str | Path | None = None) -> Capture:
    """Read a measurement: CSV, TSV, TRC or C3D.

    Raises `ExperimentError`: saying what is wrong and what to do.

    Parameters
    ----------
    layout : Layout or path of a TOML file, optional
        How a table is to be read; guessed if left out.
    """
    source = path_of("path", path)
    if layout is None or isinstance(layout, Layout):
        return read_capture(source, layout)
    return read_capture(
        source, load_layout(path_of("layout", layout, "a Layout or a file name (str or Path)"))
    )


def compare_experiment(
    run: Run | Recording | str | Path,
    experiments: Capture | str | Path | Sequence[Capture | str | Path],
    *,
    offset_bounds: tuple[float, float] = (-0.5, 0.5),
    align_position: bool = True,
    align_heading: bool = True,
    over: float | None = None,
    link: int | None = None,
) -> ExperimentReport:
    """Compare a run with one trial of an experiment, or with several.

    Raises `ExperimentError` if an experiment cannot be read, or has too little in common with the
    run.

    Parameters
    ----------
    offset_bounds : (float, float)
        Within which the time offset is sought, s.
    align_position, align_heading : bool
        Whether the measured track is shifted and turned.
    over : float, optional
        Shift and turn are those of the first so many seconds; of all if left out.
    link : int, optional
        The link that is compared, counted from 1 as in the columns; 0 for the centre of mass. What
        the experiment says if left out.
    """
    if not isinstance(run, Run) and not hasattr(run, "schema"):  # which every recording has
        run = load_run(path_of("run", run, "a Run or the name of a run file (str or Path)"))
    assert not isinstance(run, str | Path), "it has no schema"
    given: list[Any] = [experiments]
    if isinstance(experiments, Sequence) and not isinstance(experiments, str | bytes):
        given = list(experiments)
    captures = [
        one if isinstance(one, Capture) else read_capture(path_of("experiments", one, _MEASURED))
        for one in given
    ]
    chosen = None if link is None else link - 1
    options = AlignmentOptions(offset_bounds, align_position, align_heading, over, chosen)
    recording: Recording = run.recording if isinstance(run, Run) else run
    data = compare(recording, captures, options)
    assert data is not None, "nothing cancels it"
    if isinstance(run, Run):
        return ExperimentReport(data, run.scene_file, run.base_dir)
    return ExperimentReport(data)
