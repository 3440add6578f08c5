"""Measured tracks of a real robot: loading, alignment with a run, comparison and report."""

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
    """Run compared with an experiment; `print` shows the tables.

    Attributes
    ----------
    data : ExperimentComparison
        Data as arrays and values.
    scene_file : str or None
        Name of the scene file, if there is one.
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
        """Return a report; its CSV has both tracks and their errors over time."""
        return experiment_report(self.data, self.scene_file, self._base_dir)


def load_experiment(path: str | Path, layout: Layout | str | Path | None = None) -> Capture:
    """Load a measurement from a CSV, TSV, TRC or C3D file.

    Raises `ExperimentError` if it cannot be read; the message states the problem and a remedy.

    Parameters
    ----------
    layout : Layout or path of a TOML file, optional
        Meaning of the columns of a table; estimated if omitted.
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
    """Compare a run with one or several measurements.

    Raises `ExperimentError` if a measurement cannot be read, or overlaps too little with the run.

    Parameters
    ----------
    offset_bounds : (float, float)
        Bounds of the time offset in seconds.
    align_position : bool
        Whether the measured track is shifted onto that of the run.
    align_heading : bool
        Whether the measured track is rotated onto that of the run.
    over : float, optional
        Duration from the start that determines shift and rotation, s; the whole track if omitted.
    link : int, optional
        Link to compare, counted from 1 as in the columns; 0 for the centre of mass. If omitted, the
        link that the measurement names.
    """
    if not isinstance(run, Run) and not hasattr(run, "schema"):  # every recording has one
        run = load_run(path_of("run", run, "a Run or the name of a run file (str or Path)"))
    assert not isinstance(run, str | Path), "a path has no schema"
    sources: list[Any] = [experiments]
    if isinstance(experiments, Sequence) and not isinstance(experiments, str | bytes):
        sources = list(experiments)
    captures = [
        one if isinstance(one, Capture) else read_capture(path_of("experiments", one, _MEASURED))
        for one in sources
    ]
    chosen = None if link is None else link - 1
    options = AlignmentOptions(offset_bounds, align_position, align_heading, over, chosen)
    recording: Recording = run.recording if isinstance(run, Run) else run
    data = compare(recording, captures, options)
    assert data is not None, "nothing cancels it"
    if isinstance(run, Run):
        return ExperimentReport(data, run.scene_file, run.base_dir)
    return ExperimentReport(data)
