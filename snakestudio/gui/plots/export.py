"""Export of a plot: the image as PNG or SVG, the recorded values of the visible time range as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QBuffer, QObject, QRectF, QSize, Slot
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMessageBox, QProgressDialog, QWidget

from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.errors import Problem
from snakestudio.gui.charts.chart import Chart
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.model.atomic import write_atomically
from snakestudio.model.recording import Schema
from snakestudio.viewmodel.plots.channels import series_of
from snakestudio.viewmodel.plots.chart_data import ChartData
from snakestudio.viewmodel.plots.content import Content
from snakestudio.viewmodel.plots.csv_table import CsvTable, names_of, number_text
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.series_cache import SeriesCache


class ShownPlot(Protocol):
    """Members of a plot that the export uses."""

    @property
    def chart(self) -> Chart: ...

    @property
    def content(self) -> Content: ...

    @property
    def view(self) -> PlotType: ...

    @property
    def title(self) -> str: ...

    @property
    def instant(self) -> str: ...

    @property
    def lines(self) -> list[CurveSpec]: ...

    @property
    def overlaid(self) -> Sequence[tuple[Overlay, Sequence[CurveSpec]]]: ...


_MARGIN = 8
_STEPS = 1000


def _paint_all(painter: QPainter, size: QSize, chart: Chart, title: str) -> None:
    painter.fillRect(0, 0, size.width(), size.height(), theme.colour("panel"))
    chart.paint_for_export(painter, QRectF(_MARGIN, _MARGIN, chart.width(), chart.height()), title)


def _page(chart: Chart) -> QSize:
    return QSize(chart.width() + 2 * _MARGIN, chart.height() + 2 * _MARGIN)


def save_png(path: Path, chart: Chart, title: str, scale: float = 2.0) -> None:
    """Write a chart as PNG, with `scale` pixels per pixel of the screen.

    Raises `OSError` if it cannot be written.
    """
    size = _page(chart)
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(theme.current().panel))
    painter = QPainter(image)
    _paint_all(painter, size, chart, title)
    painter.end()
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    _keep(path, "image", bytes(buffer.data().data()))


def save_svg(path: Path, chart: Chart, title: str) -> None:
    """Write a chart as SVG.

    Raises `OSError` if it cannot be written.
    """
    size = _page(chart)
    generator = QSvgGenerator()
    buffer = QBuffer()  # Qt does not report write errors of a file
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setResolution(chart.logicalDpiX())
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    generator.setDescription(f"SnakeStudio {__version__}")
    painter = QPainter(generator)
    _paint_all(painter, size, chart, title)
    painter.end()
    _keep(path, "image", bytes(buffer.data().data()))


def _keep(path: Path, what: str, data: bytes) -> None:
    try:
        write_atomically(path, data)
    except OSError as error:
        raise _not_written(path, what, error) from error


def _not_written(path: Path, what: str, error: OSError) -> OSError:
    remedy = "Choose another folder or free some space"
    return OSError(f"{path}: the {what} cannot be written ({error.strerror or error}). {remedy}.")


def save_profile(
    path: Path, chart_data: ChartData, lines: list[CurveSpec], schema: Schema, title: str
) -> None:
    """Write the profile of a chart: abscissas from the head, and the values of the run there.

    Raises `OSError` if it cannot be written.
    """
    own = chart_data.traces[: len(lines)]
    names = [series_of(line.series, schema).names[0].removeprefix("section_1_") for line in lines]
    table = np.stack([own[0].time, *(trace.low for trace in own)], axis=1)
    head = f"# SnakeStudio {__version__}\n# {title}\n" + ",".join(["x_m", *names]) + "\n"
    _write(path, head, table)


def _write(path: Path, head: str, table: FloatArray) -> None:
    text = head + "".join(",".join(map(number_text, row)) + "\n" for row in table.tolist())
    _keep(path, "data", text.encode())


def save_spectrum(
    path: Path, chart_data: ChartData, lines: Sequence[CurveSpec], schema: Schema, title: str
) -> None:
    """Write the spectra of a chart: frequencies and amplitudes, those of other runs after those of the run.

    Raises `OSError` if it cannot be written.
    """
    decades = chart_data.axes[0].decades
    names = [
        *names_of(schema, lines),
        *(f"other_{i + 1}" for i in range(len(chart_data.traces) - len(lines))),
    ]
    frequency = max((trace.time for trace in chart_data.traces), key=len)
    columns = [frequency]
    for trace in chart_data.traces:
        sizes = 10.0**trace.low if decades else trace.low
        columns.append(np.interp(frequency, trace.time, sizes, right=np.nan))
    head = (
        f"# SnakeStudio {__version__}\n# {title}: amplitudes\n"
        + ",".join(["frequency_hz", *names])
        + "\n"
    )
    _write(path, head, np.stack(columns, axis=1))


class PlotExporter(QObject):
    """Exports plots, one at a time.

    Parameters
    ----------
    window : QWidget
        Parent of dialogs.
    """

    def __init__(self, series_cache: SeriesCache, window: QWidget) -> None:
        super().__init__(window)
        self._series_cache = series_cache
        self._window = window
        self._task: Task[Path] | None = None
        self._dialog: QProgressDialog | None = None

    @property
    def busy(self) -> bool:
        """Whether an export is under way."""
        return self._task is not None

    def ask(self, plot: ShownPlot, kind: str, run: str, start: float, stop: float) -> None:
        """Ask for a file, with a name derived from that of the run, and export a plot as .csv, .png or .svg."""
        path = ask_save(
            self._window,
            f"Export {plot.title}",
            FileKind.CSV if kind == "csv" else FileKind.FIGURES,
            f"{Path(run).stem}_{plot.content.view or plot.content.kind}.{kind}",
            f"{kind.upper()} (*.{kind})",
        )
        if path is not None:
            self.export(plot, path, start, stop)

    def export(self, plot: ShownPlot, path: Path, start: float, stop: float) -> None:
        """Export a plot from start to stop (s) in the format given by the file's suffix: .csv, .png or .svg."""
        chart = plot.chart
        try:
            if path.suffix.lower() == ".svg":
                save_svg(path, chart, plot.title)
            elif path.suffix.lower() == ".png":
                save_png(path, chart, plot.title)
            elif plot.view.style == "profile":
                if self._series_cache.recording is not None and plot.chart.data.traces:
                    save_profile(
                        path,
                        plot.chart.data,
                        plot.lines,
                        self._series_cache.recording.schema,
                        plot.instant,
                    )
            elif plot.view.style == "spectrum":
                if self._series_cache.recording is not None and plot.chart.data.traces:
                    save_spectrum(
                        path,
                        plot.chart.data,
                        plot.lines,
                        self._series_cache.recording.schema,
                        plot.title,
                    )
            else:
                self._export_csv(plot, path, start, stop)
        except OSError as error:
            self._show_problem(str(error))

    def _export_csv(self, plot: ShownPlot, path: Path, start: float, stop: float) -> None:
        recording = self._series_cache.recording
        if recording is None or not len(recording) or self._task is not None:
            return
        if plot.view.whole_run:
            start = float(recording.times[0])
            stop = float(recording.times[-1])
        table = CsvTable(
            recording, plot.lines, start, stop, plot.title, plot.overlaid, self._series_cache.other
        )
        self._task = Task("export", lambda progress: table.write(path, progress), self)
        self._task.progressed.connect(self._on_progressed)
        self._task.finished.connect(self._end)
        self._task.cancelled.connect(self._end)
        self._task.failed.connect(self._on_failed)
        self._dialog = QProgressDialog(
            f"Exporting {plot.title}...", "Cancel", 0, _STEPS, self._window
        )
        self._dialog.setMinimumDuration(500)
        self._dialog.setAutoReset(False)
        self._dialog.canceled.connect(self._task.cancel)

    @Slot(float)
    def _on_progressed(self, fraction: float) -> None:
        if self._dialog is not None:
            self._dialog.setValue(int((_STEPS - 1) * fraction))

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._end()
        self._show_problem(problem.sentence())

    @Slot()
    def _end(self) -> None:
        self._task = None
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def close(self) -> None:
        """Cancel a running export and wait for its end; call before the program quits."""
        close_tasks(self)
        self._end()

    def _show_problem(self, problem: str) -> None:
        box = QMessageBox(
            QMessageBox.Icon.Warning, "Export", problem, QMessageBox.StandardButton.Ok, self._window
        )
        box.open()
