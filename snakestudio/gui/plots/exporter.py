"""Starts the exports of a plot, shows how far they are, and says what went wrong."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QMessageBox, QProgressDialog, QWidget

from snakestudio.gui.plots.export import CsvExport, save_png, save_profile, save_spectrum, save_svg
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.viewmodel.plots.series_cache import SeriesCache

__all__ = ["PlotExporter"]


class PlotExporter(QObject):
    """Exports what plots show, one at a time.

    Parameters
    ----------
    history : SeriesCache
    window : QWidget
        Parent of dialogs.
    """

    def __init__(self, history: SeriesCache, window: QWidget) -> None:
        super().__init__(window)
        self._history, self._window = history, window
        self._job: CsvExport | None = None

    @property
    def busy(self) -> bool:
        """Whether an export is under way."""
        return self._job is not None

    def ask(self, plot: LivePlot, kind: str, near: Path, start: float, stop: float) -> None:
        """Ask for a file beside `near`, and write what a plot shows into it as .csv, .png or .svg."""
        name = f"{near.stem}_{plot.content.view or plot.content.kind}.{kind}"
        path, _ = QFileDialog.getSaveFileName(
            self._window, f"Export {plot.title}", str(near.parent / name), f"{kind.upper()} (*.{kind})"
        )
        if path:
            self.export(plot, Path(path), start, stop)

    def export(self, plot: LivePlot, path: Path, start: float, stop: float) -> None:
        """Write what a plot shows from start to stop (s) as the file's ending says: .csv, .png or .svg."""
        chart = plot.chart
        try:
            if path.suffix.lower() == ".svg":
                save_svg(path, chart, plot.title)
            elif path.suffix.lower() == ".png":
                save_png(path, chart, plot.title)
            elif plot.view.style == "profile":
                if self._history.recording is not None and plot.chart.picture.traces:
                    save_profile(path, plot.chart.picture, plot.lines, self._history.recording.schema, plot.instant)
            elif plot.view.style == "spectrum":
                if self._history.recording is not None and plot.chart.picture.traces:
                    save_spectrum(path, plot.chart.picture, plot.lines, self._history.recording.schema, plot.title)
            else:
                self._export_csv(plot, path, start, stop)
        except OSError as error:
            self._say(str(error))

    def _export_csv(self, plot: LivePlot, path: Path, start: float, stop: float) -> None:
        recording = self._history.recording
        if recording is None or not len(recording) or self._job is not None:
            return
        dialog = QProgressDialog(f"Exporting {plot.title} ...", "Cancel", 0, 1000, self._window)
        dialog.setMinimumDuration(500)
        dialog.setAutoReset(False)
        if plot.view.whole:
            start, stop = float(recording.times[0]), float(recording.times[-1])
        job = CsvExport(path, recording, plot.lines, start, stop, plot.title, self, plot.overlaid, self._history.other)

        def finish(problem: str) -> None:
            self._job = None
            job.deleteLater()
            dialog.deleteLater()
            if problem:
                self._say(problem)

        def cancel() -> None:
            job.cancel()
            finish("")

        job.progress.connect(lambda share: dialog.setValue(int(999 * share)))
        job.done.connect(finish)
        dialog.canceled.connect(cancel)
        self._job = job
        job.begin()

    def _say(self, problem: str) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, "Export", problem, QMessageBox.StandardButton.Ok, self._window)
        box.open()
